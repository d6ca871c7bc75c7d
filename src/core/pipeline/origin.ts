import { ApiError } from '../contract/errors.js'
import { quoted, shortened, startPage } from '../lib/messages.js'
import { parseUrl, redactCredentials } from '../lib/url.js'
import type { Tables } from '../store/model.js'
import type { NamespaceRow } from '../store/rows.js'
import { type CorsPolicy, header, type MockRequest } from './message.js'

/** The origins that a mock allows: loopback, the pages of its namespaces, and `corsOrigins`. */
export interface AllowedOrigins {
  readonly tables: Tables
  readonly corsOrigins: readonly string[]
}

/** Tells whether pages of an origin may read the responses (PROTOCOL.md B9). */
export function isAllowedOrigin(origin: string, { tables, corsOrigins }: AllowedOrigins): boolean {
  const isListed = corsOrigins.some(allowed => normalizeOrigin(allowed) === origin.toLowerCase())
  return isLoopbackOrigin(origin) || isListed || namespaceOfOrigin(origin, tables) !== undefined
}

/** Tells whether the page that sent a request may read the response. The page in the process of a mock is that of its user. */
export function mayRead(
  { pageOrigin }: Pick<MockRequest, 'pageOrigin'>,
  origin: string,
  allowed: AllowedOrigins,
): boolean {
  return origin === pageOrigin || isAllowedOrigin(origin, allowed)
}

/** People may write an origin in upper case, or with a slash at its end. Browsers do not. */
function normalizeOrigin(written: string): string {
  return written.replace(/\/$/, '').toLowerCase()
}

/** Tells whether a text is a possible Origin header: `https://game.example`, `null`. Allows a slash at the end. */
export function isOrigin(text: string): boolean {
  const origin = normalizeOrigin(text)
  if (/^https?:/.test(origin)) return parseUrl(origin)?.origin === origin && !origin.includes('*')
  // Apps and extensions have schemes of their own: capacitor://localhost.
  return origin === 'null' || (/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/.test(origin) && parseUrl(origin) !== undefined)
}

/** Tells whether an origin is on this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`, with any scheme and port. */
function isLoopbackOrigin(origin: string): boolean {
  return isLoopbackHost(originHost(origin) ?? '')
}

/** Tells whether a host name is this machine. `host` has no port. */
export function isLoopbackHost(host: string): boolean {
  return /^([\w-]+\.)*localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/i.test(host)
}

/** Returns the IP address of the client on the connection. An IPv6 socket shows an IPv4 address as `::ffff:127.0.0.1`. */
export function connectionAddress({ address = '127.0.0.1' }: Pick<MockRequest, 'address'>): string {
  return withoutMapping(address)
}

/** Turns an IPv4 address in the form of IPv6 into its usual form. */
export function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** The headers that proxies add. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

function proxyHeaderOf({ headers }: Pick<MockRequest, 'headers'>): string | undefined {
  return proxyHeaders.find(name => headers[name] !== undefined)
}

/** The client in a header, if a proxy does not tell its address (RFC 7239 § 6.2). */
export const unknownClient = 'unknown'

function clientAddress(request: Pick<MockRequest, 'address' | 'forwardedFor'>): string {
  return request.forwardedFor ?? connectionAddress(request)
}

/** Tells whether an IP address is loopback: 127.0.0.0/8 or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/**
 * Finds the namespace of a page by its origin (PROTOCOL.md B3). The host is a domain of the namespace, `{game}.{cdn}` for the
 * namespace `prod`, or `{game}--{namespace}.{cdn}`. Scheme and port do not count.
 */
export function namespaceOfOrigin(origin: string, { games, namespaces, settings }: Tables): NamespaceRow | undefined {
  const host = originHost(origin)
  if (host === undefined) return undefined
  const listed = namespaces.withUnique('domains', host)
  const cdn = `.${settings.get('settings')?.cdn_domain}`
  if (listed || !host.endsWith(cdn)) return listed
  const [gameName = '', name_id = 'prod', more] = host.slice(0, -cdn.length).split('--')
  if (more !== undefined) return undefined
  const game = games.withUnique('name_id', gameName)
  return game && namespaces.withUnique('name_id', `${game.game_id}\0${name_id}`)
}

function originHost(origin: string): string | undefined {
  return parseUrl(origin)?.hostname || undefined
}

/** Returns the CORS headers of a response. There are none without an Origin, or if its pages may not read the response. */
export function corsHeaders(
  request: MockRequest,
  policy: CorsPolicy,
  allowed: AllowedOrigins,
): Record<string, string> | undefined {
  const origin = header(request, 'origin')
  if (origin === undefined || policy === 'this origin') return undefined
  if (!(policy === 'loopback' ? isLoopbackOrigin(origin) : mayRead(request, origin, allowed))) return undefined
  const requested = header(request, 'access-control-request-headers')
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': policy === 'loopback' ? 'GET, POST, PUT, PATCH, DELETE' : 'GET, POST, PUT, DELETE',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '3600',
    'access-control-expose-headers': 'rvt-ray-id, date',
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
  }
}

