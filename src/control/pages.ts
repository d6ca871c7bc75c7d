import { type OpenApiDocument, openapi } from '../contract/openapi.js'
import { decodeSegment, deviceLinkPath } from '../contract/paths.js'
import { header, type MockRequest, type MockResponseInit } from '../server/message.js'
import type { World } from '../store/world.js'
import { jsonResponse, prefersJson } from './call.js'
import { deviceLinkPage, deviceLinkScriptHash, unknownDeviceLinkPage } from './device-link-page.js'
import { type Html, html, htmlDocument, stylesheetHash } from './html.js'
import type { WorldControl } from './world-control.js'

export interface PageContext {
  readonly mock: Pick<WorldControl, 'world' | 'tokens'>
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  /** The version of mockmaker. Default: none. */
  readonly version?: string | undefined
  /** Returns the dashboard. Default: none. */
  readonly dashboard?: (() => Dashboard) | undefined
}

/** The dashboard: a page with its style and its script inside. */
export interface Dashboard {
  readonly html: string
  /** The hashes of the style and the script, as in a content security policy. */
  readonly styleHash: string
  readonly scriptHash: string
}

/** Answers a request for a page. Returns `undefined` for other paths, and for methods other than GET and HEAD. */
export function pageFor(request: MockRequest, contextOf: () => PageContext): MockResponseInit | undefined {
  const { method, path } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (path === '/') return respondHome(request, contextOf())
  if (path === '/openapi.json') {
    const { url, version } = contextOf()
    return jsonResponse(openapiAt(url, version), 'allowed origins')
  }
  if (!path.startsWith(deviceLinkPath)) return undefined
  const token = path.slice(deviceLinkPath.length)
  return token === '' || token.includes('/') ? undefined : respondDeviceLink(decodeSegment(token), contextOf())
}

let cached: { readonly version: string | undefined; readonly document: OpenApiDocument } | undefined

/** Returns the OpenAPI document of a server. Caches it, because its creation takes several ms. */
function openapiAt(url: string, version: string | undefined): OpenApiDocument {
  if (!cached || cached.version !== version) cached = { version, document: openapi({ version }) }
  const { openapi: standard, info, ...rest } = cached.document
  return { openapi: standard, info, servers: [{ url }], ...rest }
}

function respondHome(request: MockRequest, { mock, url, version, dashboard }: PageContext): MockResponseInit {
  const { world, tokens } = mock
  if (!prefersJson(header(request, 'accept')))
    return dashboard ? dashboardResponse(dashboard()) : htmlResponse(plainHomePage(world, url))
  return jsonResponse({ name: 'mockmaker', version, scenario: world.title, url, tokens }, 'this origin')
}

function respondDeviceLink(token: string, { mock }: PageContext): MockResponseInit {
  const link = mock.world.deviceLinks.get(token)
  return link ? htmlResponse(deviceLinkPage(link, mock)) : htmlResponse(unknownDeviceLinkPage(token), 404)
}

/** Allows one style and one script, and calls to the page's own origin. */
function contentSecurityPolicy({ styleHash, scriptHash }: Pick<Dashboard, 'styleHash' | 'scriptHash'>): string {
  return [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    `script-src '${scriptHash}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const pagePolicy = contentSecurityPolicy({ styleHash: stylesheetHash, scriptHash: deviceLinkScriptHash })

const encoder = new TextEncoder()

/** A response with a page. Other pages may not read it, frame it, or run a script in it. */
function htmlResponse({ html }: Html, status = 200, policy = pagePolicy): MockResponseInit {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { status, headers, body: encoder.encode(html), cors: 'this origin' }
}

function dashboardResponse(dashboard: Dashboard): MockResponseInit {
  return htmlResponse(dashboard, 200, contentSecurityPolicy(dashboard))
}

/** The page at `/` if there is no dashboard: in-process, and where the control API does not answer. */
function plainHomePage({ title }: World, url: string): Html {
  const main = html`<main class="narrow">
<p class="mark">mockmaker</p>
<h1 dir="auto">${title}</h1>
<p class="address">${url}</p>
<div class="card">
<p>There is no dashboard here. It needs the control API, which is off, or does not answer this machine.</p>
<p>All operations as an OpenAPI document: <a href="openapi.json">openapi.json</a></p>
</div>
</main>`
  return htmlDocument({ title, main })
}
