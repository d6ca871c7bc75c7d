import type { OpenApiDocument } from '../contract/openapi.js'
import { openapi } from '../contract/openapi.js'
import { deviceLinkPath } from '../contract/paths.js'
import { header, type MockRequest, type MockResponseInit } from '../server/message.js'
import { decodeSegment } from '../server/routes.js'
import { prefersJson } from './accept.js'
import { deviceLinkPage, unknownDeviceLinkPage } from './device-link-page.js'
import { homePage } from './home-page.js'
import { htmlPage, jsonPage } from './page-answer.js'
import type { PageContext } from './page-context.js'

/** The page for people that a request wants; `undefined` where the path is none of them, or the method neither GET nor HEAD. */
export function pageFor(exchange: MockRequest, contextOf: () => PageContext): MockResponseInit | undefined {
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined
  if (exchange.path === '/') return home(exchange, contextOf())
  if (exchange.path === '/openapi.json') {
    const { url, version } = contextOf()
    return jsonPage(openapiAt(url, version), 'allowed origins')
  }
  if (!exchange.path.startsWith(deviceLinkPath)) return undefined
  const token = exchange.path.slice(deviceLinkPath.length)
  return token === '' || token.includes('/') ? undefined : deviceLink(decodeSegment(token), contextOf())
}

let made: { readonly version: string | undefined; readonly document: OpenApiDocument } | undefined

/** The OpenAPI document of a server. It is made once, because that takes several ms. */
function openapiAt(url: string, version: string | undefined): OpenApiDocument {
  if (!made || made.version !== version) made = { version, document: openapi({ version }) }
  const { openapi: standard, info, ...rest } = made.document
  return { openapi: standard, info, servers: [{ url }], ...rest }
}

function home(exchange: MockRequest, context: PageContext): MockResponseInit {
  const { mock, url, version } = context
  if (!prefersJson(header(exchange, 'accept'))) return htmlPage(homePage(context))
  const { world, tokens } = mock
  return jsonPage({ name: 'mockmaker', version, scenario: world.title, url, tokens }, 'this origin')
}

function deviceLink(token: string, { mock }: PageContext): MockResponseInit {
  const link = mock.world.deviceLinks.get(token)
  return link ? htmlPage(deviceLinkPage(link, mock)) : htmlPage(unknownDeviceLinkPage(token), 404)
}
