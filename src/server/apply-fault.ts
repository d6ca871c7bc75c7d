import { type FaultError, statusOf } from '../contract/faults.js'
import { durationMs } from '../lib/time.js'
import type { LiveWorld } from '../store/world.js'
import type { Strike, WorldFaults } from './faults.js'
import { HeldRequest } from './held-request.js'
import type { MockResponse, RequestContext } from './message.js'
import { InjectedDisconnect, InjectedError, type Responder } from './respond.js'
import { ClientGone } from './watch.js'

interface FaultOptions {
  readonly world: LiveWorld
  readonly responder: Responder
  readonly faults: WorldFaults
  /** Answers the request as usual. Never throws or rejects. */
  answer(context: RequestContext): MockResponse | Promise<MockResponse>
}

/** Applies the first matching fault to a request. Never throws or rejects. */
export function applyFault(context: RequestContext, options: FaultOptions): MockResponse | Promise<MockResponse> {
  const { responder, faults, answer } = options
  try {
    const strike = faults.strike(context.request, () => ({
      cause: { kind: 'request', request: responder.rayIdOf(context), operation: context.operation },
      revisions: context.revisions,
    }))
    return strike ? applyEffect(strike, context, options) : answer(context)
  } catch (error) {
    return responder.fail(context, error)
  }
}

function applyEffect(
  strike: Strike,
  context: RequestContext,
  options: FaultOptions,
): MockResponse | Promise<MockResponse> {
  const { responder, answer } = options
  const { id, request, effect } = strike
  const { error, reset, hold, spurious } = effect
  context.operation = request.operation
  context.caller = request.caller
  context.fault = { id, effect: Object.keys(effect).join() }
  if (error) return responder.fail(context, injectedError(error, id))
  if (hold || strike.delayMs !== undefined) return holdRequest(strike, context, options)
  if (spurious === undefined) return responder.fail(context, new InjectedDisconnect(reset ? 'reset' : 'empty'))
  context.longestBlockMs = durationMs(spurious)
  return answer(context)
}

function injectedError(error: FaultError, id: string): InjectedError {
  const { code = 'ERROR', message = `fault ${id} of this mock injected this error`, metadata } = error
  return new InjectedError({ code, message, ...(metadata === undefined ? {} : { metadata }) }, statusOf(error))
}

/** Answers a request after its delay or, without a delay, when the fault is released. */
function holdRequest(
  { id, delayMs: ms }: Strike,
  context: RequestContext,
  { world, responder, faults, answer }: FaultOptions,
): MockResponse | Promise<MockResponse> {
  const end = (heldForMs: number) => {
    context.fault = { id, effect: ms === undefined ? 'held' : `delayed ${heldForMs} ms` }
  }
  if (faults.isClosed || ms === 0) {
    end(0)
    return answer(context)
  }
  return new Promise(resolve => {
    const held = new HeldRequest(world, faults.heldBy(id), context.request.signal?.(), {
      ms,
      release(heldForMs) {
        end(heldForMs)
        resolve(answer(context))
      },
      abort(heldForMs) {
        end(heldForMs)
        resolve(responder.fail(context, new ClientGone('the client has disconnected')))
      },
    })
    held.begin()
  })
}
