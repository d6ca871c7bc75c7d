export {
  type Client,
  type ClientClock,
  type ClientOptions,
  type ClientWorld,
  createClient,
  type OverHttp,
  type OwnedToken,
} from './client/client.js'
export { ClientError, type ClientErrorParts } from './client/http.js'
export type { ClientTable, ClientTables } from './client/table.js'
export type { Fault, FaultState } from './contract/faults.js'
export type { Expectation, JournalEntry, JournalFilter } from './contract/journal.js'
export type { Health } from './control/api.js'
export type { MockEvent } from './control/events.js'
export type { Explanation, Question } from './control/explain.js'
export type { ClockJson } from './control/history.js'
export type { SimulationOptions, SimulationState } from './control/simulation.js'
export type { NewWorldOptions, WorldDescription, WorldSummary } from './control/world-control.js'
export type { ScenarioInput } from './scenario/schema.js'
export type { Verification } from './server/verify.js'
