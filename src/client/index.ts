export type { Answer, AnswerProblem } from '../core/contract/answers.js'
export type { PendingRequest } from '../core/contract/journal.js'
export type { Health } from '../core/control/api.js'
export type { MockEvent } from '../core/control/events.js'
export type { ExplainedChoice, Explanation } from '../core/control/explain/explain-find.js'
export type { ClockJson } from '../core/control/history.js'
export type { NewLobbies, NewLobby, NewPlayer } from '../core/control/new-rows.js'
export type { ScheduledJob } from '../core/control/schedule.js'
export type { SimulationState } from '../core/control/simulation.js'
export type { JournalState, StateName, WorldStates } from '../core/control/states.js'
export type {
  ChangedStory,
  Stories,
  StoriesState,
  StoryCounts,
  StoryList,
} from '../core/control/stories/find-stories.js'
export type { StoryLobby } from '../core/control/stories/story-kinds.js'
export type {
  StoryJson,
  StoryLobbyState,
  StoryRequest,
  StoryStep,
  StorySummary,
} from '../core/control/stories/tell-story.js'
export type {
  KeptData,
  ListedWorld,
  ScenarioSummary,
  WorldDescription,
  WorldSummary,
} from '../core/control/world-control.js'
export type * from '../core/generated/inputs.js'
export type * from '../core/generated/options.js'
export type * from '../core/generated/requests.js'
export type * from '../core/generated/rows.js'
export type * from '../core/generated/scenario.js'
export type { Failure, FaultHandle, FaultOptions } from '../core/pipeline/fault-calls.js'
export type { FaultDelayInput, FaultInput } from '../core/pipeline/fault-input.js'
export type { AnswerDraft, FaultFilter } from '../core/pipeline/faults.js'
export type { HeldRequest, HeldRequests } from '../core/pipeline/held-requests.js'
export { JournalMismatch, type Times } from '../core/pipeline/journal-mismatch.js'
export type { Verification } from '../core/pipeline/verify.js'
export type {
  GameServerCalls,
  GameServerLog,
  GameServerProcesses,
  GameServerState,
  RefusedCall,
  ServedLobby,
  ServedPlayer,
  ServerLine,
} from '../core/simulation/servers.js'
export type { ControlTable } from '../core/store/table-names.js'
export { ClientError, type ClientErrorParts } from './call.js'
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
export type { ClientTable, ClientTables } from './table.js'
