export {
  type Client,
  type ClientClock,
  type ClientFaultHandle,
  type ClientOptions,
  type ClientWorld,
  createClient,
  type OverHttp,
  type OwnedToken,
} from './client/client.js'
export { ClientError, type ClientErrorParts } from './client/http.js'
export type { ClientTable, ClientTables } from './client/table.js'
export type { Fault, FaultState } from './contract/faults.js'
export type {
  ExchangeMatch,
  Expectation,
  JournalEntry,
  JournalFilter,
  OperationPattern,
  PendingRequest,
} from './contract/journal.js'
export type { Health } from './control/api.js'
export type { MockEvent } from './control/events.js'
export type { Explanation, Question } from './control/explain.js'
export type { ClockJson } from './control/history.js'
export type { NewLobbies, NewLobby, NewPlayer } from './control/new-rows.js'
export type { SimulationOptions, SimulationState } from './control/simulation.js'
export type { NewWorldOptions, WorldDescription, WorldSummary } from './control/world-control.js'
export type { ScenarioInput } from './scenario/schema.js'
export type { Failure, FaultHandle, FaultOptions } from './server/fault-calls.js'
export { JournalMismatch, type Times } from './server/journal-mismatch.js'
export type { Verification } from './server/verify.js'
