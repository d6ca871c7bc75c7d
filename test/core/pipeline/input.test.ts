import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, inject } from 'vitest'
import type * as z from 'zod'
import type { OperationSpec } from '../../../src/core/contract/operation.js'
import { type OperationId, operationIds, operations } from '../../../src/core/contract/operations.js'
import { removeOptionalNulls } from '../../../src/core/lib/json.js'
import { answerEntryPoint, type OpenLocalMock } from '../../support/entry-points.js'
import { itThrough } from '../../support/fixtures.js'
import { failure, json, type TestRequest, type TestResponse, uuid } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

/** A valid body for each operation. */
const right = {
  'lobbies.list': undefined,
  'lobbies.find': { game_modes: ['ffa'], regions: ['lnd-fra'], prevent_auto_create_lobby: false, tags: { a: 'b' } },
  'lobbies.join': { lobby_id: ids.lobby },
  'lobbies.create': { game_mode: 'ffa', region: 'lnd-fra', publicity: 'private', tags: { a: 'b' }, max_players: 3 },
  'lobbies.ready': undefined,
  'lobbies.setClosed': { is_closed: true },
  'lobbies.setState': undefined,
  'lobbies.getState': undefined,
  'players.connected': { player_token: tokens.connected },
  'players.disconnected': { player_token: tokens.connected },
  'players.getStatistics': undefined,
  'regions.list': undefined,
  'games.getGameById': undefined,
  'games.namespaces.createGameNamespace': { display_name: 'Beta', name_id: 'beta', version_id: ids.lobby },
  'games.namespaces.getGameNamespaceById': undefined,
  'games.namespaces.validateGameNamespaceMatchmakerConfig': { lobby_count_max: 1, max_players: 1 },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    ports: { a: { port_range: { min: 1, max: 2 }, protocol: 'udp' } },
  },
  'games.namespaces.createGameNamespaceTokenPublic': undefined,
  'games.namespaces.toggleNamespaceDomainPublicAuth': { enabled: false },
  'games.namespaces.addNamespaceDomain': { domain: 'beta.example' },
  'games.namespaces.removeNamespaceDomain': undefined,
  'games.namespaces.validateGameNamespace': { display_name: 'Beta', name_id: 'beta' },
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    lobby_ports: [{ label: 'a', port_range: { min: 1, max: 2 }, proxy_protocol: 'udp' }],
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': { lobby_count_max: 1, max_players: 1 },
  'devices.links.get': undefined,
  'devices.links.prepare': undefined,
  'devices.links.complete': { device_link_token: tokens.pending, game_id: ids.tanks },
  'games.tokens.createCloudToken': undefined,
  'games.namespaces.updateGameNamespaceVersion': { version_id: ids.lobby },
  'cloud.bootstrap': undefined,
  'auth.inspect': undefined,
} as const satisfies { [Id in OperationId]: object | undefined }

const spec = (id: OperationId): OperationSpec => operations[id]

const tokenFor = {
  none: tokens.cloud,
  bearer: tokens.cloud,
  cloud: tokens.cloud,
  namespace: tokens.public,
  public: tokens.public,
  lobby: tokens.arena,
} as const

/** Creates a call with the right path and token. */
function call(id: OperationId, sent: Partial<TestRequest> = {}): TestRequest {
  const { method, path, auth } = operations[id]
  const filled = path
    .replace('{game_id}', ids.tanks)
    .replace('{namespace_id}', ids.prod)
    .replace('{lobby_id}', 'arena')
    .replace('{domain}', 'tanks.example')
  return { method, path: filled, headers: bearer(tokenFor[auth]), ...sent }
}

const withBody = operationIds.filter(id => spec(id).body)

/** Every valid value differs in type or range from one of these. */
const wrong: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  'text',
  [],
  {},
  [null],
  { __proto__: null, constructor: 1 },
]

/** Lists the path of keys to each nested value. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesIn(inner).map(path => [key, ...path])])
}

/** Copies a value, and replaces or removes what is at a path. */
function changed(
  value: unknown,
  [key, ...rest]: readonly string[],
  change: 'gone' | { readonly to: unknown },
): unknown {
  if (key === undefined) return change === 'gone' ? undefined : change.to
  const copy = structuredClone(value) as Record<string, unknown>
  if (rest.length === 0 && change === 'gone') delete copy[key]
  else copy[key] = changed(copy[key], rest, change)
  return copy
}

