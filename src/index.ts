import { createMock } from './mock.js'
import { type Mockmaker, type MockmakerOptions, withHandlers } from './mockmaker.js'

/** Makes a mock of the service: its MSW handlers, its world and its tokens. Throws `UsageError` where the scenario or an option is wrong. */
export function createMockmaker(options: MockmakerOptions = {}): Mockmaker {
  return withHandlers(createMock(options), options)
}

export { ApiError, type ErrorCode } from './contract/error.js'
export type { Expectation } from './contract/expectation.js'
export type { Fault, FaultState } from './contract/fault.js'
export type { JournalEntry } from './contract/journal.js'
export type { JournalFilter } from './contract/journal-filter.js'
export type { OperationId, OperationInput, OperationOutput } from './contract/operations.js'
export { UsageError } from './contract/usage-error.js'
export type { MockEvent } from './control/changes.js'
export type { WorldDescription, WorldSummary } from './control/description.js'
export type { Explanation, Question } from './control/explanation.js'
export type { NewWorldOptions, SimulationOptions, SimulationState } from './control/steering.js'
export type { Mock } from './mock.js'
export type { Mockmaker, MockmakerOptions } from './mockmaker.js'
export type { ScenarioInput } from './scenario/schema.js'
export type { Answer, Exchange } from './server/exchange.js'
export type { Faults } from './server/faults.js'
export type { ExchangeRecord } from './server/log.js'
export type { OverrideCall, OverrideResolver } from './server/resolvers.js'
export type { Verification } from './server/verify.js'
export type { ChangeSet } from './store/change-set.js'
export type { Clock } from './store/clock.js'
export type { ReadTable, Table } from './store/table.js'
export type { TokenInfo } from './store/token-info.js'
export type { World } from './store/world.js'
export type { WorldMock } from './world-mock.js'
