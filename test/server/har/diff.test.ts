import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { type ErrorCode, errorStatus } from '../../../src/core/contract/errors.js'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import { readHar } from '../../../src/server/har/read.js'
import { compareRecording } from '../../../src/server/har/replay.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { folder } from '../../support/command.js'
import { successes, tokenOf } from '../../support/example-calls.js'
import { ask, post, request, type TestRequest } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { runHere } from '../../support/run-here.js'
import { bearer, completion, ids, startAt, tanks, tokens } from '../../support/tanks.js'
import { lobby, type Recorded, record, recordedHar, region } from './recorded-har.js'

const list = request('GET', '/matchmaker/lobbies/list', tokens.public)
const states = { ...list, query: 'include_state=true' }
const find = (mode: string) => post('/matchmaker/lobbies/find', { game_modes: [mode] }, tokens.public)
const joined = (lobby_id: string) => post('/matchmaker/lobbies/join', { lobby_id }, tokens.public)
const link = (token: string) =>
  ({ method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` }) as const
const game = request('GET', `/cloud/games/${ids.tanks}`, tokens.cloud)
const namespace = request('GET', `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`, tokens.cloud)
const validate = post(
  `/cloud/games/${ids.tanks}/namespaces/validate`,
  { name_id: 'a b', display_name: '' },
  tokens.cloud,
)

interface ListAnswer {
  readonly game_modes: readonly object[]
  readonly lobbies: readonly object[]
  readonly regions: readonly object[]
}
interface Seat {
  readonly lobby: { readonly lobby_id: string }
}
interface Made {
  readonly device_link_token: string
}

const emptyList = { game_modes: [{ game_mode_id: 'duel' }], lobbies: [], regions: [region] }

/** Writes the journal of a mock as `mockmaker export --har` does. */
const exported = (mock: Mock) =>
  JSON.stringify(journalToHar(mock.default.journal.find(), { url: 'http://127.0.0.1:4100' }))

const compare = (entries: readonly Recorded[]) => compareRecording(readHar(recordedHar(entries), 'session.har'))

/** Records requests to a mock, the first list and the game before them. */
async function recordedAt(requests: readonly TestRequest[]): Promise<Recorded[]> {
  const mock = createMock({ scenario: tanks, seed: 1 })
  const entries = await record(mock, [states, game, namespace, ...requests], startAt)
  await mock.close()
  return entries
}

const anyRequest: fc.Arbitrary<TestRequest> = fc.oneof(
  fc.constantFrom<TestRequest>(list, states, game, namespace, validate, link(tokens.pending), link(tokens.complete)),
  fc.constantFrom('duel', 'ffa', 'nobodys').map(find),
  fc.constantFrom(ids.lobby, 'empty', 'nobodys').map(joined),
  fc.constant(request('GET', '/matchmaker/regions', tokens.public)),
  fc.constant({ ...list, headers: { ...list.headers, 'x-coords': '52.5,13.4' } }),
  fc.constant(post('/matchmaker/lobbies/create', { game_mode: 'duel' }, tokens.public)),
)

describe('the comparison of a recording', () => {
  // A call without a token does not say its namespace, so the others are all of one.
  const isOfProd = ({ headers }: TestRequest) => !/pub_closed|boats/.test(JSON.stringify(headers ?? {}))
  const anyCall = fc.oneof(anyRequest, randomRead, randomWriteCall).filter(isOfProd)
  const anySession = fc.array(anyCall, { maxLength: 12 })
  test.prop([anySession, fc.boolean(), fc.constantFrom('by a browser', 'by the mock')], { numRuns: inject('runs') })(
    'finds nothing if the mock itself was recorded, also if its first answers show nothing',
    async (requests, startsWithList, how) => {
      const mock = createMock({ scenario: tanks, seed: 1 })
      const entries = await record(mock, startsWithList ? [states, game, ...requests] : requests, startAt)
      const har = how === 'by the mock' ? exported(mock) : recordedHar(entries.map(entry => ({ ...entry, took: 0 })))
      await mock.close()

      const { drifts } = await compareRecording(readHar(har, 'session.har'))

      expect(drifts.filter(({ sure }) => sure !== 'possible')).toEqual([])
    },
  )

  const codes = Object.keys(errorStatus) as ErrorCode[]
  test.prop([fc.constantFrom(...operationIds), fc.shuffledSubarray(codes, { maxLength: 5 })], {
    numRuns: inject('runs'),
  })('finds nothing if the mock has injected any errors into any operation', async (operation, injected) => {
    const mock = createMock({ scenario: tanks, seed: 1 })
    const { path, query, body } = successes[operation]
    const { method } = operations[operation]
    const call = {
      ...request(method, path, tokenOf(operation)),
      ...(query !== undefined && { query }),
      ...(body && { body: JSON.stringify(body) }),
    }
    for (const code of injected) {
      const { id } = mock.default.faults.add({ operation, times: 1, effect: { error: { code } } })
      await ask(mock, call)
      mock.default.faults.remove(id)
      await ask(mock, call)
    }
    const har = exported(mock)
    await mock.close()

    const { drifts } = await compareRecording(readHar(har, 'session.har'))

    expect(drifts.filter(({ sure }) => sure !== 'possible')).toEqual([])
  })

  const tags = (count: number, name: string, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, value]))
  const seat = (path: 'find' | 'join' | 'create', body: object, token: string = tokens.public) =>
    post(`/matchmaker/lobbies/${path}`, body, token)
  const configured = (config: object) =>
    post(`/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`, config, tokens.cloud)
  const closed = tokens.publicClosed
  it.for<readonly [code: ErrorCode, ...requests: TestRequest[]]>([
    ['MATCHMAKER_LOBBY_FULL', joined(ids.lobby), joined(ids.lobby)],
    ['MATCHMAKER_LOBBY_NOT_FOUND', joined('nobodys')],
    ['MATCHMAKER_LOBBY_STOPPED', seat('join', { lobby_id: 'stopped' }, closed)],
    ['MATCHMAKER_GAME_MODE_NOT_FOUND', find('nobodys')],
    ['MATCHMAKER_NO_GAME_MODE_PROVIDED', seat('find', { game_modes: [] })],
    ['MATCHMAKER_REGION_NOT_FOUND', seat('find', { game_modes: ['duel'], regions: ['nobodys'] })],
    ['MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE', seat('create', { game_mode: 'duel', region: 'lnd-syd' })],
    [
      'MATCHMAKER_NO_AVAILABLE_LOBBIES',
      seat('find', { game_modes: ['ffa'], regions: ['lnd-fra'], prevent_auto_create_lobby: true }),
    ],
    [
      'MATCHMAKER_TOO_MANY_LOBBIES',
      configured({ lobby_count_max: 0, max_players: 9 }),
      seat('create', { game_mode: 'duel' }),
    ],
    ['MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE', configured({ lobby_count_max: 9, max_players: 0 }), find('duel')],
    ['MATCHMAKER_FIND_DISABLED', seat('find', { game_modes: ['walled'] }, closed)],
    ['MATCHMAKER_JOIN_DISABLED', seat('join', { lobby_id: 'walled' }, closed)],
    ['MATCHMAKER_CUSTOM_LOBBIES_DISABLED', seat('create', { game_mode: 'walled' }, closed)],
    ['MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED', seat('create', { game_mode: 'solo', max_players: 2 }, closed)],
    ['MATCHMAKER_TAGS_DISABLED', seat('create', { game_mode: 'solo', tags: { map: 'ice' } }, closed)],
    ['MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID', seat('find', { game_modes: ['duel'], max_players: 99 })],
    ['MATCHMAKER_TOO_MANY_TAGS', seat('find', { game_modes: ['duel'], tags: tags(9, 'x', 'y') })],
    ['MATCHMAKER_TAG_NAME_TOO_LONG', seat('find', { game_modes: ['duel'], tags: tags(1, 'x'.repeat(128), 'y') })],
    ['MATCHMAKER_TAG_TOO_LONG', seat('find', { game_modes: ['duel'], tags: tags(1, 'x', 'y'.repeat(513)) })],
    ['MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID', seat('create', { game_mode: 'duel', lobby_config: 'x'.repeat(17_000) })],
    ['API_BAD_QUERY', { ...list, query: 'include_state=1' }],
    ['API_BAD_HEADERS', { ...list, headers: { ...list.headers, 'x-coords': 'x' } }],
    ['API_BAD_BODY', seat('join', {})],
    ['API_UNAUTHORIZED', request('GET', `/cloud/games/${ids.tanks}`)],
    ['API_FORBIDDEN', request('GET', `/cloud/games/${ids.boats}`, tokens.cloud)],
    ['TOKEN_INVALID', request('GET', '/matchmaker/lobbies/list', 'nobodys.token')],
    ['TOKEN_EXPIRED', link(tokens.expired)],
    ['CLAIMS_MISSING_ENTITLEMENT', request('GET', '/matchmaker/players/statistics', tokens.cloud)],
    ['NAMESPACE_NOT_FOUND', request('GET', `/cloud/games/${ids.tanks}/namespaces/nobodys`, tokens.cloud)],
    ['CLOUD_DEVICE_LINK_ALREADY_COMPLETE', completion, completion],
    [
      'VALIDATION_ERROR',
      post(
        `/cloud/games/${ids.tanks}/namespaces`,
        { display_name: 'A', name_id: 'closed', version_id: ids.lobby },
        tokens.cloud,
      ),
    ],
    [
      'CDN_INVALID_DOMAIN',
      post(`/cloud/games/${ids.tanks}/namespaces/${ids.prod}/domains`, { domain: 'a b' }, tokens.cloud),
    ],
  ])('finds nothing after %s, with and without a list before', async ([code, ...requests]) => {
    for (const before of [[], [states]]) {
      const mock = createMock({ scenario: tanks, seed: 1 })
      const entries = await record(mock, [...before, ...requests], startAt)
      await mock.close()

      const { drifts } = await compare(entries.map(entry => ({ ...entry, took: 0 })))

      expect(entries.at(-1)?.answer).toMatchObject({ code })
      expect(drifts).toEqual([])
    }
  })

  it('is not sure of the ports of a development token, because the journal cuts it', async () => {
    const mock = createMock({ scenario: tanks, seed: 1 })
    const ports = { hostname: 'h', ports: { a: { port: 80, protocol: 'http' } } }
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/tokens/development`
    await record(
      mock,
      [post(path, ports, tokens.cloud), seat('find', { game_modes: ['duel'] }, tokens.development)],
      startAt,
    )
    const har = exported(mock)
    await mock.close()

    const { drifts } = await compareRecording(readHar(har, 'session.har'))

    expect(drifts.map(({ path, sure }) => [path, sure])).toContainEqual(['ports.a', 'possible'])
    expect(drifts.filter(({ sure }) => sure !== 'possible')).toEqual([])
  })

  it('is not sure if the players of one address are too many', async () => {
    const { drifts } = await compare(await recordedAt(Array.from({ length: 9 }, () => find('duel'))))

    expect(drifts.filter(({ kind }) => kind === 'status')).toEqual([
      expect.objectContaining({ sure: 'possible', mock: '400 MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE' }),
    ])
  })

  it('asks a watch once, at the time of its answer, and never waits', async () => {
    const url = '/cloud/devices/links?device_link_token=device.one'
    const watch = { index: '1' }
    const entries = [
      { url, answer: { watch }, at: startAt },
      { url: `${url}&watch_index=1`, answer: { watch }, at: startAt + 1_000, took: 40_000 },
      {
        url: `${url}&watch_index=1`,
        answer: { cloud_token: 'cloud.secret', watch },
        at: startAt + 41_000,
        took: 5_000,
      },
    ]

    expect(await compare(entries)).toEqual({ drifts: [], compared: 3, leftOut: {}, unexplained: new Map() })
  })

  it.each(['a link that the recording prepares', 'a link from before'])(
    'asks a watch after the request that ended its wait: the completion of %s',
    async which => {
      const url = '/cloud/devices/links'
      const asked = `${url}?device_link_token=device.one`
      const watch = { index: '1' }
      const isPrepared = which.includes('prepares')
      const prepared = {
        device_link_id: 'one',
        device_link_token: 'device.one',
        device_link_url: 'https://hub.example/devices/link/device.one',
      }
      const entries: Recorded[] = [
        {
          url: `/cloud/games/${ids.tanks}`,
          headers: bearer('cloud.secret'),
          answer: { game: {} },
          at: startAt,
        },
        ...(isPrepared ? [{ method: 'POST', url, answer: prepared, at: startAt }] : []),
        { url: asked, answer: { watch }, at: startAt + 1_000 },
        {
          url: `${asked}&watch_index=1`,
          answer: { cloud_token: 'cloud.new', watch },
          at: startAt + 2_000,
          took: 5_000,
        },
        {
          method: 'POST',
          url: `${url}/complete`,
          headers: bearer('cloud.secret'),
          body: { device_link_token: 'device.one', game_id: ids.tanks },
          answer: {},
          at: startAt + 4_000,
        },
      ]

      const { drifts } = await compare(entries)

      expect(drifts.filter(({ request }) => request.includes('devices/links'))).toEqual([])
    },
  )

  it('leaves out the calls of game servers, which need the token of a lobby', async () => {
    const ready = {
      method: 'POST',
      url: '/matchmaker/lobbies/ready',
      headers: bearer('lobby.secret'),
      body: {},
      answer: {},
    }

    expect(await compare([{ answer: emptyList }, ready])).toMatchObject({
      compared: 1,
      leftOut: { 'of game servers': 1 },
    })
  })

  it('follows the ids and tokens that the service has made', async () => {
    const entries = await recordedAt([
      find('ffa'),
      request('POST', '/cloud/devices/links'),
      post(`/cloud/games/${ids.tanks}/namespaces/${ids.prod}/tokens/public`, {}, tokens.cloud),
    ])
    const [seat, made, token] = entries.slice(-3).map(({ answer }) => answer) as [Seat, Made, { token: string }]
    const later = [
      {
        method: 'POST',
        url: '/matchmaker/lobbies/join',
        body: { lobby_id: seat.lobby.lobby_id },
        headers: bearer(tokens.public),
        answer: seat,
        at: startAt,
      },
      {
        url: `/cloud/devices/links?device_link_token=${made.device_link_token}`,
        answer: { watch: { index: '1' } },
        at: startAt,
      },
      { headers: bearer(token.token), answer: entries[0]?.answer, at: startAt },
    ]

    const { drifts } = await compare([...entries, ...later])

    expect(drifts.filter(({ sure }) => sure !== 'possible')).toEqual([])
  })

  const changed = (change: (answer: ListAnswer) => object) => async () => {
    const [entry] = await recordedAt([])
    // The world is made from the first list.
    return [entry, { ...entry, answer: change(structuredClone(entry?.answer as ListAnswer)) }] as Recorded[]
  }
  it.for([
    [
      'another status',
      async () => [{ answer: emptyList }, { method: 'POST', url: '/matchmaker/lobbies/find', body: {}, answer: {} }],
      'status  certain',
    ],
    [
      'another code',
      async () => [
        { answer: emptyList },
        {
          method: 'POST',
          url: '/matchmaker/lobbies/find',
          body: { game_modes: [] },
          status: 400,
          answer: { code: 'API_BAD_BODY', message: '' },
        },
      ],
      'code code certain',
    ],
    ['a field that the mock lacks', changed(list => ({ ...list, season: 3 })), 'missing season certain'],
    ['a field that only the mock has', changed(({ regions: _, ...list }) => list), 'extra regions certain'],
    [
      'another type',
      changed(list => ({ ...list, lobbies: list.lobbies.map(one => ({ ...one, max_players_normal: '2' })) })),
      'type lobbies[].max_players_normal certain',
    ],
    ['null', changed(list => ({ ...list, regions: null })), 'type regions certain'],
    [
      'another value',
      changed(list => ({ ...list, lobbies: list.lobbies.map(one => ({ ...one, max_players_normal: 77 })) })),
      'value lobbies[].max_players_normal likely',
    ],
    [
      'another number of players',
      changed(list => ({ ...list, lobbies: list.lobbies.map(one => ({ ...one, total_player_count: 77 })) })),
      'value lobbies[].total_player_count possible',
    ],
    [
      'another state',
      changed(list => ({ ...list, lobbies: list.lobbies.map(one => ({ ...one, state: { map: 'sand' } })) })),
      'value lobbies[].state.map possible',
    ],
    [
      'a missing mode',
      changed(list => ({ ...list, game_modes: list.game_modes.slice(1) })),
      'extra game_modes[] likely',
    ],
    [
      'another mode',
      changed(list => ({ ...list, game_modes: [...list.game_modes, { game_mode_id: 'new' }] })),
      'missing game_modes[] likely',
    ],
    [
      'a lobby that others made',
      changed(list => ({ ...list, lobbies: [...list.lobbies, { ...list.lobbies[0], lobby_id: 'others' }] })),
      'missing lobbies[] possible',
    ],
    [
      'another order',
      changed(list => ({ ...list, game_modes: list.game_modes.toReversed() })),
      'order game_modes possible',
    ],
  ] as const)('finds %s', async ([, entries, expected]) => {
    const { drifts } = await compare(await entries())

    expect(drifts.map(({ kind, path, sure }) => `${kind} ${path} ${sure}`)).toContain(expected)
    expect(new Set(drifts.map(({ kind, path }) => `${kind} ${path}`)).size).toBeLessThanOrEqual(2)
  })

  const anyField = fc.oneof(
    fc.tuple(
      fc.constant('lobbies' as const),
      fc.constantFrom('game_mode_id', 'total_player_count', 'max_players_normal', 'max_players_direct'),
    ),
    fc.tuple(
      fc.constant('regions' as const),
      fc.constantFrom('provider_display_name', 'region_display_name', 'datacenter_coord', 'region_id'),
    ),
    fc.tuple(fc.constant('game_modes' as const), fc.constantFrom('game_mode_id')),
  )
  test.prop([anyField, fc.nat(9), fc.constantFrom('is missing', 'is null', 'is an object of another kind')], {
    numRuns: inject('runs'),
  })('names a field of the first list that has another form than the contract', async ([table, field], at, how) => {
    const [entry] = await recordedAt([])
    const answer = structuredClone(entry?.answer as ListAnswer)
    const elements = answer[table] as Record<string, unknown>[]
    const element = elements[at % elements.length]
    if (how === 'is missing') delete element?.[field]
    else Object.assign(element ?? {}, { [field]: how === 'is null' ? null : [1] })

    const { drifts } = await compare([{ ...entry, answer }])

    expect(drifts.filter(({ sure }) => sure === 'certain').map(({ path }) => path)).toContain(`${table}[].${field}`)
  })
})

