import { afterAll, describe, expect, it } from 'vitest'
import type { AppOptions } from '../../../src/core/mock/options.js'
import { sendBytes } from '../../support/http.js'
import { type ServedReplica, sharedModel, startReplica } from '../../support/served-replicas.js'
import { ids, tokens } from '../../support/tanks.js'

const list = '/matchmaker/lobbies/list'
const find = '/matchmaker/lobbies/find'
const json = 'content-type: application/json'

const controlToken = 'control.mock.secret'

/** Starts two replicas. The first one owns the world `default`. */
async function startTwo(app?: AppOptions): Promise<readonly [owner: ServedReplica, other: ServedReplica]> {
  const model = sharedModel()
  const options = app === undefined ? {} : { app }
  const [owner, other] = [await startReplica(model, options), await startReplica(model, options)]
  await sendBytes(owner.url, bytes(`GET ${list}`))
  return [owner, other]
}

/** Without a control token, and with one. */
const [open, locked] = [await startTwo(), await startTwo({ controlToken })]
afterAll(() => Promise.all([...open, ...locked].map(replica => replica.close())))

/** A request as bytes, with `connection: close`. */
function bytes(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', body].join('\r\n')
}

const withBody = (line: string, body: string, ...headers: string[]) =>
  bytes(line, [`content-length: ${Buffer.byteLength(body)}`, ...headers], body)

/** Returns all that a client reads, without what differs between two responses of one mock. */
async function readFrom({ url }: ServedReplica, sent: string): Promise<string> {
  const written = await sendBytes(url, sent)
  return written
    .replace(/^rvt-ray-id: .*$/gim, 'rvt-ray-id: …')
    .replace(/^date: .*$/gim, 'date: …')
    .replaceAll(new URL(url).host, 'host')
}

const chunked = 'transfer-encoding: chunked'

