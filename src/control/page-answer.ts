import { corsHeaders } from '../server/cors.js'
import { encode } from '../server/encode.js'
import type { Answer, Exchange } from '../server/exchange.js'
import { createRandom, type Random } from '../store/random.js'
import type { World } from '../store/world.js'
import type { Html } from './html.js'
import { contentSecurityPolicy } from './layout.js'
import type { PageContext, PageMock } from './page-context.js'

const encoder = new TextEncoder()

/** A page for people. No other page may read it, frame it, or run a script in it. */
export function htmlAnswer(
  page: Html,
  { exchange, mock, status = 200 }: { exchange: Exchange; mock: PageMock; status?: number },
): Answer {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    ...ownHeaders(mock.world),
  }
  return sent({ ...encode(undefined, { status, headers }), body: encoder.encode(page.html) }, exchange)
}

/** A JSON answer that holds tokens: pages of other origins may not read it. */
export function privateAnswer(value: object, { exchange, mock }: { exchange: Exchange } & PageContext): Answer {
  return sent(encode(value, { status: 200, headers: ownHeaders(mock.world) }), exchange)
}

/** A JSON answer that allowed origins may read. */
export function publicAnswer(value: object, context: { exchange: Exchange } & PageContext): Answer {
  const { exchange, mock, corsOrigins = [] } = context
  const headers = { ...ownHeaders(mock.world), ...corsHeaders(exchange, { tables: mock.world, corsOrigins }) }
  return sent(encode(value, { status: 200, headers }), exchange)
}

function sent(answer: Answer, { method }: Exchange): Answer {
  return method === 'HEAD' ? { ...answer, body: answer.body.subarray(0, 0) } : answer
}

/** Ray ids of pages are a stream of their own, so that looking at a page changes no id of the service. */
const rays = new WeakMap<World, Random>()

function ownHeaders(world: World) {
  const ray = rays.get(world) ?? createRandom(world.seed, 'page rays')
  rays.set(world, ray)
  return { 'rvt-ray-id': ray.uuid(), 'x-content-type-options': 'nosniff' }
}
