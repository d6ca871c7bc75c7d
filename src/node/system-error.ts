import { UsageError } from '../contract/usage-error.js'

/** What the system has against something that the user wanted, as a `UsageError`; any other error as it is. */
export function explained(error: unknown, what: string): unknown {
  return error instanceof Error && 'syscall' in error ? new UsageError(`${what}: ${error.message}`) : error
}
