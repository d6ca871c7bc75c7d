import { durationMs } from '../contract/duration.js'
import { type FaultError, statusOf } from '../contract/fault.js'
import { operations } from '../contract/operations.js'
import type { LiveWorld } from '../store/world.js'
import type { Answer } from './exchange.js'
import type { ExchangeProgress } from './exchange-progress.js'
import type { Strike, WorldFaults } from './faults.js'
import type { Finisher } from './finish.js'
import { Held } from './held.js'
import { BrokenOff, MadeUpFailure } from './made-up.js'
import { ClientGone } from './watch.js'

type Answered = Answer | Promise<Answer>

/** Who answers where a fault lets an exchange go on. */
interface Afflicting {
  readonly world: LiveWorld
  readonly finisher: Finisher
  readonly faults: WorldFaults
  goOn(progress: ExchangeProgress): Answered
}

/** An exchange that meets a fault. */
interface Struck extends Afflicting {
  readonly progress: ExchangeProgress
}

/** Applies the first matching fault to a request. Never throws or rejects, if `goOn` does not. */
export function afflict(progress: ExchangeProgress, afflicting: Afflicting): Answered {
  const { finisher, faults, goOn } = afflicting
  try {
    const strike = faults.strike(progress.exchange)
    return strike ? struckBy(strike, { ...afflicting, progress }) : goOn(progress)
  } catch (error) {
    return finisher.fail(progress, error)
  }
}

function struckBy({ fault, request }: Strike, afflicting: Struck): Answered {
  const { finisher, faults, goOn, progress } = afflicting
  const { delay, error, reset, hold, spurious } = fault.given.effect
  progress.operation = request.operation
  progress.caller = request.caller
  progress.fault = { id: fault.id, effect: Object.keys(fault.given.effect).join() }
  if (error) return finisher.fail(progress, failureOf(error, fault.id))
  if (delay !== undefined) return held({ ...afflicting, fault, request, ms: faults.delayMs(delay) })
  if (hold) return held({ ...afflicting, fault, request, ms: undefined })
  if (spurious === undefined) return finisher.fail(progress, new BrokenOff(reset ? 'reset' : 'empty'))
  progress.longestBlockMs = durationMs(spurious)
  return goOn(progress)
}

/** A failure of a fault's; what it does not say of itself is filled in. */
function failureOf(error: FaultError, id: string): MadeUpFailure {
  const { code = 'ERROR', message = `fault ${id} of this mock made this failure up`, metadata } = error
  return new MadeUpFailure({ code, message, ...(metadata === undefined ? {} : { metadata }) }, statusOf(error))
}

/** For how long to hold, in ms of the world's clock; `undefined` until the fault lets go. */
type Holding = Struck & Strike & { readonly ms: number | undefined }

function held({ world, finisher, faults, goOn, progress, fault, request, ms }: Holding): Answered {
  const wasHeld = (heldForMs: number) => {
    progress.fault = { id: fault.id, effect: ms === undefined ? 'held' : `delayed ${heldForMs} ms` }
  }
  if (faults.closed || ms === 0) {
    wasHeld(0)
    return goOn(progress)
  }
  const writes = request.operation !== undefined && operations[request.operation].kind === 'write'
  return new Promise(resolve =>
    new Held({
      clock: world.clock,
      ms,
      signal: progress.exchange.signal?.(),
      among: fault.held,
      goOn(heldForMs) {
        wasHeld(heldForMs)
        resolve(goOn(progress))
      },
      // The turn behind its own.
      landed: async () => (writes ? world.write(() => {}) : undefined),
      gone(heldForMs) {
        wasHeld(heldForMs)
        resolve(finisher.fail(progress, new ClientGone('the client has gone')))
      },
    }).begin(),
  )
}
