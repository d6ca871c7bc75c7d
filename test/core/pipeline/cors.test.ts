import { describe, expect, it } from 'vitest'
import { createMockmaker, type ExchangeRecord } from '../../../src/index.js'
import { ask, failure, json } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** Returns the CORS headers of a response to a page of an origin. */
async function corsOf(origin: string, corsOrigins: readonly string[]) {
  const mock = createMockmaker({ corsOrigins })
  const { headers } = await mock.answer({ ...list, headers: { origin } })
  return Object.entries(headers).filter(([name]) => name.startsWith('access-control'))
}

describe('corsOrigins', () => {
  it.each(['https://play.example', 'https://play.example/', 'https://Play.Example'])(
    'allows the pages of an origin in the spelling %s',
    async written => {
      expect(await corsOf('https://play.example', [written])).toContainEqual([
        'access-control-allow-origin',
        'https://play.example',
      ])
    },
  )

  it.each([
    ['another scheme', 'http://play.example'],
    ['another port', 'https://play.example:8443'],
    ['a name below it', 'https://a.play.example'],
    ['no origin', 'null'],
  ])('does not allow pages of %s', async (_, origin) => {
    expect(await corsOf(origin, ['https://play.example'])).toEqual([])
  })

  it('allows sandboxed frames by the origin null', async () => {
    expect(await corsOf('null', ['null'])).toContainEqual(['access-control-allow-origin', 'null'])
  })

  it.each(['capacitor://app', 'chrome-extension://abcdef', 'http://[::1]:8080', 'https://xn--bcher-kva.example'])(
    'allows the pages of %s',
    async origin => {
      expect(await corsOf(origin, [origin])).toContainEqual(['access-control-allow-origin', origin])
    },
  )

  it.each([
    'x',
    '',
    '*',
    'game.example',
    'localhost:3000',
    '//game.example',
    'https://',
    'https://*.example',
    'https://game.example/play',
    'https://game.example?a',
    'https://game.example#a',
    'https://game.example//',
    'https://me@game.example',
    'https://game.example:443',
    'https://game.example:x',
    ' https://game.example',
    'https://a.example,https://b.example',
    'https://bücher.example',
    'app://*',
    'app://a b',
    'app://me@host',
    'app://host/path',
    'app://host:x',
    'mailto:me@game.example',
    'undefined',
  ])('refuses %j, which no browser sends as an Origin', written => {
    expect(() => createMockmaker({ corsOrigins: [written] })).toThrow(
      `options.corsOrigins[0] is ${JSON.stringify(written)}: expected an origin such as https://game.example, or null`,
    )
  })
})

describe('a namespace', () => {
  const mock = createMockmaker({
    scenario: {
      cdn_domain: 'cdn.example',
      games: [
        { name_id: 'tanks', namespaces: [{ name_id: 'prod', domains: ['own.cdn.example'] }, { name_id: 'beta' }] },
      ],
    },
  })
  const allowedFor = async (origin: string) =>
    (await mock.answer({ ...list, headers: { origin } })).headers['access-control-allow-origin']

  it.each([
    'https://tanks.cdn.example',
    'http://tanks.cdn.example:8080',
    'https://tanks--prod.cdn.example',
    'https://tanks--beta.cdn.example',
    'https://own.cdn.example',
  ])('has the page %s, which may read the responses', async origin => {
    expect(await allowedFor(origin)).toBe(origin)
  })

  it.each([
    'https://cdn.example',
    'https://nobody.cdn.example',
    'https://tanks--nobody.cdn.example',
    'https://tanks--prod--beta.cdn.example',
    'https://tanks.cdn.invalid',
  ])('does not have the page %s', async origin => {
    expect(await allowedFor(origin)).toBeUndefined()
  })
})

describe('the page in the process of a mock', () => {
  it('may read the responses, whatever its origin is', async () => {
    const mock = createMockmaker()
    const origin = 'https://play.example'
    const allowedFor = async (pageOrigin?: string) =>
      (await mock.answer({ ...list, headers: { origin }, pageOrigin })).headers['access-control-allow-origin']

    expect([await allowedFor(origin), await allowedFor('https://other.example'), await allowedFor()]).toEqual([
      origin,
      undefined,
      undefined,
    ])
  })
})