/** Tells whether a request with this method may change something. */
export function isUnsafeMethod(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'DELETE'
}

/** Returns how the site of the sending page relates to ours: `same-origin`, `cross-site`. Browsers set this header, and no page can. */
function fetchSiteOf(request: Pick<MockRequest, 'headers'>): string | undefined {
  return header(request, 'sec-fetch-site')?.toLowerCase()
}

/** Tells whether a page of another site sent the request, from an origin that is not allowed. */
export function isForeign(request: Pick<MockRequest, 'headers'>, allowed: AllowedOrigins): boolean {
  return fetchSiteOf(request) === 'cross-site' && !isAllowedOrigin(header(request, 'origin') ?? '', allowed)
}

/**
 * Refuses an unsafe request of a foreign page. If it looks like a form, browsers send it without a preflight, so missing
 * CORS headers would come too late. Throws `ApiError` (PROTOCOL.md B9).
 */
export function checkSite(request: Pick<MockRequest, 'method' | 'headers'>, allowed: AllowedOrigins): void {
  if (!isUnsafeMethod(request.method) || !isForeign(request, allowed)) return
  const sent = header(request, 'origin')
  const origin = sent && redactCredentials(sent)
  const sender = origin === undefined ? 'a page of another site' : `a page of ${quoted(origin)}`
  throw new ApiError(
    'API_FORBIDDEN',
    `${sender} may not change anything here: allow its origin (--cors-origin ${origin === undefined ? 'ORIGIN' : shortened(origin)}, or the option corsOrigins). ${startPage}`,
  )
}

/**
 * Refuses a call of the control API if a page of another site sent it: a large answer is work, even if the page cannot read it.
 * If the call changes something, refuses all that such a page could send without a preflight. Throws `ApiError`.
 */
export function checkControlCaller(request: Pick<MockRequest, 'method' | 'headers'>): void {
  if (request.method === 'GET' || request.method === 'HEAD') {
    // To a browser, localhost and 127.0.0.1 are different sites.
    if (!isLoopbackOrigin(header(request, 'origin') ?? '')) checkSameSite(request)
    return
  }
  const type = header(request, 'content-type')
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) {
    throw controlForbidden(
      `its content-type is ${type === undefined ? 'missing' : quoted(type)}: send "content-type: application/json", even without a body`,
    )
  }
  const origin = header(request, 'origin')
  if (origin !== undefined && !isLoopbackOrigin(origin) && !isOwnOrigin(request)) {
    throw controlForbidden(`its Origin is ${quoted(origin)}: only pages of this machine may control the mock`)
  }
  checkSameSite(request)
}

function checkSameSite(request: Pick<MockRequest, 'headers'>): void {
  if (fetchSiteOf(request) === 'cross-site')
    throw controlForbidden('a page of another site sent it: open the page under the same host name as the mock')
}

/**
 * True if a page of the host that the request names sent it. The check of the Host comes first, so the page is this mock's. Behind
 * a proxy only the client knows the scheme.
 */
export function isOwnOrigin(request: Pick<MockRequest, 'headers'>): boolean {
  const url = parseUrl(header(request, 'origin') ?? '')
  return url !== undefined && url.host === parseUrl(`${url.protocol}//${header(request, 'host')}`)?.host
}

/** True if a page of this mock sent a request. */
export function isFromOwnPage(request: Pick<MockRequest, 'headers'>): boolean {
  return fetchSiteOf(request) === 'same-origin'
}

/** Refuses a request unless a page of this mock sent it. Throws `ApiError`. */
export function checkOwnPage(request: Pick<MockRequest, 'headers'>): void {
  if (isFromOwnPage(request)) return
  const site = header(request, 'sec-fetch-site')
  throw controlForbidden(
    `its answer has whole tokens, and only the mock's own pages may read them: sec-fetch-site is ${site === undefined ? 'missing' : quoted(site)}`,
  )
}

type Sender = Pick<MockRequest, 'headers' | 'address' | 'forwardedFor'>

/**
 * True if a client may call the control API: it runs on the mock's machine, or its address is listed. A proxy or a tunnel on that
 * machine may pass on the requests of anybody, so the connection alone proves nothing then (PROTOCOL.md B9).
 */
export function mayControl(request: Sender, isListed: (address: string) => boolean): boolean {
  const address = clientAddress(request)
  const isDirect = proxyHeaderOf(request) === undefined && otherHostOf(request) === undefined
  return (isLoopbackAddress(address) && isDirect) || isListed(address)
}

