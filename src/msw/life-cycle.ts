import type { ResetOptions } from '../core/control/world-control.js'
import { startPage, UsageError } from '../core/lib/messages.js'
import type { Mock } from '../core/mock/mock.js'
import { checkHandlers } from './handlers.js'

interface Msw {
  readonly events: unknown
  use(...handlers: never[]): void
  resetHandlers(...handlers: never[]): void
  restoreHandlers(): void
}

/** The methods of MSW that a Mockmaker has too. */
export type MswMethods<Setup extends Msw> = Pick<Setup, keyof Msw>

/** The mock that listens in this process or page. The key is the same in every copy of the package. */
const listeningKey = Symbol.for('mockmaker.listening')
const shared = globalThis as { [listeningKey]?: object | undefined } // no other code uses the key

/**
 * Combines the methods of a mock with those of MSW: `reset` and `close` do both. Call `claimListening(mock.default)` before MSW
 * starts. `stop` is called only while that claim holds, because MSW 3 throws if nothing runs.
 */
export function combineWithMsw<Setup extends Msw>(mock: Mock, msw: Setup, stop: () => unknown) {
  const owner = mock.default
  const methods: MswMethods<Setup> = {
    events: msw.events,
    use(...handlers) {
      checkHandlers('use', handlers)
      msw.use(...handlers)
    },
    resetHandlers(...handlers) {
      checkHandlers('resetHandlers', handlers)
      msw.resetHandlers(...handlers)
    },
    restoreHandlers: msw.restoreHandlers.bind(msw),
  }
  return {
    ...methods,
    async reset(options?: ResetOptions) {
      msw.resetHandlers()
      await owner.usable().reset(options)
    },
    async close() {
      try {
        await mock.close()
      } finally {
        if (listening() === owner) await stop()
        releaseListening(owner)
      }
    },
  }
}

/** Notes who listens in this process or page. Throws `UsageError` if somebody does already. */
export function claimListening(owner: object): void {
  const other = listening()
  if (other === owner)
    throw new UsageError(
      `this mock listens already: call listen() once, and close() before the next time. Code that runs twice, as an effect in StrictMode does, keeps the first: started ??= mock.listen(). ${startPage}`,
    )
  if (other !== undefined)
    throw new UsageError(
      `another mock listens already: await its close() first, or give it the handlers of this one, with use(...mock.handlers). Code that runs twice, as an effect in StrictMode does, keeps the first, in a variable outside: started ??= start(). In a test of mockmaker/vitest and in a story, use the mock that they have. ${startPage}`,
    )
  shared[listeningKey] = owner
}

/** Returns who listens in this process or page. */
export function listening(): object | undefined {
  return shared[listeningKey]
}

export function releaseListening(owner: object): void {
  if (listening() === owner) delete shared[listeningKey]
}