describe('raw bytes at a replica that does not run the world', () => {
  it.for([
    ['HTTP/1.0', `GET ${list} HTTP/1.0\r\n\r\n`],
    ['HTTP/1.0 keep-alive', `GET ${list} HTTP/1.0\r\nhost: localhost\r\n\r\n`],
    ['HTTP/1.0 find', `POST ${find} HTTP/1.0\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`],
    ['no Host', `GET ${list} HTTP/1.1\r\nconnection: close\r\n\r\n`],
    ['two Hosts', bytes(`GET ${list}`, ['host: evil.example'])],
    ['a foreign Host', bytes(`GET ${list}`).replace('localhost', 'evil.example')],
    ['an unknown method', bytes(`BREW ${list}`)],
    ['TRACE', bytes(`TRACE ${list}`)],
    ['PROPFIND', bytes(`PROPFIND ${list}`)],
    ['HEAD', bytes(`HEAD ${list}`)],
    ['HEAD of no path', bytes(`HEAD /nowhere`)],
    ['HEAD of the page', bytes(`HEAD /`, ['accept: text/html'])],
    ['the page', bytes(`GET /`, ['accept: text/html'])],
    ['the page, compressed', bytes(`GET /`, ['accept: text/html', 'accept-encoding: gzip, br'])],
    ['the home as JSON', bytes(`GET /`)],
    ['options *', bytes('OPTIONS *', ['origin: http://localhost:3000'])],
    ['preflight', bytes(`OPTIONS ${find}`, ['origin: http://localhost:3000', 'access-control-request-method: POST'])],
    [
      'foreign preflight',
      bytes(`OPTIONS ${find}`, ['origin: http://evil.example', 'access-control-request-method: POST']),
    ],
    ['foreign origin', bytes(`GET ${list}`, ['origin: http://evil.example'])],
    ['cross-site', bytes(`GET ${list}`, ['sec-fetch-site: cross-site', 'sec-fetch-mode: cors'])],
    ['control cross-site', withBody('POST /__mock/reset', '{}', json, 'sec-fetch-site: cross-site')],
    ['control origin', withBody('POST /__mock/reset', '{}', json, 'origin: http://evil.example')],
    ['control no type', withBody('POST /__mock/reset', '{}')],
    ['control bad json', withBody('POST /__mock/reset', '{', json)],
    ['control delete unknown', bytes('DELETE /__mock/worlds/nope')],
    ['control unknown', bytes('GET /__mock/nope')],
    ['control method', bytes('PATCH /__mock/world')],
    ['control world', bytes('GET /__mock/world')],
    ['control status', bytes('GET /__mock/status')],
    ['journal', bytes('GET /__mock/journal?operation=none')],
    ['snapshot yaml', bytes('GET /__mock/snapshot', ['accept: application/yaml'])],
    ['openapi', bytes('GET /openapi.json')],
    ['x-forwarded-for', bytes('GET /__mock/world', ['x-forwarded-for: 10.0.0.1'])],
    ['forwarded', bytes('GET /__mock/world', ['forwarded: for=10.0.0.1;host=evil.example;proto=https'])],
    [
      'x-forwarded-host',
      bytes('GET /', ['accept: application/json', 'x-forwarded-host: evil.example', 'x-forwarded-proto: https']),
    ],
    ['x-real-ip', bytes('GET /__mock/world', ['x-real-ip: 10.0.0.1'])],
    ['Via', bytes('GET /__mock/world', ['via: 1.1 nginx'])],
    ['a forged header of replicas', bytes('GET /__mock/world', ['mockmaker-forwarded: x e30'])],
    [
      'all headers of replicas, forged',
      bytes(`GET ${list}`, ['mockmaker-forwarded: x e30', 'mockmaker-not-owner: 1', 'mockmaker-disconnect: reset']),
    ],
    ['token twice', bytes(`GET ${list}`, [`authorization: Bearer ${tokens.public}`, 'authorization: Bearer x'])],
    ['token bad', bytes(`GET ${list}`, ['authorization: Basic eA=='])],
    ['token utf8', bytes(`GET ${list}`, ['authorization: Bearer \xe9\xff'])],
    ['latin1 header', bytes(`GET ${list}`, ['x-a: \xe9\xff', `authorization: Bearer ${tokens.public}`])],
    ['latin1 path', bytes(`GET /matchmaker/\xe9`)],
    ['latin1 query', bytes(`GET ${list}?a=\xe9`)],
    ['coords bad', bytes(`GET ${list}`, ['x-coords: \xe9'])],
    ['coords twice', bytes(`GET ${list}`, ['x-coords: 1,2', 'x-coords: 3,4'])],
    ['query empty', bytes(`GET ${list}?`)],
    ['query double', bytes(`GET ${list}??a=1`)],
    ['query hash', bytes(`GET ${list}?a#b`)],
    ['fragment', bytes(`GET ${list}#x`)],
    ['double slash', bytes('GET //matchmaker/lobbies/list')],
    ['absolute', bytes(`GET http://localhost${list}`)],
    ['absolute no path', bytes('GET http://localhost', ['accept: application/json'])],
    ['absolute query', bytes('GET http://localhost?a=1', ['accept: application/json'])],
    ['absolute creds', bytes(`GET http://a:b@localhost${list}`)],
    ['absolute other', bytes(`GET http://evil.example${list}`)],
    ['dots', bytes('GET /cloud/../matchmaker/lobbies/list')],
    ['percent', bytes('GET /%zz/%')],
    ['world percent', bytes(`GET /w/%64efault${list}`)],
    ['world bad', bytes(`GET /w/%zz${list}`)],
    ['world empty', bytes(`GET /w/${list}`)],
    ['world long', bytes(`GET /w/${'x'.repeat(65)}${list}`)],
    ['world twice', bytes(`GET /w/default/w/default${list}`)],
    ['world header', bytes(`GET ${list}`, ['x-mock-world: default'])],
    ['world header bad', bytes(`GET ${list}`, ['x-mock-world: a b'])],
    ['world header twice', bytes(`GET ${list}`, ['x-mock-world: default', 'x-mock-world: default'])],
    ['world header differs', bytes(`GET /w/default${list}`, ['x-mock-world: b'])],
    ['no body', bytes(`POST ${find}`)],
    ['length 0', bytes(`POST ${find}`, ['content-length: 0'])],
    ['chunked empty', bytes(`POST ${find}`, [chunked], '0\r\n\r\n')],
    ['chunked bad', bytes(`POST ${find}`, [chunked], 'zz\r\n\r\n')],
    ['chunked json', bytes(`POST ${find}`, [chunked], '5\r\n{"x":\r\n2\r\n1}\r\n0\r\n\r\n')],
    ['chunked trailers', bytes(`POST ${find}`, [chunked, 'trailer: x'], '2\r\n{}\r\n0\r\nx: y\r\n\r\n')],
    ['gzip chunked', bytes(`POST ${find}`, ['transfer-encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
    ['two lengths', bytes(`POST ${find}`, ['content-length: 1', 'content-length: 2'])],
    ['negative length', bytes(`POST ${find}`, ['content-length: -1'])],
    ['length and chunks', bytes(`POST ${find}`, ['content-length: 5', chunked])],
    ['bad json', withBody(`POST ${find}`, '{"a":')],
    ['a NUL as body', withBody(`POST ${find}`, '\0')],
    ['a body that is no UTF-8', bytes(`POST ${find}`, ['content-length: 2'], '\xff\xfe')],
    ['json type', withBody(`POST ${find}`, '[]', 'content-type: text/plain')],
    ['encoding', withBody(`POST ${find}`, '{}', 'content-encoding: gzip')],
    ['__proto__ in a body', withBody(`POST ${find}`, '{"__proto__":{"a":1},"game_modes":["none"]}')],
    ['a deep body', withBody(`POST ${find}`, `${'['.repeat(5000)}${']'.repeat(5000)}`)],
    ['join', withBody('POST /matchmaker/lobbies/join', '{"lobby_id":"none"}')],
    ['expect tea', bytes(`GET ${list}`, ['expect: tea'])],
    ['expect tea post', withBody(`POST ${find}`, '{', 'expect: tea')],
    ['expect', withBody(`POST ${find}`, '{', 'expect: 100-continue')],
    ['expect get', bytes(`GET ${list}`, ['expect: 100-continue'])],
    ['GET body', bytes(`GET ${list}`, ['content-length: 5'], 'hello')],
    ['GET chunked', bytes(`GET ${list}`, [chunked], '5\r\nhello\r\n0\r\n\r\n')],
    ['HEAD body', bytes(`HEAD ${list}`, ['content-length: 5'], 'hello')],
    ['DELETE body', bytes('DELETE /__mock/worlds/nope', ['content-length: 5', json], 'hello')],
    ['upgrade', `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n`,
    ],
    [
      'connection host',
      `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: close, host, authorization\r\nauthorization: Bearer ${tokens.public}\r\n\r\n`,
    ],
    ['TE', bytes(`GET ${list}`, ['te: trailers, gzip'])],
    ['large query', bytes(`GET ${list}?${'a'.repeat(15_000)}`)],
    ['too large query', bytes(`GET ${list}?${'a'.repeat(1_000_000)}`)],
    ['large headers', bytes(`GET ${list}`, [`x: ${'y'.repeat(20_000)}`])],
    [
      'many headers',
      bytes(
        `GET ${list}`,
        Array.from({ length: 1_500 }, (_, i) => `x${i}: 1`),
      ),
    ],
    ['empty header', bytes(`GET ${list}`, ['authorization:', 'origin:', 'x-mock-world:'])],
    ['Range', bytes(`GET ${list}`, ['range: bytes=0-1'])],
    ['if-none-match', bytes(`GET ${list}`, ['if-none-match: *'])],
    ['large body', withBody(`POST ${find}`, JSON.stringify({ x: 'x'.repeat(3_000_000) }))],
    ['large body chunked', bytes(`POST ${find}`, [chunked], `2dc6c0\r\n${'x'.repeat(3_000_000)}\r\n0\r\n\r\n`)],
    ['device page', bytes('GET /devices/link/nope', ['accept: text/html'])],
    ['device page ok', bytes(`GET /devices/link/${tokens.pending}`, ['accept: text/html'])],
    ['watch bad', bytes('GET /cloud/devices/links?device_link_token=x&watch_index=abc')],
    ['favicon', bytes('GET /favicon.ico')],
    ['unknown world page', bytes('GET /w/nope/', ['accept: text/html'])],
    ['unknown world control', bytes('GET /w/nope/__mock/world')],
    ['changes', bytes('GET /__mock/changes?since=zz')],
    ['pipelined', `GET ${list} HTTP/1.1\r\nhost: localhost\r\n\r\n${bytes('GET /nowhere')}`],
    ['pipelined post', `POST ${find} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\r\n{${bytes(`GET ${list}`)}`],
    [
      'a body without its fields',
      withBody(`POST /cloud/games/${ids.tanks}/namespaces/validate`, '{}', `authorization: Bearer ${tokens.cloud}`),
    ],
  ] as const)('are answered as by the owner: %s', async ([, sent]) => {
    const [owner, other] = open

    const got = await readFrom(other, sent)

    expect(got).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(got).toBe(await readFrom(owner, sent))
  })
})

describe('raw bytes at a replica with a control token that does not run the world', () => {
  it.for([
    ['no token', bytes('GET /__mock/world'), 401],
    ['a wrong token', bytes('GET /__mock/world', ['authorization: Bearer wrong']), 401],
    ['a token with one letter more', bytes('GET /__mock/world', [`authorization: Bearer ${controlToken}x`]), 401],
    [
      'two tokens',
      bytes('GET /__mock/world', [`authorization: Bearer ${controlToken}`, 'authorization: Bearer x']),
      200,
    ],
    ['the token', bytes('GET /__mock/world', [`authorization: Bearer ${controlToken}`]), 200],
    ['the token for a game', bytes(`GET ${list}`, [`authorization: Bearer ${controlToken}`]), 400],
    ['a forged header of replicas', bytes('GET /__mock/world', [`mockmaker-forwarded: ${controlToken} e30`]), 401],
    ['forged addresses', bytes('GET /__mock/world', ['x-forwarded-for: 127.0.0.1', 'forwarded: for=127.0.0.1']), 401],
    ['a change without a token', withBody('POST /__mock/reset', '{}', json), 401],
    ['a page', bytes('GET /', ['accept: text/html']), 200],
  ] as const)('are answered as by the owner: %s', async ([, sent, status]) => {
    const [owner, other] = locked

    const got = await readFrom(other, sent)

    expect(got).toContain(`HTTP/1.1 ${status} `)
    expect(got).toBe(await readFrom(owner, sent))
  })
})
