import { AsyncLocalStorage } from 'node:async_hooks'

const probe = new AsyncLocalStorage<object>()

/**
 * Tells whether the global promises run their callbacks in the asynchronous context of the code that waits for them. Those of
 * zone.js, and of other libraries that replace `Promise`, run all callbacks of a turn in the context of the first one.
 */
export async function promisesKeepContext(): Promise<boolean> {
  const settled = Promise.resolve()
  const isKept = (own: object) => probe.run(own, () => settled.then(() => probe.getStore() === own))
  return (await Promise.all([isKept({}), isKept({})])).every(Boolean)
}

/** Says why nothing else may run at the same time. Ends a sentence. */
export const contextIsLost =
  'the global Promise is that of zone.js or of another library, and loses the context of a request, so nothing tells whose it is'
