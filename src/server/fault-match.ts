import type { Fault } from '../contract/faults.js'
import { matchesGlob } from '../lib/text.js'
import { findDifferences, type UncheckedRequest } from './match.js'

/** Whether a fault concerns a request. */
export function concerns({ operation, match = {}, effect }: Fault, request: UncheckedRequest): boolean {
  if (operation !== undefined && !isOf(request, operation)) return false
  // What cannot block cannot wake, and is left to other faults.
  if (effect.spurious !== undefined && !request.mayBlock) return false
  // The first difference is enough.
  return findDifferences(match, request).next().done === true
}

function isOf({ operation }: UncheckedRequest, pattern: string): boolean {
  return operation !== undefined && matchesGlob(operation, pattern)
}
