import { type OpenApiDocument, openapi } from '../contract/openapi.js'
import { deviceLinkPath } from '../contract/paths.js'
import { header, type MockRequest, type MockResponseInit } from '../server/message.js'
import { decodeSegment } from '../server/routes.js'
import { deviceLinkPage, deviceLinkScriptHash, unknownDeviceLinkPage } from './device-link-page.js'
import { homePage } from './home-page.js'
import { type Html, stylesheetHash } from './html.js'
import { jsonResponse, prefersJson } from './responses.js'
import type { WorldControl } from './world-control.js'

/** The world that the pages show, and their place. */
export interface PageContext {
  readonly mock: Pick<WorldControl, 'world' | 'tokens'>
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  /** The version of mockmaker. Default: left out. */
  readonly version?: string | undefined
}

/** Answers with a page. Returns `undefined` for other paths, and for methods other than GET and HEAD. */
export function pageFor(request: MockRequest, contextOf: () => PageContext): MockResponseInit | undefined {
  const { method, path } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (path === '/') return home(request, contextOf())
  if (path === '/openapi.json') {
    const { url, version } = contextOf()
    return jsonResponse(openapiAt(url, version), 'allowed origins')
  }
  if (!path.startsWith(deviceLinkPath)) return undefined
  const token = path.slice(deviceLinkPath.length)
  return token === '' || token.includes('/') ? undefined : deviceLink(decodeSegment(token), contextOf())
}

let cached: { readonly version: string | undefined; readonly document: OpenApiDocument } | undefined

/** Returns the OpenAPI document of a server. It is cached, because it takes several ms to make. */
function openapiAt(url: string, version: string | undefined): OpenApiDocument {
  if (!cached || cached.version !== version) cached = { version, document: openapi({ version }) }
  const { openapi: standard, info, ...rest } = cached.document
  return { openapi: standard, info, servers: [{ url }], ...rest }
}

function home(request: MockRequest, { mock, url, version }: PageContext): MockResponseInit {
  if (!prefersJson(header(request, 'accept'))) return htmlResponse(homePage(mock, url))
  const { world, tokens } = mock
  return jsonResponse({ name: 'mockmaker', version, scenario: world.title, url, tokens }, 'this origin')
}

function deviceLink(token: string, { mock }: PageContext): MockResponseInit {
  const link = mock.world.deviceLinks.get(token)
  return link ? htmlResponse(deviceLinkPage(link, mock)) : htmlResponse(unknownDeviceLinkPage(token), 404)
}

/** Allows the style and the script of our pages, and calls to their own origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${stylesheetHash}'`,
  `script-src '${deviceLinkScriptHash}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const encoder = new TextEncoder()

/** A page for people. No other page may read it, frame it, or run a script in it. */
function htmlResponse({ html }: Html, status = 200): MockResponseInit {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { status, headers, body: encoder.encode(html), cors: 'this origin' }
}