describe('a recording of the mock itself', () => {
  const development = (request: TestRequest) => ({ ...request, headers: bearer(tokens.development) })
  const statistics = request('GET', '/matchmaker/players/statistics', tokens.public)
  const scenario = { ...tanks, client: { latitude: 52.52, longitude: 13.4 } }

  it.for([
    ['statistics without another call', [{ ...list, headers: {} }, statistics]],
    ['statistics of game modes with some regions', [list, statistics]],
    ['a find with a development token', [development(list), development(find('duel'))]],
    ['finds that make lobbies', [list, find('duel'), find('duel'), find('duel'), find('duel'), find('duel')]],
  ] as const)('does not differ: %s', async ([, requests]) => {
    const mock = createMock({ scenario, seed: 1 })
    const entries = await record(mock, requests, startAt)
    await mock.close()

    expect((await compare(entries)).drifts).toEqual([])
  })

  it.each(['by a request with the token of its game', 'by somebody else'])(
    'does not differ: a new link that is completed %s',
    async how => {
      const mock = createMock({ scenario, seed: 1 })
      const [made] = await record(mock, [post('/cloud/devices/links', {})], startAt)
      if (!made) throw new Error('nothing was recorded')
      const { device_link_token } = made.answer as Made
      const before = await record(mock, [list, link(device_link_token)], startAt)
      const completion = post('/cloud/devices/links/complete', { device_link_token, game_id: ids.tanks }, tokens.cloud)
      const isRecorded = how.includes('request')
      const completed = await record(mock, [completion], startAt + 1_000)
      const after = await record(mock, [link(device_link_token)], startAt + 2_000)
      await mock.close()

      const entries = [made, ...before, ...(isRecorded ? completed : []), ...after]
      expect((await compare(entries)).drifts).toEqual([])
    },
  )
})

