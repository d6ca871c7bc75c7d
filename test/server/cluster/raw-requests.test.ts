import { afterAll, describe, expect, it } from 'vitest'
import type { AppOptions } from '../../../src/core/mock/options.js'
import { sendBytes } from '../../support/http.js'
import { type ServedReplica, sharedModel, startReplica } from '../../support/served-replicas.js'
import { tokens } from '../../support/tanks.js'

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
    ['no Host', `GET ${list} HTTP/1.1\r\nconnection: close\r\n\r\n`],
    ['two Hosts', bytes(`GET ${list}`, ['host: evil.example'])],
    ['a foreign Host', bytes(`GET ${list}`).replace('localhost', 'evil.example')],
    ['an unknown method', bytes(`BREW ${list}`)],
    ['TRACE', bytes(`TRACE ${list}`)],
    ['HEAD', bytes(`HEAD ${list}`)],
    ['HEAD of the page', bytes(`HEAD /`, ['accept: text/html'])],
    ['the page', bytes(`GET /`, ['accept: text/html'])],
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
    ['control delete unknown', bytes('DELETE /__mock/worlds/nope')],
    ['control world', bytes('GET /__mock/world')],
    ['snapshot yaml', bytes('GET /__mock/snapshot', ['accept: application/yaml'])],
    ['openapi', bytes('GET /openapi.json')],
    ['x-forwarded-for', bytes('GET /__mock/world', ['x-forwarded-for: 10.0.0.1'])],
    ['forwarded', bytes('GET /__mock/world', ['forwarded: for=10.0.0.1;host=evil.example;proto=https'])],
    [
      'x-forwarded-host',
      bytes('GET /', ['accept: application/json', 'x-forwarded-host: evil.example', 'x-forwarded-proto: https']),
    ],
    ['Via', bytes('GET /__mock/world', ['via: 1.1 nginx'])],
    ['a forged header of replicas', bytes('GET /__mock/world', ['mockmaker-forwarded: x e30'])],
    [
      'all headers of replicas, forged',
      bytes(`GET ${list}`, ['mockmaker-forwarded: x e30', 'mockmaker-not-owner: 1', 'mockmaker-disconnect: reset']),
    ],
    ['token twice', bytes(`GET ${list}`, [`authorization: Bearer ${tokens.public}`, 'authorization: Bearer x'])],
    ['latin1 header', bytes(`GET ${list}`, ['x-a: \xe9\xff', `authorization: Bearer ${tokens.public}`])],
    ['coords twice', bytes(`GET ${list}`, ['x-coords: 1,2', 'x-coords: 3,4'])],
    ['fragment', bytes(`GET ${list}#x`)],
    ['double slash', bytes('GET //matchmaker/lobbies/list')],
    ['absolute', bytes(`GET http://localhost${list}`)],
    ['absolute creds', bytes(`GET http://a:b@localhost${list}`)],
    ['absolute other', bytes(`GET http://evil.example${list}`)],
    ['percent', bytes('GET /%zz/%')],
    ['world percent', bytes(`GET /w/%64efault${list}`)],
    ['world twice', bytes(`GET /w/default/w/default${list}`)],
    ['world header', bytes(`GET ${list}`, ['x-mock-world: default'])],
    ['world header twice', bytes(`GET ${list}`, ['x-mock-world: default', 'x-mock-world: default'])],
    ['no body', bytes(`POST ${find}`)],
    ['chunked bad', bytes(`POST ${find}`, [chunked], 'zz\r\n\r\n')],
    ['chunked trailers', bytes(`POST ${find}`, [chunked, 'trailer: x'], '2\r\n{}\r\n0\r\nx: y\r\n\r\n')],
    ['gzip chunked', bytes(`POST ${find}`, ['transfer-encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')],
    ['length and chunks', bytes(`POST ${find}`, ['content-length: 5', chunked])],
    ['bad json', withBody(`POST ${find}`, '{"a":')],
    ['a body that is no UTF-8', bytes(`POST ${find}`, ['content-length: 2'], '\xff\xfe')],
    ['encoding', withBody(`POST ${find}`, '{}', 'content-encoding: gzip')],
    ['__proto__ in a body', withBody(`POST ${find}`, '{"__proto__":{"a":1},"game_modes":["none"]}')],
    ['a deep body', withBody(`POST ${find}`, `${'['.repeat(5000)}${']'.repeat(5000)}`)],
    ['expect tea', bytes(`GET ${list}`, ['expect: tea'])],
    ['expect', withBody(`POST ${find}`, '{', 'expect: 100-continue')],
    ['GET body', bytes(`GET ${list}`, ['content-length: 5'], 'hello')],
    ['upgrade', `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n\r\n`,
    ],
    [
      'connection host',
      `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: close, host, authorization\r\nauthorization: Bearer ${tokens.public}\r\n\r\n`,
    ],
    ['too large query', bytes(`GET ${list}?${'a'.repeat(1_000_000)}`)],
    [
      'many headers',
      bytes(
        `GET ${list}`,
        Array.from({ length: 1_500 }, (_, i) => `x${i}: 1`),
      ),
    ],
    ['Range', bytes(`GET ${list}`, ['range: bytes=0-1'])],
    ['large body', withBody(`POST ${find}`, JSON.stringify({ x: 'x'.repeat(3_000_000) }))],
    ['device page', bytes('GET /devices/link/nope', ['accept: text/html'])],
    ['unknown world control', bytes('GET /w/nope/__mock/world')],
    ['changes', bytes('GET /__mock/changes?since=zz')],
    ['pipelined', `GET ${list} HTTP/1.1\r\nhost: localhost\r\n\r\n${bytes('GET /nowhere')}`],
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
    ['the token', bytes('GET /__mock/world', [`authorization: Bearer ${controlToken}`]), 200],
    ['the token for a game', bytes(`GET ${list}`, [`authorization: Bearer ${controlToken}`]), 400],
    ['a forged header of replicas', bytes('GET /__mock/world', [`mockmaker-forwarded: ${controlToken} e30`]), 401],
    ['a change without a token', withBody('POST /__mock/reset', '{}', json), 401],
    ['a page', bytes('GET /', ['accept: text/html']), 200],
  ] as const)('are answered as by the owner: %s', async ([, sent, status]) => {
    const [owner, other] = locked

    const got = await readFrom(other, sent)

    expect(got).toContain(`HTTP/1.1 ${status} `)
    expect(got).toBe(await readFrom(owner, sent))
  })
})

describe('an unknown world', () => {
  it('is created by a control call at any replica that changes it, and all replicas have it', async () => {
    const [owner, other] = open
    const add = withBody('POST /w/arranged/__mock/faults', '{"effect":{"error":{"code":"ERROR"}}}', json)
    const statusAndWord = (text: string) => [text.slice('HTTP/1.1 '.length, 12), text.includes('"created":true')]

    const refused = [bytes('GET /w/arranged/__mock/faults'), withBody('POST /w/arranged/__mock/faults', '{}', json)]
    const before = [await readFrom(other, refused[0] ?? ''), await readFrom(other, refused[1] ?? '')]
    const added = [await readFrom(other, add), await readFrom(owner, add)]

    expect(before.map(statusAndWord)).toEqual([
      ['404', false],
      ['400', false],
    ])
    expect(added.map(statusAndWord)).toEqual([
      ['200', true],
      ['200', false],
    ])
    for (const replica of open) expect(await readFrom(replica, bytes(`GET /w/arranged${list}`))).toContain('500 ')
  })
})
