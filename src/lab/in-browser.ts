import { UsageError } from '../core/lib/messages.js'

// Bundlers of pages get this file for `#lab`.

/** Rejects with `UsageError`. */
export async function checkFunctionClient(): Promise<never> {
  throw new UsageError('lab needs Node, because it opens ports: call it in a test in Node')
}
