import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, vi } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { createApp } from '../../../src/server/http/index.js'
import { bind } from '../../../src/server/http/server.js'
import { listenTanks } from '../../support/entry-points.js'
import { it } from '../../support/fixtures.js'
import { failure, json, openSocket, parseResponses, responseTo, sendBytes, sendTo } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { flushPromises, stateOf } from '../../support/worlds.js'

const list = '/matchmaker/lobbies/list'
const validate = `/cloud/games/${ids.tanks}/namespaces/validate`
const config = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`

/** A request as bytes, with `connection: close`. */
const bytes = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''].join('\r\n')
const tunnel = 'CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n'
const auth = `authorization: Bearer ${tokens.cloud}`

describe('raw bytes on a socket', () => {
  it.for([
    ['rubbish', 'rubbish\r\n\r\n', '400 API_BAD_HEADERS'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', '400 API_BAD_HEADERS'],
    ['HTTP/9.9', `GET ${list} HTTP/9.9\r\nhost: localhost\r\n\r\n`, '400 API_BAD_HEADERS'],
    ['two different Hosts', bytes(`GET ${list}`, 'Host: evil.example'), '400 API_BAD_HEADERS'],
    ['an unknown method', bytes(`BREW ${list}`), '400 API_BAD_HEADERS'],
    ['a path with a space', bytes('GET /a b'), '400 API_BAD_HEADERS'],
    ['a path without a slash', bytes('GET matchmaker'), '400 API_BAD_HEADERS'],
    ['a NUL in the path', bytes('GET /matchmaker\0/lobbies/list'), '400 API_BAD_HEADERS'],
    ['a NUL in a header', bytes(`GET ${list}`, 'x: a\0b'), '400 API_BAD_HEADERS'],
    ['a header without a name', bytes(`GET ${list}`, ': x'), '400 API_BAD_HEADERS'],
    ['a header with a space in its name', bytes(`GET ${list}`, 'x y: z'), '400 API_BAD_HEADERS'],
    ['two lengths', bytes(`POST ${validate}`, 'content-length: 1', 'content-length: 2'), '400 API_BAD_HEADERS'],
    ['an invalid length', bytes(`POST ${validate}`, 'content-length: x'), '400 API_BAD_HEADERS'],
    ['a negative length', bytes(`POST ${validate}`, 'content-length: -1'), '400 API_BAD_HEADERS'],
    [
      'a length and chunks',
      bytes(`POST ${validate}`, 'content-length: 5', 'transfer-encoding: chunked'),
      '400 API_BAD_HEADERS',
    ],
    ['a URL of 20,000 characters', bytes(`GET /${'x'.repeat(20_000)}`), '400 API_BAD_HEADERS'],
    ['20,000 characters of headers', bytes(`GET ${list}`, `x: ${'y'.repeat(20_000)}`), '400 API_BAD_HEADERS'],
    ['CONNECT', tunnel, '400 API_METHOD_NOT_ALLOWED'],
    ['TRACE', bytes(`TRACE ${list}`), '400 API_METHOD_NOT_ALLOWED'],
    ['PROPFIND', bytes(`PROPFIND ${list}`), '400 API_METHOD_NOT_ALLOWED'],
    ['an absolute URL of another host', bytes(`GET http://evil.example${list}`), '403 API_FORBIDDEN'],
    ['an absolute URL without a host', bytes(`GET http://${list}`), '403 API_FORBIDDEN'],
    ['* for a path', bytes('GET *'), '404 API_NOT_FOUND'],
    ['broken percent-encoding', bytes('GET /%zz/%'), '404 API_NOT_FOUND'],
    ['a path with an encoded slash', bytes('GET /matchmaker%2Flobbies/list'), '404 API_NOT_FOUND'],
    ['a path that goes up', bytes('GET /cloud/../matchmaker/lobbies/list'), '404 API_NOT_FOUND'],
    ['a path that goes up, encoded', bytes('GET /cloud/%2e%2e/matchmaker/lobbies/list'), '404 API_NOT_FOUND'],
    ['a path with a fragment', bytes(`GET ${list}#x`), '404 API_NOT_FOUND'],
    ['an unknown expectation', bytes('GET /nowhere', 'expect: tea'), '404 API_NOT_FOUND'],
    [
      'broken percent-encoding for a namespace',
      bytes(`POST ${config.replace(ids.prod, '%zz')}`, auth),
      '400 API_BAD_BODY',
    ],
  ] as const)('%s: are answered with a JSON error, and change nothing', async ([, sent, expected], { server }) => {
    const before = stateOf(server.mock.world)

    const got = await responseTo(server.url, sent)

    expect(failure(got)).toBe(expected)
    expect(Object.keys(json(got) as object)).toEqual(['code', 'message'])
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      vary: 'Origin',
      'rvt-ray-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(got.body).not.toMatch(/\n\s+at |node_modules|node:internal/)
    expect(stateOf(server.mock.world)).toBe(before)
    expect((await sendTo(server.url, { method: 'GET', path: list })).status).toBe(200)
  })

  it.for(['%00', '%2F', '%2e%2e', 'a%20b', '__proto__', '%F0%9F%8E%AF', '%zz', '.', 'x'.repeat(5_000)])(
    'with the namespace %s: name no namespace',
    async (namespace, { server }) => {
      const body = '{"lobby_count_max":1,"max_players":1}'
      const sent = bytes(`POST ${config.replace(ids.prod, namespace)}`, auth, `content-length: ${body.length}`)

      expect(failure(await responseTo(server.url, sent + body))).toBe('404 NAMESPACE_NOT_FOUND')
    },
  )

  it.for([
    ['http://127.0.0.1:4100', `${list}?include_state=true`],
    ['HTTPS://LOCALHOST', `/w/absolute${list}`],
    ['http://localhost', '?a=1'],
    ['http://localhost', '/openapi.json'],
  ] as const)(
    'with the absolute URL %s%s: are answered like its path, whatever Host says',
    async ([origin, target], { server }) => {
      const relative = target.startsWith('/') ? target : `/${target}`

      const got = await responseTo(
        server.url,
        bytes(`GET ${origin}${target}`).replace('host: localhost', 'host: evil.example'),
      )

      const expected = await responseTo(
        server.url,
        bytes(`GET ${relative}`).replace('host: localhost', `host: ${new URL(origin).host}`),
      )
      expect([got.status, got.body]).toEqual([200, expected.body])
    },
  )

  it.for(['same-site', 'cross-site'])('with a password in the origin of a page, %s: the same', async site => {
    const printed: unknown[] = []
    const { mock, url } = await listenTanks()
    mock.log.subscribe(record => void printed.push(record))
    const origin = 'origin: http://joe:s3cret@evil.example'

    const got = await responseTo(url, bytes('POST /cloud/devices/links', origin, `sec-fetch-site: ${site}`))

    expect([got.status, printed.length]).toEqual([site === 'same-site' ? 200 : 403, 1])
    expect(JSON.stringify([got, mock.journal.find(), printed])).not.toContain('s3cret')
  })

  it.for([
    ['http://joe:s3cret@evil.example', list, '403 API_FORBIDDEN'],
    ['http://joe:s3cret@localhost', '/nowhere', '404 API_NOT_FOUND'],
    ['http://joe:s3cret@evil.example:s3cret@localhost', '/matchmaker/lobbies/find', '400 API_METHOD_NOT_ALLOWED'],
    ['http://joe:s3cret@localhost', '/__mock/nowhere', '404 API_NOT_FOUND'],
    ['http://joe:s3cret@localhost', '/', undefined],
    ['http://joe:s3cret@localhost', list, undefined],
  ] as const)('with a password, %s%s: it is in no answer, log or journal', async ([origin, path, error]) => {
    const printed: unknown[] = []
    const print = (...args: unknown[]) => void printed.push(...args)
    for (const method of ['log', 'warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(print)
    const { mock, url } = await listenTanks()
    mock.log.subscribe(record => void printed.push(record))

    const got = await responseTo(url, bytes(`GET ${origin}${path}`))

    if (error === undefined) expect(got.status).toBe(200)
    else expect(failure(got)).toBe(error)
    expect(JSON.stringify([got, mock.journal.find(), printed])).not.toContain('s3cret')
  })

  it('OPTIONS *: are answered as a preflight', async ({ server }) => {
    const got = await responseTo(server.url, bytes('OPTIONS *', 'origin: http://localhost:3000'))

    expect([got.status, got.body]).toEqual([204, ''])
    expect(got.headers['access-control-allow-origin']).toBe('http://localhost:3000')
  })

  it('that ask for an upgrade: are answered without one', async ({ server }) => {
    const sent = `GET ${list} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n`

    expect((await responseTo(server.url, sent)).status).toBe(200)
  })

  it('GET with a body: are answered without reading it, and the connection stays open', async ({ server }) => {
    const first = `GET ${list} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{"broken"`

    const answers = parseResponses(await sendBytes(server.url, first + bytes(`GET ${list}`)))

    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    expect(answers[1]?.body).toBe(answers[0]?.body)
  })

  it('with Expect: 100-continue: get 100, and then an answer', async ({ server }) => {
    const body = '{"display_name":"A","name_id":"a"}'
    const head = bytes(`POST ${validate}`, auth, 'expect: 100-continue', `content-length: ${body.length}`)

    const written = await sendBytes(server.url, head + body)

    const [goOn, answer] = [written.slice(0, 25), parseResponses(written.slice(25))[0]]
    expect([goOn, answer?.status, answer?.body]).toEqual(['HTTP/1.1 100 Continue\r\n\r\n', 200, '{"errors":[]}'])
  })

  it('with many requests in one packet: are answered in order', async ({ server }) => {
    const good = `GET ${list} HTTP/1.1\r\nhost: localhost\r\n\r\n`
    const bad = 'GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n'
    const write = `POST /cloud/devices/links HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n`

    const answers = parseResponses(await sendBytes(server.url, good + write + bad + write + bytes('HEAD /nowhere')))

    expect(answers.slice(0, 4).map(answer => answer.status)).toEqual([200, 200, 404, 200])
  })

  it('in chunks of one byte each: are joined', async ({ server }) => {
    const body = JSON.stringify({ display_name: 'A'.repeat(1_000), name_id: 'a' })
    const chunks = [...body].map(byte => `1\r\n${byte}\r\n`).join('')

    const got = await responseTo(
      server.url,
      `${bytes(`POST ${validate}`, auth, 'transfer-encoding: chunked')}${chunks}0\r\n\r\n`,
    )

    expect(got.body).toBe('{"errors":[{"path":["display-name","too-long"]},{"path":["display-name","invalid"]}]}')
  })

  it('with the token after 2,100 headers: are authenticated', async ({ server }) => {
    const many = Array.from({ length: 2_100 }, (_, i) => `${i.toString(36)}:`)

    const got = await responseTo(server.url, bytes(`GET ${list}`, ...many, 'authorization: Bearer nobody'))

    expect(failure(got)).toBe('400 TOKEN_INVALID')
  })

  it('with CONNECT and a reset: do no harm', async ({ server }) => {
    const unheard = vi.fn()
    process.on('uncaughtException', unheard)
    for (let i = 0; i < 20; i++) {
      const socket = await openSocket(server.url)
      const gone = new Promise(resolve => socket.once('close', resolve))
      socket.write(tunnel, () => socket.resetAndDestroy())
      await gone
    }

    expect((await sendTo(server.url, { method: 'GET', path: list })).status).toBe(200)
    expect(unheard).not.toHaveBeenCalled()
    process.off('uncaughtException', unheard)
  })

  it.for([
    ['rubbish', 'rubbish\r\n\r\n'],
    ['half a body', `${bytes(`POST ${validate}`, auth, 'transfer-encoding: chunked')}zz\r\n{`],
    ['CONNECT', tunnel],
  ] as const)('with %s from a client that never closes: end with their socket', async ([, sent], { server }) => {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true })
    const closed = new Promise(resolve => socket.once('close', resolve))
    const refused = new Promise(resolve => socket.resume().once('end', resolve))
    socket.on('error', () => {}).write(sent)
    await refused

    // The system answers for a socket that is gone.
    const isGone = () => {
      socket.write('more')
      return socket.destroyed
    }
    await expect.poll(isGone).toBe(true)
    await closed
  })

  it.for([
    ['rubbish', 'rubbish\r\n\r\n'],
    ['CONNECT', tunnel],
  ] as const)('with %s behind a running event stream: end it, with no answer in it', async ([, sent], { server }) => {
    const socket = await openSocket(server.url)
    const written: string[] = []
    const closed = new Promise(resolve => socket.on('data', data => written.push(String(data))).once('close', resolve))
    socket.write('GET /__mock/changes?with=world HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await expect.poll(() => written.join('')).toContain('event: world')

    socket.write(sent)
    await closed

    expect(written.join('').match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
    expect((await sendTo(server.url, { method: 'GET', path: list })).status).toBe(200)
  })

  it('with rubbish behind a blocked watch: are refused', async ({ server }) => {
    const query = `device_link_token=${tokens.pending}&watch_index=${server.mock.world.revision}`
    const watch = `GET /cloud/devices/links?${query} HTTP/1.1\r\nhost: localhost\r\n\r\n`

    expect(failure(await responseTo(server.url, `${watch}rubbish\r\n\r\n`))).toBe('400 API_BAD_HEADERS')
  })

  it('in invalid chunks: are refused', async ({ server }) => {
    const sent = `${bytes(`POST ${validate}`, auth, 'transfer-encoding: chunked')}zz\r\n{}\r\n`

    expect(failure(await responseTo(server.url, sent))).toBe('400 API_BAD_HEADERS')
  })

  it('that stop within a body: leave nothing behind', async ({ server }) => {
    const before = stateOf(server.mock.world)
    const socket = await openSocket(server.url)
    socket.write(bytes(`POST ${config}`, auth, 'content-length: 100'))
    await sendTo(server.url, { method: 'GET', path: list })
    socket.destroy()
    await sendTo(server.url, { method: 'GET', path: list })
    await flushPromises()

    expect(stateOf(server.mock.world)).toBe(before)
  })

  it('with a write before the client disconnects: are carried out', async ({ server }) => {
    const { mock, url } = server
    const body = '{"lobby_count_max":77,"max_players":1}'
    const socket = await openSocket(url)
    const request = bytes(`POST ${config}`, auth, `content-length: ${body.length}`) + body

    socket.write(request, () => socket.destroy())

    await expect.poll(() => mock.world.namespaces.get(ids.prod)?.lobby_count_max).toBe(77)
    expect((await sendTo(url, { method: 'GET', path: list })).status).toBe(200)
  })
})

