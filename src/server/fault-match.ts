import type { Fault } from '../contract/faults.js'
import { matchesGlob } from '../lib/glob.js'
import { differences } from './differences.js'
import type { RequestTraits } from './request-traits.js'

/** Whether a fault concerns a request. */
export function concerns({ operation, match = {}, effect }: Fault, request: RequestTraits): boolean {
  if (operation !== undefined && !isOf(request, operation)) return false
  // What cannot block cannot wake, and is left to other faults.
  if (effect.spurious !== undefined && !request.mayBlock) return false
  // The first difference is enough.
  return differences(match, request).next().done === true
}

function isOf({ operation }: RequestTraits, pattern: string): boolean {
  return operation !== undefined && matchesGlob(operation, pattern)
}
