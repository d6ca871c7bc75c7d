import type { FaultState } from '../contract/faults.js'
import { problemLines, quoted, UsageError } from '../lib/messages.js'

/** Throws `UsageError` with a line for each fault. Pass the faults that never applied to a request. */
export function checkUnusedFaults(unused: readonly FaultState[]): void {
  if (unused.length === 0) return
  throw new UsageError(
    problemLines(
      unused,
      fault =>
        `${describeFault(fault)} never applied to a request. Remove it, or check its operation, its match, and the requests in the journal`,
    ),
  )
}

/** Names a fault in a message: `fault 1 (lobbies.list: {"delay":"2s"})`. */
export function describeFault({ id, operation, region, effect }: FaultState): string {
  return `fault ${id} (${operation ?? region ?? 'any operation'}: ${quoted(effect)})`
}