it('completes a link without a request, which would use up a recorded fault', async () => {
  const url = '/cloud/devices/links'
  const [one, two] = ['device.one', 'device.two']
  const watch = { index: '1' }
  const headers = bearer('cloud.secret')
  const completion = {
    method: 'POST',
    url: `${url}/complete`,
    headers,
    body: { device_link_token: two, game_id: ids.tanks },
  }
  const made = (token: string) => ({
    device_link_id: token,
    device_link_token: token,
    device_link_url: `https://hub.example/devices/link/${token}`,
  })
  const entries: Recorded[] = [
    { method: 'POST', url, answer: made(one), at: startAt },
    { method: 'POST', url, answer: made(two), at: startAt },
    { url: `${url}?device_link_token=${one}`, answer: { cloud_token: 'cloud.new', watch }, at: startAt + 1_000 },
    { ...completion, status: 503, answer: { code: 'ERROR', message: '' }, at: startAt + 2_000 },
    { ...completion, answer: {}, at: startAt + 3_000 },
    { url: `${url}?device_link_token=${two}`, answer: { cloud_token: 'cloud.new2', watch }, at: startAt + 4_000 },
  ]

  expect((await compare(entries)).drifts).toEqual([])
})

describe('mockmaker diff', () => {
  async function har(entries: readonly Recorded[]): Promise<string> {
    const file = join(await folder(), 'session.har')
    await writeFile(file, recordedHar(entries))
    return file
  }

  it('prints nothing but a count if nothing differs', async () => {
    expect(await runHere(['diff', await har([{ answer: emptyList }])])).toEqual({
      code: 0,
      stdout: '1 request compared, no difference\n',
      stderr: '',
    })
  })

  it('prints each difference once, the surest first, and exits with 1', async () => {
    const entries = (await recordedAt([])).slice(0, 1)
    const answer = entries[0]?.answer as ListAnswer
    const other = {
      ...entries[0],
      answer: { ...answer, season: 3, lobbies: answer.lobbies.map(one => ({ ...one, total_player_count: 77 })) },
    }

    const { code, stdout } = await runHere(['diff', await har([...entries, other, other])])

    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      '✗ GET /matchmaker/lobbies/list ×2: missing season: recorded a number, mock absent (certain)',
      expect.stringMatching(
        /^· GET \/matchmaker\/lobbies\/list ×2: value lobbies\[\]\.total_player_count: recorded 77, mock \d \(possible\)$/,
      ),
      '3 requests compared, differences: 1 certain, 1 possible',
      '',
    ])
  })

  it('counts the requests that it does not compare, by the reason', async () => {
    const ready = { method: 'POST', url: '/matchmaker/lobbies/ready', headers: bearer('lobby.secret'), answer: {} }
    const file = await har([{ answer: emptyList }, ready, { url: '/favicon.ico', answer: {} }])

    const { stdout } = await runHere(['diff', file])

    expect(stdout).toBe('1 request compared, no difference. Left out: 1 of game servers, 1 for other paths\n')
    const { leftOut } = JSON.parse((await runHere(['diff', '--json', file])).stdout)
    expect(leftOut).toEqual({ 'of game servers': 1, 'for other paths': 1 })
  })

  it('exits with 0 if differences are only possible', async () => {
    const list = (total_player_count: number) => ({
      answer: { ...emptyList, lobbies: [{ ...lobby, total_player_count }] },
    })

    expect((await runHere(['diff', await har([list(1), list(2)])])).code).toBe(0)
  })

  describe('with a baseline', () => {
    const season = 'GET /matchmaker/lobbies/list: missing season'
    const session = () => har([{ answer: emptyList }, { answer: { ...emptyList, season: 1 } }])
    const baseline = async (text: string) => {
      const file = join(await folder(), 'allowed.txt')
      await writeFile(file, text)
      return file
    }

    it('passes if all certain and likely differences are listed', async () => {
      const file = await baseline(`# Until the mock has seasons.\n\n${season}\n`)

      expect(await runHere(['diff', await session(), '--baseline', file])).toEqual({
        code: 0,
        stdout: `· ${season}: recorded a number, mock absent (certain, allowed)\n2 requests compared, differences: 1 certain\n`,
        stderr: '',
      })
    })

    it('reads a list that Windows PowerShell has written, with a line twice', async () => {
      const file = await baseline('')
      await writeFile(file, `\uFEFF# Seasons\r\n${season}\r\n${season}\r\n`, 'utf16le')

      expect(await runHere(['diff', await session(), '--baseline', file])).toMatchObject({ code: 0, stderr: '' })
    })

    it('fails for a difference that is not listed, and for a listed one that is gone', async () => {
      const file = await baseline('GET /matchmaker/lobbies/list: missing seasons\n')

      const { code, stdout } = await runHere(['diff', await session(), '--baseline', file])
      const passed = await runHere(['diff', await har([{ answer: emptyList }]), '--baseline', await baseline(season)])
      const asJson = await runHere(['diff', '--json', await session(), '--baseline', file])

      expect(code).toBe(1)
      expect(stdout).toContain(`✗ ${season}: recorded a number`)
      expect(stdout).toContain(
        `✗ ${file}:1: GET /matchmaker/lobbies/list: missing seasons: this difference is gone. Remove the line. Did you mean ${season}?`,
      )
      expect(passed.code).toBe(1)
      expect(JSON.parse(asJson.stdout)).toMatchObject({
        gone: ['GET /matchmaker/lobbies/list: missing seasons'],
        passed: false,
      })
    })

    it('tells apart two statuses of one request', async () => {
      const find = { method: 'POST', url: '/matchmaker/lobbies/find', body: {} }
      const file = await baseline('POST /matchmaker/lobbies/find: status: recorded 200, mock 400 API_BAD_BODY')
      const session = await har([{ answer: emptyList }, { ...find, answer: {} }])
      const other = await har([{ answer: emptyList }, { ...find, status: 201, answer: {} }])

      expect((await runHere(['diff', session, '--baseline', file])).code).toBe(0)
      expect((await runHere(['diff', other, '--baseline', file])).code).toBe(1)
    })

    it('names a line that is no difference, and a file that it cannot read', async () => {
      const file = await baseline(`${season}\nseason`)

      const results = [
        await runHere(['diff', await session(), '--baseline', file]),
        await runHere(['diff', await session(), '--baseline', `${file}.gone`]),
      ]

      expect(results.map(({ code }) => code)).toEqual([1, 1])
      expect(results[0]?.stderr).toContain(`${file}:2: "season" is no difference: expected one such as "${season}"`)
      expect(results[1]?.stderr).toContain(`cannot read the baseline ${file}.gone: it does not exist`)
    })
  })

  it('prints JSON with --json', async () => {
    const { code, stdout } = await runHere([
      'diff',
      '--json',
      await har([{ answer: emptyList }, { answer: { ...emptyList, season: 1 } }]),
    ])

    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      passed: false,
      compared: 2,
      leftOut: {},
      unexplained: 0,
      drifts: [
        {
          request: 'GET /matchmaker/lobbies/list',
          kind: 'missing',
          path: 'season',
          sure: 'certain',
          recorded: 'a number',
          mock: 'absent',
          count: 1,
        },
      ],
    })
  })

  it('prints no token of the recording', async () => {
    const secret = 'secret12345678'
    const headers = bearer(`pub_prod.${secret}`)
    const regions = [{ ...region, region_display_name: secret }]
    const game_modes = [{ game_mode_id: secret, [secret]: secret }]

    const { stdout, stderr } = await runHere([
      'diff',
      await har([
        { headers, answer: { ...emptyList, game_modes } },
        { headers, answer: { ...emptyList, game_modes, regions, [secret]: 1 } },
      ]),
    ])

    expect(stdout).toContain('value regions[].region_display_name')
    expect(stdout).toContain('(certain)')
    expect(stdout + stderr).not.toContain(secret.slice(0, 8))
  })

  it('ends with 1 if there is nothing to compare', async () => {
    const file = await har([{ url: '/other' }])

    expect(await runHere(['diff', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} has no answered request that the mock can replay: mockmaker routes lists the requests\n`,
    })
  })

  it.for([
    [[], "missing required argument 'file'"],
    [['--nope', 'a'], "unknown option '--nope'"],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stderr } = await runHere(['diff', ...args])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
