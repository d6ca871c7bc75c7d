import { type FaultError, statusOf } from '../contract/faults.js'
import { operations } from '../contract/operations.js'
import { durationMs } from '../lib/time.js'
import type { LiveWorld } from '../store/world.js'
import type { Strike, WorldFaults } from './faults.js'
import { Held } from './held.js'
import type { MockResponse, RequestContext } from './message.js'
import type { Responder } from './respond.js'
import { InjectedDisconnect, InjectedError } from './respond.js'
import { ClientGone } from './watch.js'

type Answered = MockResponse | Promise<MockResponse>

/** Who answers where a fault lets a request go on. */
interface Afflicting {
  readonly world: LiveWorld
  readonly responder: Responder
  readonly faults: WorldFaults
  goOn(context: RequestContext): Answered
}

/** A request that meets a fault. */
interface Struck extends Afflicting {
  readonly context: RequestContext
}

/** Applies the first matching fault to a request. Never throws or rejects, if `goOn` does not. */
export function afflict(context: RequestContext, afflicting: Afflicting): Answered {
  const { responder, faults, goOn } = afflicting
  try {
    const strike = faults.strike(context.request)
    return strike ? struckBy(strike, { ...afflicting, context }) : goOn(context)
  } catch (error) {
    return responder.fail(context, error)
  }
}

function struckBy({ fault, request }: Strike, afflicting: Struck): Answered {
  const { responder, faults, goOn, context } = afflicting
  const { delay, error, reset, hold, spurious } = fault.given.effect
  context.operation = request.operation
  context.caller = request.caller
  context.fault = { id: fault.id, effect: Object.keys(fault.given.effect).join() }
  if (error) return responder.fail(context, failureOf(error, fault.id))
  if (delay !== undefined) return held({ ...afflicting, fault, request, ms: faults.delayMs(delay) })
  if (hold) return held({ ...afflicting, fault, request, ms: undefined })
  if (spurious === undefined) return responder.fail(context, new InjectedDisconnect(reset ? 'reset' : 'empty'))
  context.longestBlockMs = durationMs(spurious)
  return goOn(context)
}

/** A failure of a fault's; what it does not say of itself is filled in. */
function failureOf(error: FaultError, id: string): InjectedError {
  const { code = 'ERROR', message = `fault ${id} of this mock made this failure up`, metadata } = error
  return new InjectedError({ code, message, ...(metadata === undefined ? {} : { metadata }) }, statusOf(error))
}

/** For how long to hold, in ms of the world's clock; `undefined` until the fault lets go. */
type Holding = Struck & Strike & { readonly ms: number | undefined }

function held({ world, responder, faults, goOn, context, fault, request, ms }: Holding): Answered {
  const wasHeld = (heldForMs: number) => {
    context.fault = { id: fault.id, effect: ms === undefined ? 'held' : `delayed ${heldForMs} ms` }
  }
  if (faults.closed || ms === 0) {
    wasHeld(0)
    return goOn(context)
  }
  const writes = request.operation !== undefined && operations[request.operation].kind === 'write'
  return new Promise(resolve =>
    new Held({
      clock: world.clock,
      ms,
      signal: context.request.signal?.(),
      among: fault.held,
      goOn(heldForMs) {
        wasHeld(heldForMs)
        resolve(goOn(context))
      },
      // The turn behind its own.
      landed: async () => (writes ? world.write(() => {}) : undefined),
      gone(heldForMs) {
        wasHeld(heldForMs)
        resolve(responder.fail(context, new ClientGone('the client has gone')))
      },
    }).begin(),
  )
}
