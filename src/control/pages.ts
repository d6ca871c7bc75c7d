import { openapi } from '../contract/openapi.js'
import { type Answer, type Exchange, header } from '../server/exchange.js'
import { prefersJson } from './accept.js'
import { deviceLinkPage, unknownDeviceLinkPage } from './device-link-page.js'
import { homePage } from './home-page.js'
import { htmlAnswer, privateAnswer, publicAnswer } from './page-answer.js'
import type { PageContext } from './page-context.js'

/** Answers the pages for people; `undefined` where the path is none of them, or the method neither GET nor HEAD. */
export function answerPage(exchange: Exchange, context: PageContext): Answer | undefined {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined
  if (exchange.path === '/') return home(exchange, context)
  if (exchange.path === '/openapi.json') {
    const { url: serverUrl, version } = context
    return publicAnswer(openapi({ serverUrl, version }), { exchange, ...context })
  }
  const [, token] = deviceLinkPath.exec(exchange.path) ?? []
  return token === undefined ? undefined : deviceLink(decoded(token), { exchange, ...context })
}

const deviceLinkPath = /^\/devices\/link\/([^/]+)$/

function home(exchange: Exchange, context: PageContext): Answer {
  const { mock, url, version } = context
  if (!prefersJson(header(exchange, 'accept'))) return htmlAnswer(homePage(context), { exchange, mock })
  const { world, tokens } = mock
  return privateAnswer({ name: 'mockmaker', version, scenario: world.title, url, tokens }, { exchange, ...context })
}

function deviceLink(token: string, { exchange, mock }: { exchange: Exchange } & PageContext): Answer {
  const link = mock.world.deviceLinks.get(token)
  if (link) return htmlAnswer(deviceLinkPage(link, mock), { exchange, mock })
  return htmlAnswer(unknownDeviceLinkPage(token), { exchange, mock, status: 404 })
}

/** A token as it was meant; as it was sent where its percent-encoding is broken. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
