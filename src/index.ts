import { http } from 'msw'
import type { Mockmaker } from './mock/facade.js'
import { createMock } from './mock/mock.js'
import type { MockmakerOptions } from './mock/options.js'
import { toMockmaker } from './msw/mockmaker.js'

/**
 * Creates a mock of the service, with its MSW handlers. Throws `UsageError` if the scenario or an option is wrong. A command
 * for game servers in the scenario runs only with `listen` or `createApp` and their option `servers`.
 */
export function createMockmaker(options: MockmakerOptions = {}): Mockmaker {
  return toMockmaker(createMock(options, { commands: 'allowed' }), options, { http, more: () => ({}) })
}

export type { Answer, AnswerProblem } from './contract/answers.js'
export { ApiError, type ApiErrorExtras } from './contract/errors.js'
export type { PendingRequest, ShortenedEntry, WaitReason } from './contract/journal.js'
export type { OperationInput, OperationOutput } from './contract/operations.js'
export type { Environment, LobbyEnvironmentOptions } from './control/environment.js'
export type { ChangesOptions, MockEvent, MockEvents } from './control/events.js'
export type { ExplainedChoice, Explanation } from './control/explain-find.js'
export type { Stories, StoryList } from './control/find-stories.js'
export type { ChangeSetJson, ClockJson, HistoryJson, RecordedChange, RecordedChangeSet } from './control/history.js'
export type { NewLobbies, NewLobby, NewPlayer } from './control/new-rows.js'
export type { LobbyTokenInfo } from './control/records.js'
export type { ScheduledJob } from './control/schedule.js'
export type { RefusedCall, ServedLobby, ServedPlayer } from './control/served-lobby.js'
export type {
  GameServerCalls,
  GameServerLog,
  GameServerProcesses,
  GameServerState,
  ServerLine,
} from './control/servers.js'
export type { EndSimulationOptions, SimulationState } from './control/simulation.js'
export type {
  ChangedStory,
  JournalState,
  StateName,
  StoriesState,
  StoryCounts,
  WorldStates,
} from './control/states.js'
export type { StoryLobby } from './control/story-memory.js'
export type { StoryJson, StoryLobbyState, StoryRequest, StoryStep, StorySummary } from './control/tell-story.js'
export type {
  ListedWorld,
  ScenarioSummary,
  TestControls,
  WorldControl,
  WorldDescription,
  WorldSummary,
  WorldsControl,
} from './control/world-control.js'
export type * from './generated/inputs.js'
export type * from './generated/operations.js'
export type * from './generated/options.js'
export type * from './generated/requests.js'
export type * from './generated/rows.js'
export type * from './generated/scenario.js'
export type { CheckResult } from './lib/check-report.js'
export type { Draft } from './lib/json.js'
export { UsageError } from './lib/usage-error.js'
export type { Mockmaker, MockmakerWorld, MockmakerWorlds } from './mock/facade.js'
export { type LabCheckName, type LabClient, type LabOptions, type LabReport, lab } from './mock/lab.js'
export type { ReloadOptions } from './mock/mock-world.js'
export type { RequestHandlers } from './msw/handlers.js'
export type { UnhandledPrint, UnhandledRequest } from './msw/unhandled-requests.js'
export type { Caller } from './operations/resolver.js'
export type { Failure, FaultHandle, FaultOptions } from './server/fault-calls.js'
export type { FaultDelayInput, FaultInput } from './server/fault-input.js'
export type { AnswerDraft, FaultFilter, Faults } from './server/faults.js'
export type { HeldRequest, HeldRequests } from './server/held-requests.js'
export type { Journal } from './server/journal.js'
export { JournalMismatch, type Times } from './server/journal-mismatch.js'
export type { ExchangeLog, ExchangeRecord } from './server/log.js'
export type { Difference } from './server/match.js'
export type {
  AbortSignalLike,
  CorsPolicy,
  MockRequest,
  MockResponse,
  MockResponseInit,
  RequestHandler,
  StreamClient,
} from './server/message.js'
export type { OverrideCall, OverrideResolver } from './server/overrides.js'
export { TimeoutError } from './server/request-waits.js'
export type { NearMiss, Verification } from './server/verify.js'
export type { WaitOptions } from './server/wait-options.js'
export type { PendingWait, WantedRequests } from './server/wait-report.js'
export type { BeforeAfter, Cause, Change, ChangeSet } from './store/change-set.js'
export type { Clock, ClockMode, ClockMoveOptions, ClockSetting, ClockState } from './store/clock.js'
export type { FaultRecord, FaultsState } from './store/faults.js'
export type { Inputs } from './store/inputs.js'
export type { FieldConditions, FieldValue, FieldValues, Predicate, RowCondition, RowQuery } from './store/query.js'
export type { RandomState } from './store/random.js'
export type { ReloadSummary } from './store/reload.js'
export type { Rows } from './store/rows.js'
export type {
  ListOptions,
  OrderBy,
  QueryOptions,
  ReadTable,
  RecordChanges,
  RowReader,
  SortDirection,
  Strict,
  Table,
  TableEvents,
  TableHooks,
  TableListener,
  TransactionTable,
  UpdateOptions,
} from './store/table-calls.js'
export type { Entry } from './store/table-state.js'
export type { TokenInfo } from './store/tokens.js'
export type { World } from './store/world.js'
export type { ScenarioName } from './store/world-state.js'
export type { TransactionTables, WorldTables } from './store/world-tables.js'