/** Returns the IP address in the Host of a request, unless it leads to this machine alone. A tunnel adds no header, and leaves it. */
function otherHostOf(request: Pick<MockRequest, 'headers'>): string | undefined {
  const host = parseUrl(`http://${header(request, 'host')}`)?.hostname ?? ''
  const isOwn = isLoopbackHost(host) || host === '0.0.0.0' || host === '[::]' || /^\[::ffff:7f/.test(host)
  return ipLiteral.test(host) && !isOwn ? host : undefined
}

/** Refuses a call of the control API from another machine, unless its address is listed. Throws `ApiError`. */
function checkControlAddress(request: Sender, isListed: (address: string) => boolean): void {
  if (mayControl(request, isListed)) return
  const address = clientAddress(request)
  if (isLoopbackAddress(address)) {
    const proxyHeader = proxyHeaderOf(request)
    throw controlForbidden(
      proxyHeader === undefined
        ? `it is for the host ${otherHostOf(request)}, and came to the loopback address as through a tunnel: call http://127.0.0.1 on the mock's machine, or set a control token`
        : `it came through a proxy, as its header ${proxyHeader} shows: call http://127.0.0.1 on the mock's machine without the proxy`,
    )
  }
  // Proxies may also write another name than `unknown`.
  if (!/^[\d.]+$|:/.test(address))
    throw controlForbidden(
      `it came through a proxy, and its headers do not tell the address of its client (${shortened(address)}): let the proxy set x-forwarded-for or forwarded, and remove the other one`,
    )
  throw controlForbidden(
    `${address} is not the loopback address of the mock's machine: call http://127.0.0.1 there, or allow this client (--control-host ${address}, controlHosts of createApp, listen and the Vite plugin)`,
  )
}

/** The rules for callers of the control API. */
export interface ControlAccess {
  /** Tells which addresses of other machines may call. */
  isListed(address: string): boolean
  /** Tells whether a request has the control token. Default: there is no control token, and the address decides. */
  readonly hasToken?: ((request: Pick<MockRequest, 'headers'>) => boolean) | undefined
}

/** Refuses a call that lacks the control token. Without a token, the address counts. Throws `ApiError` (PROTOCOL.md B9). */
export function checkControlAccess(
  request: Sender & Pick<MockRequest, 'method'>,
  { isListed, hasToken }: ControlAccess,
): void {
  if (!hasToken) checkControlAddress(request, isListed)
  // Browsers send a preflight without the token.
  if (!hasToken || request.method === 'OPTIONS' || hasToken(request)) return
  const sent = header(request, 'authorization')
  throw new ApiError(
    'API_UNAUTHORIZED',
    `the control API needs the control token, and ${sent === undefined ? 'the request has none' : 'this is not it'}: send it as "authorization: Bearer <token>". The command takes it as --control-token or MOCKMAKER_CONTROL_TOKEN, the client as controlToken. ${startPage}`,
  )
}

function controlForbidden(why: string): ApiError {
  return new ApiError('API_FORBIDDEN', `the control API does not take this call, because ${why}`)
}

const ipLiteral = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

/** The form of an allowed host, for messages. */
export const hostForm = 'a name without a port, such as game.example, or .example for all names below it'

function isHost(text: string): boolean {
  return ipLiteral.test(text) || /^[\w-]+(\.[\w-]+)*\.?$/.test(text)
}

/** Tells whether a text can be an allowed host: a host, or a dot and a name, as in Vite. */
export function isAllowedHost(text: string): boolean {
  return isHost(text.replace(/^\./, ''))
}

/** Tells whether an allowed host has that name. With a dot before it, it also has the names below it. */
function hasName(allowed: string, name: string): boolean {
  return allowed.startsWith('.') ? `.${name}`.endsWith(allowed) : name === allowed
}

/**
 * Prevents DNS rebinding, by which a page of another site could reach this machine. The Host header may be `localhost`,
 * `*.localhost`, `host.docker.internal`, an IP address, or a listed name. Throws `ApiError` for any other.
 */
export function checkHost(host: string | undefined, allowedHosts: readonly string[]): void {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase()
  // Only names can be rebound, not IP addresses.
  const isAllowed = isLoopbackHost(name) || name === 'host.docker.internal' || ipLiteral.test(name)
  if (isAllowed || allowedHosts.some(listed => hasName(listed.toLowerCase(), name))) return
  throw new ApiError(
    'API_FORBIDDEN',
    `the request is for the host ${quoted(host ?? '')} (its Host header, or the URL in its first line), which this server does not answer to: use localhost, or allow it (--allowed-hosts ${isHost(name) ? name : 'NAME'}, allowedHosts of createApp, listen and the Vite plugin). ${startPage}`,
  )
}
