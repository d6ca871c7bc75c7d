export type { Answer, AnswerProblem } from '../contract/answers.js'
export type { PendingRequest } from '../contract/journal.js'
export type { Health } from '../control/api.js'
export type { MockEvent } from '../control/events.js'
export type { ExplainedChoice, Explanation } from '../control/explain-find.js'
export type { Stories, StoryList } from '../control/find-stories.js'
export type { ClockJson } from '../control/history.js'
export type { NewLobbies, NewLobby, NewPlayer } from '../control/new-rows.js'
export type { ScheduledJob } from '../control/schedule.js'
export type { RefusedCall, ServedLobby, ServedPlayer } from '../control/served-lobby.js'
export type {
  GameServerCalls,
  GameServerLog,
  GameServerProcesses,
  GameServerState,
  ServerLine,
} from '../control/servers.js'
export type { SimulationState } from '../control/simulation.js'
export type {
  ChangedStory,
  JournalState,
  StateName,
  StoriesState,
  StoryCounts,
  WorldStates,
} from '../control/states.js'
export type { StoryLobby } from '../control/story-memory.js'
export type { StoryJson, StoryLobbyState, StoryRequest, StoryStep, StorySummary } from '../control/tell-story.js'
export type {
  KeptData,
  ListedWorld,
  ScenarioSummary,
  WorldDescription,
  WorldSummary,
} from '../control/world-control.js'
export type * from '../generated/inputs.js'
export type * from '../generated/options.js'
export type * from '../generated/requests.js'
export type * from '../generated/rows.js'
export type * from '../generated/scenario.js'
export type { Failure, FaultHandle, FaultOptions } from '../server/fault-calls.js'
export type { FaultDelayInput, FaultInput } from '../server/fault-input.js'
export type { AnswerDraft, FaultFilter } from '../server/faults.js'
export type { HeldRequest, HeldRequests } from '../server/held-requests.js'
export { JournalMismatch, type Times } from '../server/journal-mismatch.js'
export type { Verification } from '../server/verify.js'
export type { ControlTable } from '../store/table-names.js'
export {
  type Client,
  type ClientClock,
  type ClientFaultHandle,
  type ClientOptions,
  type ClientWorld,
  createClient,
  type OverHttp,
  type OwnedToken,
} from './client.js'
export { ClientError, type ClientErrorParts } from './core.js'
export type { ClientTable, ClientTables } from './table.js'