/** Copies an object without one of its keys. */
function without(body: object, key: string): object {
  return changed(body, [key], 'gone') as object
}

/** Lists bodies of an operation with one mistake each, as its schema sees it. */
function wrongBodies(id: OperationId): readonly { readonly place: string; readonly body: string }[] {
  const schema = spec(id).body as z.ZodType
  return [[], ...placesIn(right[id])]
    .flatMap(place => ['gone' as const, ...wrong.map(to => ({ to }))].map(change => ({ place, change })))
    .map(({ place, change }) => ({ place: place.join('.'), body: changed(right[id], place, change) }))
    .filter(({ body }) => body !== undefined && !schema.safeParse(withoutOptionalNulls(schema, body)).success)
    .map(({ place, body }) => ({ place, body: JSON.stringify(body) }))
}

/** A body as the service reads it: null in an optional field means absent (PROTOCOL.md B9). */
function withoutOptionalNulls(schema: z.ZodType, body: unknown): unknown {
  const copy = structuredClone(body)
  removeOptionalNulls(schema, copy)
  return copy
}

const big = (bytes: number) => `{"display_name":"A","name_id":"a","x":"${'x'.repeat(bytes - 41)}"}`
const deep = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`

const brokenBodies: readonly (readonly [name: string, body: string | Uint8Array, code: string])[] = [
  ['truncated', '{"display_name": "A", "name_id"', 'API_BAD_BODY'],
  ['with text after it', '{} {}', 'API_BAD_BODY'],
  ['a single quote', "'", 'API_BAD_BODY'],
  ['NaN', 'NaN', 'API_BAD_BODY'],
  ['HTML', '<!doctype html>', 'API_BAD_BODY'],
  ['a form', 'display_name=A&name_id=a', 'API_BAD_BODY'],
  ['white space', ' \n ', 'API_BAD_BODY'],
  ['a NUL byte', '\0', 'API_BAD_BODY'],
  ['Latin-1', new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]), 'API_BAD_BODY'],
  ['half a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'API_BAD_BODY'],
  ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 'API_BAD_BODY'],
  ['gzip', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'API_BAD_BODY'],
  ['of 2 MiB', big(2 * 1024 * 1024), 'API_BODY_TOO_LARGE'],
  ['one byte too long', 'x'.repeat(1024 * 1024 + 1), 'API_BODY_TOO_LARGE'],
  ['100,000 levels deep', deep(100_000), 'API_BAD_BODY'],
  ['100,000 levels deep and open', '['.repeat(100_000), 'API_BAD_BODY'],
  ['65 levels deep', deep(64), 'API_BAD_BODY'],
  ['of 10,001 values', `{"x":[${'0,'.repeat(9_999)}0]}`, 'API_BODY_TOO_LARGE'],
  ['of 10,001 values that do not end', '0,'.repeat(10_001), 'API_BODY_TOO_LARGE'],
  ['with its fields in __proto__', '{"__proto__": {"display_name": "A", "name_id": "a"}}', 'API_BAD_BODY'],
  [
    'with its fields in constructor',
    '{"constructor": {"prototype": {"display_name": "A", "name_id": "a"}}}',
    'API_BAD_BODY',
  ],
]

// The tests of parity send such requests through the other entry points.
describe('a mock', () => {
  const it = itThrough(answerEntryPoint)

  /** Sends a request that the mock must refuse, and checks that it changes nothing. */
  async function refused({ mock, send }: OpenLocalMock, sent: TestRequest): Promise<TestResponse> {
    const before = stateOf(mock.world)
    const got = await send(sent)
    expect(stateOf(mock.world)).toBe(before)
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      vary: 'Origin',
      'rvt-ray-id': expect.stringMatching(uuid),
    })
    expect(got.body).not.toMatch(/\n\s+at |node_modules|\.ts:\d/)
    expect(Object.keys(json(got) as object)).toEqual(['code', 'message'])
    expect((await send(call('lobbies.list'))).status, 'the next good request').toBe(200)
    return got
  }

  // One function reads the bodies of all operations.
  it.for(brokenBodies)('refuses a body: %s', async ([, body, code], { open }) => {
    const id = 'games.namespaces.validateGameNamespace'

    expect(failure(await refused(open, call(id, { body })))).toBe(`400 ${code}`)
  })

  it.for(withBody)('refuses a truncated body of %s', async (id, { open }) => {
    expect(failure(await refused(open, call(id, { body: '{"display_name"' })))).toBe('400 API_BAD_BODY')
  })

  it.for(withBody)('refuses a mistake in any field of %s, and names the field', async (id, { open }) => {
    const bodies = wrongBodies(id)

    expect(bodies.length).toBeGreaterThan(0)
    for (const { place, body } of bodies) {
      const got = await refused(open, call(id, { body }))

      expect(failure(got), body).toBe('400 API_BAD_BODY')
      expect((json(got) as { message: string }).message, body).toContain(place.replaceAll(/\.(\d+)/g, '[$1]'))
    }
  })

  it.for(withBody)('says which key of %s a mistyped one meant, and nothing of the right ones', async (id, { open }) => {
    const body = right[id] as Readonly<Record<string, unknown>>
    const messageFor = async (sent: object) => {
      const got = await refused(open, call(id, { body: JSON.stringify(sent) }))
      return (json(got) as { message: string }).message
    }
    // A development token needs one of two lists of ports.
    const required = Object.keys(body).filter(
      key => key !== 'ports' && !spec(id).body?.safeParse(without(body, key)).success,
    )

    for (const key of required) {
      const mistyped = { ...without(body, key), [`${key}s`]: body[key] }
      const question = `The mock ignores the unknown key "${key}s": did you mean ${key}?`

      expect(await messageFor(mistyped)).toBe(`${await messageFor(without(body, key))}. ${question}`)
    }
  })

  it.for([
    [10, ''],
    [11, '; and 1 more problem'],
    [5_001, '; and 4,991 more problems'],
  ] as const)('lists only ten of the %i mistakes in a body', async ([count, more], { open }) => {
    const body = `{"hostname":"h","lobby_ports":[${'0,'.repeat(count - 1)}0]}`

    const got = await refused(open, call('games.namespaces.validateGameNamespaceTokenDevelopment', { body }))

    const listed = Array.from({ length: 10 }, (_, i) => `body: lobby_ports[${i}] is 0: expected object`)
    expect(json(got)).toMatchObject({ message: listed.join('; ') + more })
  })

  it.for([
    [
      'games.namespaces.validateGameNamespaceTokenDevelopment',
      { body: '{"hostname":"h","lobby_ports":[{"target_port":1,"proxy_protocol":"http"}]}' },
      'body: lobby_ports[0].label is missing: expected string',
    ],
    ['lobbies.join', { body: '123456789012345678901' }, 'body: is 123456789012345680000: expected object'],
    ['devices.links.get', { query: 'watch_index=1' }, 'query parameter: device_link_token is missing: expected string'],
  ] as const)('says only what is wrong with an input of %s: %j', async ([id, sent, message], { open }) => {
    expect(json(await refused(open, call(id, sent)))).toMatchObject({ message })
  })

  it.for([
    ['lobbies.find', { game_modes: ['ffa'], max_players: 1e20 }, 'max_players', 2_147_483_647],
    [
      'games.namespaces.validateGameNamespaceTokenDevelopment',
      { hostname: 'x', lobby_ports: [{ label: 'a', target_port: 1e20, proxy_protocol: 'udp' }] },
      'lobby_ports[0].target_port',
      2_147_483_647,
    ],
  ] as const)(
    'tells a number that is no safe integer only the limit of its field: %s',
    async ([id, body, field, limit], { open }) => {
      const got = await refused(open, call(id, { body: JSON.stringify(body) }))

      expect(json(got)).toMatchObject({
        message: `body: ${field} is 100000000000000000000: expected at most ${limit}`,
      })
    },
  )

  it.for([undefined, new Uint8Array()])('reads an absent body as {}: %j', async (body, { open }) => {
    const { method, path } = operations['lobbies.join']

    const got = await open.mock.answer({ method, path, headers: bearer(tokens.public), body })

    const message = 'body: lobby_id is missing: expected string'
    expect(JSON.parse(new TextDecoder().decode(got.body))).toEqual({ code: 'API_BAD_BODY', message })
  })

  it('accepts a body of exactly 1 MiB, and one with 64 levels', async ({ open }) => {
    const id = 'games.namespaces.validateGameNamespace'
    const [largest, deepest] = [big(1024 * 1024), `{"display_name":"A","name_id":"a","x":${deep(62)}}`]

    expect(largest).toHaveLength(1024 * 1024)
    expect((await open.send(call(id, { body: largest }))).status).toBe(200)
    expect((await open.send(call(id, { body: deepest }))).status).toBe(200)
  })

  it('ignores keys such as __proto__ and constructor, as any unknown field', async ({ open }) => {
    const more = '"__proto__": {"a": 1}, "constructor": null, "toString": 1, "hasOwnProperty": []'
    for (const id of withBody.filter(id => id !== 'devices.links.complete' && id !== 'players.connected')) {
      const body = `{${more}, ${JSON.stringify(right[id]).slice(1)}`

      expect((await open.send(call(id, { body }))).status, id).toBe(200)
    }
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
  })

  it.for([
    ['lobbies.list', 'include_state=true&include_state=true'],
    ['lobbies.list', 'include_state=1'],
    ['lobbies.list', 'include_state=%00'],
    ['lobbies.list', 'include_state=%zz'],
    ['lobbies.list', 'include_state[]=true&include_state='],
    ['lobbies.list', 'include%5Fstate=maybe'],
    ['devices.links.get', ''],
    ['devices.links.get', '__proto__=1'],
    ['devices.links.get', `device_link_token=${tokens.pending}&device_link_token=${tokens.pending}`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=1&watch_index=2`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=${'9'.repeat(20)}`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=%EF%BC%91`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=+1`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=1%0A`],
    ['devices.links.get', `device_link_token=${tokens.pending}&watch_index=0x1`],
  ] as const)('refuses a query: %s?%s', async ([id, query], { open }) => {
    expect(failure(await refused(open, call(id, { query })))).toBe('400 API_BAD_QUERY')
  })

  it.for(['device_link_token', 'device_link_token=%', 'device_link_token=__proto__', 'device_link_token=%00'])(
    'treats the token in a query as unknown: %s',
    async (query, { open }) => {
      expect(failure(await refused(open, call('devices.links.get', { query })))).toBe('400 TOKEN_INVALID')
    },
  )

  const authorizations = [
    ['unknown', 'Bearer pub_prod.mock.nobody', 'TOKEN_INVALID'],
    ['__proto__', 'Bearer __proto__', 'TOKEN_INVALID'],
    ['of 5,000 characters', `Bearer ${'x'.repeat(5_000)}`, 'TOKEN_INVALID'],
    ['with white space', `Bearer ${tokens.public} ${tokens.public}`, 'TOKEN_INVALID'],
    ['in Latin-1', 'Bearer pub_é', 'TOKEN_INVALID'],
    ['expired', `Bearer ${tokens.expired}`, 'CLAIMS_ENTITLEMENT_EXPIRED'],
  ] as const

  it.for(authorizations)('refuses a token: %s', async ([, authorization, code], { open }) => {
    const got = await refused(open, call('lobbies.list', { headers: { authorization } }))

    expect(failure(got)).toBe(`${code === 'TOKEN_INVALID' ? 400 : 401} ${code}`)
  })

  it.for(operationIds)(
    'refuses an unknown token of %s before it checks the query and the body',
    async (id, { open }) => {
      const headers = bearer('pub_prod.mock.nobody')
      const got = await refused(open, call(id, { headers, query: 'include_state=x', body: '{' }))

      expect(failure(got)).toBe('400 TOKEN_INVALID')
    },
  )

  const kinds = {
    public: tokens.public,
    development: tokens.development,
    cloud: tokens.cloud,
    device: tokens.pending,
    lobby: tokens.arena,
    player: tokens.connected,
  }
  const admitted = {
    none: Object.keys(kinds),
    bearer: Object.keys(kinds),
    namespace: ['public', 'development'],
    public: ['public', 'development'],
    lobby: ['lobby', 'development'],
    cloud: ['cloud'],
  } as const

  it.for(operationIds)('refuses tokens of the wrong kind for %s', async (id, { open }) => {
    for (const [kind, token] of Object.entries(kinds)) {
      if ((admitted[operations[id].auth] as readonly string[]).includes(kind)) continue
      const got = await refused(open, call(id, { headers: bearer(token), body: JSON.stringify(right[id]) }))

      expect(failure(got), kind).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
    }
  })

  it.for(operationIds.filter(id => ['bearer', 'public', 'lobby', 'cloud'].includes(operations[id].auth)))(
    'refuses %s without a bearer token',
    async (id, { open }) => {
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        `bearer ${tokens.cloud}`,
        `Token ${tokens.cloud}`,
      ]) {
        const headers = authorization === undefined ? {} : { authorization }

        expect(failure(await refused(open, call(id, { headers })))).toBe('401 API_UNAUTHORIZED')
      }
    },
  )

  it.for(['', '1', '1,2,3', 'NaN,0', 'Infinity,0', '١,٢', '0x1,2', '1e1000,0', ','])(
    'refuses the header x-coords: "%s"',
    async (coords, { open }) => {
      const sent = { ...bearer(tokens.public), 'x-coords': Buffer.from(coords).toString('latin1') }

      expect(failure(await refused(open, call('lobbies.list', { headers: sent })))).toBe('400 API_BAD_HEADERS')
    },
  )

  it.for([
    [
      'a byte order mark',
      '\ufeff{"game_id":"x"}',
      {},
      'it begins with a byte order mark (BOM). Send UTF-8 without one',
    ],
    ['gzip', gzipSync('{}'), { 'content-encoding': 'gzip' }, 'the body is compressed (content-encoding: gzip)'],
    ['Brotli', brotliCompressSync('{}'), { 'content-encoding': 'br' }, 'the body is compressed (content-encoding: br)'],
    ['a large number', '{"x":["1e999",-1e400]}', {}, 'the body has the number -1e400, which is beyond 1.79'],
    ['a long number', `{"x":1${'0'.repeat(309)}}`, {}, 'the body has the number 1000'],
    ['JavaScript', "{game_id:'x'}", {}, 'the body is not JSON: send all of it, with strings in double quotes'],
    ['Latin-1', new Uint8Array([0x22, 0xe9, 0x22]), {}, 'the body is not JSON: it is not UTF-8'],
  ] as const)('says what is wrong with a body of %s', async ([, body, headers, message], { open }) => {
    const got = await refused(
      open,
      call('devices.links.complete', { body, headers: { ...bearer(tokens.cloud), ...headers } }),
    )

    expect([failure(got), (json(got) as { message: string }).message]).toEqual([
      '400 API_BAD_BODY',
      expect.stringContaining(message),
    ])
  })

  it('takes a body that a middleware has unpacked, and a text with a large number', async ({ open }) => {
    const headers = { ...bearer(tokens.cloud), 'content-encoding': 'gzip' }
    const body = '{"display_name":"1e999","name_id":"a"}'

    expect((await open.send(call('games.namespaces.validateGameNamespace', { body, headers }))).status).toBe(200)
  })

  it('answers 200 or 400 to any bytes as a body', async ({ open }) => {
    const validators = withBody.filter(id => operations[id].kind === 'read')
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map(text => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...validators), body, async (id, body) => {
        const before = stateOf(open.mock.world)

        const got = await open.send(call(id, { body }))

        expect([200, 400]).toContain(got.status)
        expect(() => json(got)).not.toThrow()
        expect(stateOf(open.mock.world)).toBe(before)
      }),
      { numRuns: 3 * inject('runs') },
    )
  })

  it('draws no random number for a refused request', async ({ open }) => {
    const untouched = await answerEntryPoint.open(tanks)
    for (const [, body] of brokenBodies) await open.send(call('devices.links.complete', { body }))
    await open.send(
      call('games.namespaces.updateGameNamespaceMatchmakerConfig', {
        path: `/cloud/games/${ids.tanks}/namespaces/nobody/mm-config`,
        body: JSON.stringify(right['games.namespaces.updateGameNamespaceMatchmakerConfig']),
      }),
    )

    const [after, fresh] = await Promise.all(
      [open, untouched].map(async ({ send }) => (await send(call('devices.links.prepare', { headers: {} }))).body),
    )

    expect(after).toBe(fresh)
    await untouched.close()
  })
})
