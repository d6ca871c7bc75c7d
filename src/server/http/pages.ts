import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { dashboard, deviceLink } from '#lazy'
import { type OpenApiDocument, openapi } from '../../core/contract/openapi.js'
import { decodeSegment, deviceLinkPath } from '../../core/contract/paths.js'
import { acceptsGzip, jsonResponse, prefersJson } from '../../core/control/call.js'
import { header, type MockRequest, type MockResponseInit } from '../../core/pipeline/message.js'
import { version } from '../../version.js'
import { deviceLinkMain, type PagedWorld, unknownDeviceLinkMain } from './device-link-page.js'

export interface PageContext {
  readonly mock: PagedWorld
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  /** True if the dashboard works: it needs the control API. */
  readonly hasDashboard: boolean
  /** True if the JSON at `/` must not show the tokens of the world. */
  readonly hidesTokens: boolean
}

/** Tells whether a request with this method and path is for a page. */
export function isForPage(method: string, path: string): boolean {
  const isPath = path === '/' || path === '/openapi.json' || path.startsWith(deviceLinkPath)
  return isPath && (method === 'GET' || method === 'HEAD')
}

/** Answers a request for a page. Returns `undefined` for other paths, and for methods other than GET and HEAD. */
export function pageFor(request: MockRequest, contextOf: () => PageContext): MockResponseInit | undefined {
  const { method, path } = request
  if (!isForPage(method, path)) return undefined
  if (path === '/') return respondHome(request, contextOf())
  if (path === '/openapi.json') return jsonResponse(openapiAt(contextOf().url), 'allowed origins')
  const token = path.slice(deviceLinkPath.length)
  return token === '' || token.includes('/') ? undefined : respondDeviceLink(decodeSegment(token), contextOf())
}

let document: OpenApiDocument | undefined

function openapiAt(url: string): OpenApiDocument {
  // This URL only gives its key a place.
  document ??= openapi({ version, serverUrl: url })
  return { ...document, servers: [{ url }] }
}

function respondHome(request: MockRequest, { mock, url, hasDashboard, hidesTokens }: PageContext): MockResponseInit {
  const { world, tokens } = mock
  if (prefersJson(header(request, 'accept'))) {
    const home = { name: 'mockmaker', version, scenario: world.title, url, ...(hidesTokens ? {} : { tokens }) }
    return varied(jsonResponse(home, 'this origin'))
  }
  if (hasDashboard) return dashboardPage(request)
  const text = `${world.title}
${url}

There is no dashboard here. It needs the control API, which is off, or does not answer this machine.
All operations as an OpenAPI document: ${url}/openapi.json
`
  return varied(bytesResponse('text/plain', encoder.encode(text)))
}

/** A response with the dashboard, which is the same for all worlds. Clients that take gzip get it as the package has it. */
export function dashboardPage(request: MockRequest): MockResponseInit {
  const page = readPage('dashboard')
  if (!acceptsGzip(header(request, 'accept-encoding'))) return varied(htmlResponse(page, page.bytes))
  const { headers, ...response } = htmlResponse(page, page.gzip)
  return varied({ ...response, headers: { ...headers, 'content-encoding': 'gzip' } })
}

/** The answers at `/` depend on more headers than others do. HEAD tells the length of GET. */
function varied({ headers, body, ...response }: MockResponseInit): MockResponseInit {
  const more = { vary: 'Origin, Accept, Accept-Encoding', 'content-length': `${body.length}` }
  return { ...response, body, headers: { ...headers, ...more } }
}

function respondDeviceLink(token: string, { mock }: PageContext): MockResponseInit {
  const link = mock.world.deviceLinks.get(token)
  const main = link ? deviceLinkMain(link, mock) : unknownDeviceLinkMain(token)
  const page = readPage('deviceLink')
  // A function, because a replacement text may not contain `$&`.
  const html = page.html.replace('<!-- main -->', () => main.html)
  return htmlResponse(page, encoder.encode(html), link ? 200 : 404)
}

interface BuiltPage {
  readonly gzip: Uint8Array<ArrayBuffer>
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly html: string
  /** The hashes of the style and the script, as in a content security policy. */
  readonly styleHash: string
  readonly scriptHash: string
}

const encoder = new TextEncoder()

const pages = { dashboard, deviceLink }

const read = new Map<string, BuiltPage>()

/** Reads a page from the package on its first request: most mocks are never looked at. */
function readPage(name: keyof typeof pages): BuiltPage {
  const known = read.get(name)
  if (known) return known
  const gzip = Buffer.from(pages[name](), 'base64')
  const bytes = gunzipSync(gzip)
  const html = bytes.toString()
  const hashOf = (element: string) => {
    const [, text = ''] = new RegExp(`<${element}>(.*)</${element}>`, 's').exec(html) ?? []
    return `sha256-${createHash('sha256').update(text).digest('base64')}`
  }
  const page = { gzip, bytes, html, styleHash: hashOf('style'), scriptHash: hashOf('script') }
  read.set(name, page)
  return page
}

function htmlResponse(
  { styleHash, scriptHash }: BuiltPage,
  body: MockResponseInit['body'],
  status = 200,
): MockResponseInit {
  const policy = [
    "default-src 'none'",
    `style-src '${styleHash}'`,
    `script-src '${scriptHash}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  const { headers, ...response } = bytesResponse('text/html', body)
  return { ...response, status, headers: { ...headers, 'content-security-policy': policy.join('; ') } }
}

function bytesResponse(type: 'text/html' | 'text/plain', body: MockResponseInit['body']): MockResponseInit {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, body, cors: 'this origin' }
}