describe('an Origin that was sent more than once', () => {
  it('counts by its first value', async () => {
    const { headers } = await createMockmaker().answer({
      ...list,
      headers: { origin: ['http://localhost:5173', 'https://evil.example'] },
    })

    expect(headers['access-control-allow-origin']).toBe('http://localhost:5173')
  })
})

describe('a request from a page of another site', () => {
  const origin = 'https://evil.example'
  const prepare = { method: 'POST', path: '/cloud/devices/links' } as const
  const crossSite = { 'sec-fetch-site': 'cross-site' } as const

  it.each([
    [{ origin }, `a page of "${origin}"`, `--cors-origin ${origin}`],
    [{ origin: 'null' }, 'a page of "null"', '--cors-origin null'],
    [{}, 'a page of another site', '--cors-origin ORIGIN'],
  ])('is refused, and the message names the page, and the flag that allows it: %j', async (headers, page, flag) => {
    const mock = createMockmaker({ scenario: tanks })
    const before = stateOf(mock.world)

    const got = await ask(mock, { ...prepare, headers: { ...crossSite, ...headers } })

    const { message } = json(got) as { message: string }
    expect(failure(got)).toBe('403 API_FORBIDDEN')
    expect(message.startsWith(`${page} may not change anything here: `)).toBe(true)
    expect(message).toContain(flag)
    expect(stateOf(mock.world)).toBe(before)
  })

  it.each([
    ['PUT', `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/version`],
    ['DELETE', `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/domains/tanks.example`],
  ])('is refused with %s, too', async (method, path) => {
    const mock = createMockmaker({ scenario: tanks })
    const before = stateOf(mock.world)

    const got = await ask(mock, {
      method,
      path,
      headers: { ...crossSite, origin, ...bearer(tokens.cloud) },
      body: '{}',
    })

    expect(failure(got)).toBe('403 API_FORBIDDEN')
    expect(stateOf(mock.world)).toBe(before)
  })

  it('is answered if it is a GET, which changes nothing; the browser hides the response from the page', async () => {
    const mock = createMockmaker({ scenario: tanks })

    const got = await ask(mock, { method: 'GET', path: '/matchmaker/regions', headers: { ...crossSite, origin } })

    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })

  it.each(['https://evil.example', 'null'])('is answered if corsOrigins has its origin %s', async allowed => {
    const mock = createMockmaker({ scenario: tanks, corsOrigins: [allowed] })

    const got = await ask(mock, { ...prepare, headers: { ...crossSite, origin: allowed } })

    expect(got.status).toBe(200)
  })

  it('counts for no fault, but is in the journal and the log', async () => {
    const mock = createMockmaker({ scenario: tanks })
    mock.faults.add({ effect: { error: { status: 503 } }, times: 1 })
    const records: ExchangeRecord[] = []
    mock.log.subscribe(record => void records.push(record))

    await ask(mock, { ...prepare, headers: { ...crossSite, origin } })

    expect(mock.faults.list()).toMatchObject([{ matched: 0, struck: 0 }])
    expect(mock.journal.find()).toMatchObject([{ status: 403, path: prepare.path, answer: { code: 'API_FORBIDDEN' } }])
    expect(records).toMatchObject([{ status: 403, code: 'API_FORBIDDEN', refusedOrigin: origin }])
  })

  it.each([
    ['the route', 'POST', '/nowhere'],
    ['the method', 'POST', '/matchmaker/lobbies/list'],
    ['the token', 'POST', '/matchmaker/lobbies/ready'],
  ])('is refused before the mock checks %s', async (_, method, path) => {
    const mock = createMockmaker({ scenario: tanks })

    const got = await ask(mock, { method, path, headers: { ...crossSite, origin } })

    expect(failure(got)).toBe('403 API_FORBIDDEN')
  })

  it('gets a short message, however long its origin is', async () => {
    const mock = createMockmaker({ scenario: tanks })

    const got = await ask(mock, { ...prepare, headers: { ...crossSite, origin: `https://${'x'.repeat(10_000)}` } })

    expect(got.body.length).toBeLessThan(500)
  })
})

describe('a preflight', () => {
  it('allows all methods, and the requested headers', async () => {
    const mock = createMockmaker()
    const asked = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,x-coords',
    }

    const { status, headers, body } = await mock.answer({ ...list, method: 'OPTIONS', headers: asked })

    expect([status, body.length]).toEqual([204, 0])
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization,x-coords',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
  })
})