describe('a request that does not arrive in time', () => {
  it.for([
    ['headers', 'GET / HTTP/1.1\r\nhost: loc'],
    ['a body', `POST ${validate} HTTP/1.1\r\nhost: localhost\r\n${auth}\r\ncontent-length: 10\r\n\r\n{`],
    [
      'chunks',
      `POST ${validate} HTTP/1.1\r\nhost: localhost\r\n${auth}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
    ],
  ])('with endless %s is answered with a JSON error', { tags: ['slow'] }, async ([, sent = '']) => {
    const mock = createMockmaker({ scenario: tanks })
    const bound = await bind({ port: 0, host: '127.0.0.1', headersTimeoutMs: 20, requestTimeoutMs: 20 })
    bound.serve(createApp(mock))

    const got = await responseTo(bound.url, sent)

    expect(json(got)).toEqual({
      code: 'API_REQUEST_LATE',
      message: 'the request did not arrive in time: send it again',
    })
    await bound.close()
  })

  it('is not a connection that was opened in advance', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const bound = await bind({ port: 0, host: '127.0.0.1', headersTimeoutMs: 20, requestTimeoutMs: 20 })
    bound.serve(createApp(mock))
    const socket = connect(bound.port, '127.0.0.1')
    await once(socket, 'connect')
    // The server has looked at both by then.
    await responseTo(bound.url, 'GET / HTTP/1.1\r\nhost: loc')

    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')

    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
    await bound.close(mock)
  })

  it('is not a blocked watch', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const bound = await bind({ port: 0, host: '127.0.0.1', headersTimeoutMs: 20, requestTimeoutMs: 20 })
    bound.serve(createApp(mock))
    const path = '/cloud/devices/links'
    const query = `device_link_token=${tokens.pending}&watch_index=${mock.world.revision}`
    const blocked = sendTo(bound.url, { method: 'GET', path, query })
    // The server detects a late request only after it has checked the other one.
    await responseTo(bound.url, 'GET / HTTP/1.1\r\nhost: loc')

    expect(mock.world.waiters).toBe(1)
    await mock.close()
    expect((await blocked).status).toBe(200)
    await bound.close()
  })
})

describe('an idle connection', () => {
  it('stays open longer than the connections of the proxies in our guides', async ({ server }) => {
    const idle = (await fetch(`${server.url}/healthz`)).headers.get('keep-alive')
    const proxies = readdirSync('docs/deploy').filter(name => name.endsWith('.conf'))
    const kept = proxies.map(name => /keepalive_timeout (\d+)s;/.exec(readFileSync(`docs/deploy/${name}`, 'utf8'))?.[1])

    expect([idle, kept]).toEqual(['timeout=75', ['60', '60']])
  })
})

describe('a request that Node can parse', () => {
  it('may have a body of 1 MiB, and not more', async ({ server }) => {
    const send = (length: number) =>
      sendTo(server.url, {
        method: 'POST',
        path: validate,
        headers: bearer(tokens.cloud),
        body: `{"display_name":"A","name_id":"a","x":"${'x'.repeat(length - 41)}"}`,
      })

    const [fits, overflows, huge] = [await send(1_048_576), await send(1_048_577), await send(20_000_000)]

    expect([fits.status, failure(overflows), failure(huge)]).toEqual([
      200,
      '400 API_BODY_TOO_LARGE',
      '400 API_BODY_TOO_LARGE',
    ])
  })

  it('is refused if many bodies do not end, and it has come first', async ({ server }) => {
    const most = 1_048_576
    const head = `POST ${validate} HTTP/1.1\r\nhost: localhost\r\n${auth}\r\ncontent-length: ${most}\r\n\r\n`
    const body = Buffer.alloc(most - 1, ' ')
    const first = await openSocket(server.url)
    const written: string[] = []
    const closed = new Promise(resolve => first.on('data', data => written.push(String(data))).once('close', resolve))
    first.on('error', () => {}).write(head)
    first.write(body)
    // The server reads the first one before it knows the others.
    await expect.poll(() => first.writableLength).toBe(0)
    await sendTo(server.url, { method: 'GET', path: list })
    const others = await Promise.all(Array.from({ length: 64 }, () => openSocket(server.url)))
    for (const socket of others) {
      socket.on('error', () => {}).write(head)
      socket.write(body)
    }

    await closed
    expect(parseResponses(written.join('')).map(failure)).toEqual(['503 API_UNAVAILABLE'])
    expect((await sendTo(server.url, { method: 'GET', path: list })).status).toBe(200)
    for (const socket of others) socket.destroy()
  })
})
