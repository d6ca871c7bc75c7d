import type { FaultState } from '../contract/faults.js'
import { after, checkMock } from './tested-mock.js'

export { checkUnusedFaults } from '../server/unused-faults.js'

/**
 * Lists the faults that code has added, and that never applied to a request. Returns a promise for a client. Throws
 * `UsageError` for a value that is no mock. Pass the list to `checkUnusedFaults`.
 */
export function unusedFaults(mock: unknown): readonly FaultState[] | Promise<readonly FaultState[]> {
  return after(checkMock(mock, 'unusedFaults').faults.unused(), faults => faults)
}
