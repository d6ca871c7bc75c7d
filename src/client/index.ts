export type { Health } from '../core/control/api.js'
export type * from '../core/control/public.js'
export type { KeptData } from '../core/control/world-control.js'
export { JournalMismatch } from '../core/pipeline/journal-mismatch.js'
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
