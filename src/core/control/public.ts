// The types of what a mock answers, in-process and over HTTP. The main entry point and the client export them.

export type { Answer, AnswerProblem } from '../contract/answers.js'
export type { PendingRequest } from '../contract/journal.js'
export type * from '../generated/inputs.js'
export type * from '../generated/options.js'
export type * from '../generated/requests.js'
export type * from '../generated/rows.js'
export type * from '../generated/scenario.js'
export type { Failure, FaultHandle, FaultOptions } from '../pipeline/fault-calls.js'
export type { FaultDelayInput, FaultInput } from '../pipeline/fault-input.js'
export type { AnswerDraft, FaultFilter } from '../pipeline/faults.js'
export type { HeldRequest, HeldRequests } from '../pipeline/held-requests.js'
export type { Times } from '../pipeline/journal-mismatch.js'
export type { Verification } from '../pipeline/verify.js'
export type {
  GameServerCalls,
  GameServerLog,
  GameServerProcesses,
  GameServerState,
  RefusedCall,
  ServedLobby,
  ServedPlayer,
  ServerLine,
} from '../simulation/servers.js'
export type { MockEvent } from './events.js'
export type { ExplainedChoice, Explanation, TakenSeat } from './explain/explain-find.js'
export type { ClockJson } from './history.js'
export type { NewLobbies, NewLobby, NewPlayer } from './new-rows.js'
export type { ScheduledJob } from './schedule.js'
export type { SimulationState } from './simulation.js'
export type { JournalState, StateName, WorldStates } from './states.js'
export type { ChangedStory, Stories, StoriesState, StoryCounts, StoryList } from './stories/find-stories.js'
export type { StoryLobby } from './stories/story-kinds.js'
export type { StoryJson, StoryLobbyState, StoryRequest, StoryStep, StorySummary } from './stories/tell-story.js'
export type { Warning, WarningSubject, Warnings, WarningsState } from './warnings/warning.js'
export type { ListedWorld, ScenarioSummary, WorldDescription, WorldSummary } from './world-control.js'
