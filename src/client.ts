export { ClientError } from './client/call.js'
export {
  type Client,
  type ClientOptions,
  type ClientWorld,
  type ClockState,
  createClient,
  type Health,
} from './client/client.js'
export type { ClientTable, Filter } from './client/table.js'
export type { Expectation } from './contract/expectation.js'
export type { Fault, FaultState } from './contract/fault.js'
export type { JournalEntry } from './contract/journal.js'
export type { MockEvent } from './control/changes.js'
export type { Verification } from './server/verify.js'
