import { type Call, type CallOrigin, type Execute, outputNow } from '../../../src/core/pipeline/execute.js'
import { Blocked } from '../../../src/core/pipeline/reads.js'

/** Executes a call, and waits for its output if it blocks. Throws what the call throws. */
export function executeCall(execute: Execute, call: Call): unknown {
  const origin: CallOrigin = {
    request: { method: 'GET', path: '/', headers: {} },
    rayId: 'ray',
    revisions: [],
    longestBlockMs: undefined,
    block: blocked => blocked.begin(undefined),
  }
  const outcome = execute(call, origin)
  return outcome instanceof Blocked ? origin.block(outcome).then(outputNow) : outputNow(outcome)
}
