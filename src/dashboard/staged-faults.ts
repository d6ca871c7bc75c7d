import type { FaultState } from '../contract/faults.js'
import { page } from './page-state.js'

/** A fault that begins at a time to come. */
export type StagedFault = FaultState & { readonly begins_at: string }

/** Tells whether a fault begins at a time to come. One that waits for a number of requests has no such time. */
export function isStaged(fault: FaultState, now: number): fault is StagedFault {
  return fault.begins_at !== undefined && Date.parse(fault.begins_at) > now
}

/** Moves a staged fault, so that it begins at a time of the world's clock, but not before now. */
export async function moveFault(staged: StagedFault, begin: number): Promise<void> {
  // The rest are its settings.
  const { id, matched, struck, holding, added_at, began_at, begins_at, ends_at, last_at, ...fault } = staged
  const after = Math.ceil(Math.max(begin, page.now.peek()) - Date.parse(added_at))
  const call = { params: { fault_id: id }, body: { ...fault, after: `${after}ms` } }
  await page.api.call('PUT /faults/{fault_id}', call)
}

/** Shows a fault as if it began at another time. */
export function movedFault(staged: StagedFault, begin: number): FaultState {
  const by = Math.max(begin, page.now.peek()) - Date.parse(staged.begins_at)
  const later = (at: string) => new Date(Date.parse(at) + by).toISOString()
  return {
    ...staged,
    begins_at: later(staged.begins_at),
    ...(staged.ends_at !== undefined && { ends_at: later(staged.ends_at) }),
  }
}
