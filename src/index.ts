import * as msw from 'msw'
import type { Mockmaker } from './core/mock/facade.js'
import { createMock } from './core/mock/mock.js'
import type { MockmakerOptions } from './core/mock/options.js'
import { toMockmaker } from './msw/mockmaker.js'

/**
 * Creates a mock of the service, with its MSW handlers. Throws `UsageError` if the scenario or an option is wrong. A command
 * for game servers in the scenario runs only with `listen` or `createApp` and their option `servers`.
 */
export function createMockmaker(options: MockmakerOptions = {}): Mockmaker {
  return toMockmaker(createMock(options, { commands: 'allowed' }), options, { http: msw.http, more: () => ({}) })
}

export { ApiError, type ApiErrorExtras } from './core/contract/errors.js'
export type { ShortenedEntry, WaitReason } from './core/contract/journal.js'
export type { OperationInput, OperationOutput } from './core/contract/operations.js'
export type { Environment, LobbyEnvironmentOptions } from './core/control/environment.js'
export type { ChangesOptions, MockEvents } from './core/control/events.js'
export type { ChangeSetJson, HistoryJson, RecordedChange, RecordedChangeSet } from './core/control/history.js'
export type * from './core/control/public.js'
export type { LobbyTokenInfo } from './core/control/records.js'
export type { EndSimulationOptions } from './core/control/simulation.js'
export type { TestControls, WorldControl, WorldsControl } from './core/control/world-control.js'
export type * from './core/generated/operations.js'
export type { CheckResult } from './core/lib/check-report.js'
export type { Draft } from './core/lib/json.js'
export { UsageError } from './core/lib/messages.js'
export type { Mockmaker, MockmakerWorld, MockmakerWorlds } from './core/mock/facade.js'
export type { ReloadOptions } from './core/mock/running-world.js'
export type { Caller } from './core/operations/resolver.js'
export type { Faults } from './core/pipeline/faults.js'
export type { Journal } from './core/pipeline/journal.js'
export { JournalMismatch } from './core/pipeline/journal-mismatch.js'
export type { ExchangeLog, ExchangeRecord } from './core/pipeline/log.js'
export type { Difference } from './core/pipeline/match.js'
export type {
  AbortSignalLike,
  CorsPolicy,
  MockRequest,
  MockResponse,
  MockResponseInit,
  RequestHandler,
  StreamClient,
} from './core/pipeline/message.js'
export type { OverrideCall, OverrideOptions, OverrideResolver } from './core/pipeline/overrides.js'
export { TimeoutError } from './core/pipeline/request-waits.js'
export type { NearMiss } from './core/pipeline/verify.js'
export type { WaitOptions } from './core/pipeline/wait-options.js'
export type { PendingWait, WantedRequests } from './core/pipeline/wait-report.js'
export type { BeforeAfter, Cause, Change, ChangeSet } from './core/store/change-set.js'
export type { Clock, ClockMode, ClockMoveOptions, ClockSetting, ClockState } from './core/store/clock.js'
export type { FaultRecord, FaultsState } from './core/store/faults.js'
export type { Inputs } from './core/store/inputs.js'
export type { FieldConditions, FieldValue, FieldValues, Predicate, RowCondition, RowQuery } from './core/store/query.js'
export type { RandomState } from './core/store/random.js'
export type { ReloadSummary } from './core/store/reload.js'
export type { Rows } from './core/store/rows.js'
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
} from './core/store/table-calls.js'
export type { Entry } from './core/store/table-state.js'
export type { TokenInfo } from './core/store/tokens.js'
export type { World } from './core/store/world.js'
export type { ScenarioName } from './core/store/world-state.js'
export type { TransactionTables, WorldTables } from './core/store/world-tables.js'
export { type LabCheckName, type LabClient, type LabOptions, type LabReport, lab } from './lab/lab.js'
export type { RequestHandlers } from './msw/handlers.js'
export type { UnhandledPrint, UnhandledRequest } from './msw/unhandled-requests.js'
