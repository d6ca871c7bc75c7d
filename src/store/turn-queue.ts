import { UsageError } from '../lib/usage-error.js'

/** Tells whether code runs inside a turn; each world has one of its own. Node's `AsyncLocalStorage` is one. */
export interface TurnContext {
  run<T>(store: object, turn: () => T): T
  getStore(): object | undefined
  /** Is told when a turn is over, before it lands: an `AsyncLocalStorage` costs every promise of the process while it is on. */
  disable?(): void
}

/** The turns of one world, one after the other. */
export interface TurnQueue {
  /**
   * Runs a turn after those before it and, when it is over, the function that it answers: that lands it, and may write again.
   * Throws `UsageError` inside a turn of the same world: it would wait for itself.
   */
  next<T>(turn: () => Promise<() => T>): Promise<T>
  /** Whether it is called from inside a turn, as far as the context can tell. */
  readonly isInside: boolean
  /** Throws as `next` does. */
  checkOutside(): void
}

/** A queue that goes on after a turn that failed. The context tells it what runs inside one. */
export function createTurnQueue(context: TurnContext): TurnQueue {
  let last: Promise<unknown> = Promise.resolve()
  let current: object | undefined
  const isInside = () => current !== undefined && context.getStore() === current
  const checkOutside = () => {
    if (!isInside()) return
    throw new UsageError(
      'a write to a world from inside a turn of it would wait for itself: write through the tables that the turn is given',
    )
  }
  return {
    get isInside() {
      return isInside()
    },
    checkOutside,
    next(turn) {
      checkOutside()
      const result = last.then(async () => {
        const store = {}
        current = store
        const land = await context.run(store, turn).finally(() => {
          current = undefined
          context.disable?.()
        })
        return land()
      })
      last = result.catch(() => {})
      // A promise of its own, so that a failure that nobody waits for is reported as unhandled.
      return result.then(value => value)
    },
  }
}

/** Knows only the synchronous part of a turn: all that can be known where there is no `AsyncLocalStorage`, as in browsers. */
export function createSyncContext(): TurnContext {
  let current: object | undefined
  return {
    run(store, turn) {
      current = store
      try {
        return turn()
      } finally {
        current = undefined
      }
    },
    getStore: () => current,
  }
}
