import type { HttpHandler } from 'msw'
import type { OperationId } from './contract/operations.js'
import type { SteeringResetOptions } from './control/steering.js'
import { extended } from './extended.js'
import type { Mock } from './mock.js'
import type { MockOptions } from './mock-options.js'
import { createHandler, createHandlers } from './server/handlers.js'
import { checkResolver, type OverrideResolver } from './server/resolvers.js'

/** How a Mockmaker is made. Everything is optional. */
export interface MockmakerOptions extends MockOptions {
  /**
   * What the handlers match: an origin (`https://matchmaker.example`), `*` for any, or none for the page's own, with a
   * path in front if wanted (`/api`). Default `*`. Anything else throws `UsageError`.
   */
  readonly baseUrl?: string | undefined
}

/** A mock with its MSW handlers. */
export interface Mockmaker extends Omit<Mock, 'overridden' | 'entry'> {
  /** One for each operation: for `setupServer(...)`, `setupWorker(...)` and `mockExpress(...)`. */
  readonly handlers: HttpHandler[]
  /**
   * Makes an MSW handler that answers one operation by a resolver, in every world, for those who put handlers together:
   * it does nothing until `use`, `setupServer` or `mockExpress` has it. Where that is not needed, use `on`. Throws
   * `UsageError` where there is no such operation.
   */
  override<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): HttpHandler
}

/** A mock with MSW handlers over it. */
export function withHandlers(mock: Mock, { baseUrl = '*' }: MockmakerOptions): Mockmaker {
  return extended(mock, {
    handlers: createHandlers({ baseUrl, ...mock.entry(world => world.answer) }),
    override(id, resolver) {
      checkResolver(id, resolver)
      return createHandler(id, { baseUrl, ...mock.entry(world => world.overridden(id, resolver)) })
    },
  } satisfies Pick<Mockmaker, 'handlers' | 'override'>)
}

/** What MSW's server and its worker have in common. */
interface Msw {
  readonly events: unknown
  use(...handlers: never[]): void
  resetHandlers(...handlers: never[]): void
  restoreHandlers(): void
}

/** The calls of MSW that a Mockmaker passes on. */
export type PassedOn<Setup extends Msw> = Pick<Setup, keyof Msw>

/** MSW's server or worker, and how it ends. */
interface Ridden<Setup extends Msw> {
  readonly msw: Setup
  stop(): unknown
}

/** The calls of a Mockmaker that are also MSW's; `listens` is to be called when MSW has begun to answer. */
export function ridingOn<Setup extends Msw>(mock: Pick<Mock, 'reset' | 'close'>, { msw, stop }: Ridden<Setup>) {
  const { events, use, resetHandlers, restoreHandlers } = msw
  let listening = false
  const passedOn: PassedOn<Setup> = {
    events,
    use: use.bind(msw),
    resetHandlers: resetHandlers.bind(msw),
    restoreHandlers: restoreHandlers.bind(msw),
  }
  return {
    listens() {
      listening = true
    },
    calls: {
      ...passedOn,
      async reset(options?: SteeringResetOptions) {
        msw.resetHandlers()
        await mock.reset(options)
      },
      async close() {
        await mock.close()
        // MSW 3 throws where nothing is to be stopped, and may answer a promise.
        if (listening) await stop()
        listening = false
      },
    },
  }
}

/** How MSW begins to answer. */
export interface ListenOptions {
  /** What becomes of a request that no handler matches. Default: MSW's, a warning. */
  readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' | undefined
}

/** The option under the names that it has in both majors of MSW. */
export function unhandled({ onUnhandledRequest: strategy }: ListenOptions = {}) {
  return strategy === undefined ? {} : { onUnhandledRequest: strategy, onUnhandledFrame: strategy }
}
