import { type OpenApiDocument, openapi } from '../contract/openapi.js'
import type { Auth } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import { decodeSegment, deviceLinkPath } from '../contract/paths.js'
import { header, type MockRequest, type MockResponseInit } from '../server/message.js'
import { defaultNamespace, fullNameOf } from '../store/namespaces.js'
import { ownerOf, type TokenInfo } from '../store/tokens.js'
import type { World } from '../store/world.js'
import { jsonResponse, prefersJson } from './call.js'
import { deviceLinkPage, deviceLinkScriptHash, unknownDeviceLinkPage } from './device-link-page.js'
import { curlLine, curlLineFor, sortTokens } from './environment.js'
import { type Html, html, htmlDocument, stylesheetHash } from './html.js'
import type { WorldControl } from './world-control.js'

export interface PageContext {
  readonly mock: Pick<WorldControl, 'world' | 'tokens'>
  /** The URL of the world, without a slash at its end. */
  readonly url: string
  /** The version of mockmaker. Default: none. */
  readonly version?: string | undefined
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

function respondHome(request: MockRequest, { mock, url, version }: PageContext): MockResponseInit {
  if (!prefersJson(header(request, 'accept'))) return htmlResponse(homePage(mock, url))
  const { world, tokens } = mock
  return jsonResponse({ name: 'mockmaker', version, scenario: world.title, url, tokens }, 'this origin')
}

function respondDeviceLink(token: string, { mock }: PageContext): MockResponseInit {
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

/** A response with a page. Other pages may not read it, frame it, or run a script in it. */
function htmlResponse({ html }: Html, status = 200): MockResponseInit {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { status, headers, body: encoder.encode(html), cors: 'this origin' }
}

/** Creates the page at `/`. It shows the world, its tokens, and the operations. */
function homePage({ world, tokens }: Pick<WorldControl, 'world' | 'tokens'>, url: string): Html {
  const main = html`<main>
<header>
<p class="mark">mockmaker</p>
<h1 dir="auto">${world.title}</h1>
<p class="address">${url}</p>
${countList(world)}
</header>
<section aria-labelledby="tokens">
<h2 id="tokens">Tokens</h2>
${tokenlessCard(url, world)}
${sortTokens(tokens).map(token => tokenCard(token, { url, world }))}
</section>
<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
<table>
<thead><tr><th scope="col">Call</th><th scope="col">Token</th></tr></thead>
<tbody>
${operationIds.map(operationRow)}
</tbody>
</table>
</section>
<footer>All operations as an OpenAPI document: <a href="openapi.json">openapi.json</a></footer>
</main>`
  return htmlDocument({ title: world.title, main })
}

function countList({ games, namespaces, gameModes, regions, lobbies }: World): Html {
  const connected = lobbies.all().reduce((sum, { total_player_count }) => sum + total_player_count, 0)
  const counted = [
    { one: 'game', many: 'games', count: games.count() },
    { one: 'namespace', many: 'namespaces', count: namespaces.count() },
    { one: 'game mode', many: 'game modes', count: gameModes.count() },
    { one: 'region', many: 'regions', count: regions.count() },
    { one: 'lobby', many: 'lobbies', count: lobbies.count() },
    { one: 'player', many: 'players', count: connected },
  ]
  const entries = counted.map(
    ({ one, many, count }) => html`<div><dt>${count === 1 ? one : many}</dt><dd>${count}</dd></div>`,
  )
  return html`<dl class="counts">
${entries}
</dl>`
}

/** The card of the default namespace, if it is tokenless. */
function tokenlessCard(url: string, world: World): Html | undefined {
  const namespace = defaultNamespace(world)
  if (!namespace?.tokenless) return undefined
  const fullName = fullNameOf(namespace.namespace_id, world)
  return html`<article class="card">
<h3><span class="kind">no token</span> ${fullName}</h3>
<p class="note">The namespace is tokenless: without a token you can list, find, join and create lobbies, and list regions.</p>
<code class="call">${curlLine(url)}</code>
</article>`
}

const tokenNotes: { readonly [kind in TokenInfo['kind']]: string } = {
  public: 'Can list, find, join and create lobbies, list regions, and count players.',
  development: 'Gets canned answers, as a client and as a game server. Its seats point to your own game server.',
  cloud: 'Can read its game, create namespaces and tokens, and complete device links.',
}

function tokenCard(token: TokenInfo, { url, world }: { readonly url: string; readonly world: World }): Html {
  return html`<article class="card">
<h3><span class="kind">${token.kind}</span> ${ownerOf(token)} <code class="token">${token.token}</code></h3>
<p class="note">${tokenNotes[token.kind]}</p>
<code class="call">${curlLineFor(token, { url, world })}</code>
</article>`
}

const tokensByAuth: { readonly [auth in Auth]: string } = {
  none: 'none',
  bearer: 'any',
  namespace: 'public, development, or none',
  public: 'public or development',
  lobby: 'lobby or development',
  cloud: 'cloud',
}

function operationRow(id: OperationId): Html {
  const { method, path, auth, summary } = operations[id]
  return html`<tr>
<td><span class="method">${method}</span> <code>${breakable(path)}</code><p class="note">${withCode(summary)}</p></td>
<td class="note">${tokensByAuth[auth]}</td>
</tr>
`
}

/** Lets a narrow screen break a path at its slashes. */
function breakable(path: string): Html[] {
  return path.split('/').map((segment, i) => (i === 0 ? html`${segment}` : html`/<wbr>${segment}`))
}

/** Turns text in backticks into code elements. */
function withCode(text: string): Html[] {
  return text.split('`').map((piece, i) => (i % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`))
}
