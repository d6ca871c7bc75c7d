import { chmod, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, inject, it, vi } from 'vitest'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { readHar } from '../../../src/server/har/read.js'
import { compareRecording } from '../../../src/server/har/replay.js'
import { scenarioOf } from '../../../src/server/har/scenario-of.js'
import { folder } from '../../support/command.js'
import { ask, request } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { runHere } from '../../support/run-here.js'
import { bearer, ids, startAt, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'
import { listAnswer, lobby, type Recorded, record, recordedEntry, recordedHar, region } from './recorded-har.js'

const list = '/matchmaker/lobbies/list'
const linkUrl = (token: string) => `/cloud/devices/links?device_link_token=${token}`
const watch = { index: '1' }

const imported = (entries: readonly Recorded[]) => scenarioOf(readHar(recordedHar(entries), 'session.har'))

/** The scenario of a recording. It is valid. */
function scenarioFrom(entries: readonly Recorded[]) {
  const { scenario } = imported(entries)
  readScenario(scenario)
  return scenario
}

function mockOf(scenario: object): Mock {
  const mock = closedAfterTest(createMock({ scenario: { ...scenario, clock: 'frozen' } }))
  return mock
}

const seat = {
  lobby: {
    lobby_id: 'one',
    region: { region_id: 'moon', display_name: 'Moon' },
    ports: {},
    player: { token: 'player.secret' },
  },
  ports: {
    default: { hostname: 'host.example', host: 'host.example:4000', port: 4000, is_tls: true },
    voice: { hostname: 'host.example', port_range: { min: 5, max: 9 }, is_tls: false },
  },
  player: { token: 'player.secret' },
}

describe('the scenario of a recording', () => {
  test.prop([fc.array(fc.oneof(randomRead, randomWriteCall), { maxLength: 10 })], { numRuns: inject('runs') })(
    'is valid, and lists what the first list of each namespace has',
    async requests => {
      const mock = createMock({ scenario: tanks, seed: 1 })
      const first = { ...request('GET', list, tokens.public), query: 'include_state=true' }
      const entries = await record(mock, [first, ...requests], startAt)
      await mock.close()

      const { scenario, redaction } = imported(entries)
      const copy = createMock({ scenario: { ...scenario, clock: 'frozen' } })
      const answer = await ask(copy, { ...first, headers: bearer(redaction.tokens.get(tokens.public) ?? '') })
      await copy.close()

      const byId = (text: string) => {
        const { lobbies, game_modes, regions } = JSON.parse(text)
        const sorted = (all: object[], key: string) =>
          all.toSorted((a, b) => String(a[key as keyof object]).localeCompare(String(b[key as keyof object])))
        return [sorted(lobbies, 'lobby_id'), sorted(game_modes, 'game_mode_id'), sorted(regions, 'region_id')]
      }
      expect(byId(answer.body)).toEqual(byId(JSON.stringify(entries[0]?.answer)))
    },
  )

  it('has the games and namespaces of cloud calls, and their limits', async () => {
    const mock = mockOf(tanks)
    const game = request('GET', `/cloud/games/${ids.tanks}`, tokens.cloud)
    const namespace = request('GET', `/cloud/games/${ids.tanks}/namespaces/${ids.prod}`, tokens.cloud)
    const entries = await record(mock, [game, namespace, request('GET', list, tokens.public)], startAt)

    const { scenario, redaction } = imported(entries)
    const copy = mockOf(scenario)
    const again = (one: typeof game) => ask(copy, { ...one, headers: bearer(redaction.tokens.get(tokens.cloud) ?? '') })

    expect(JSON.parse((await again(game)).body).game).toMatchObject({
      ...(entries[0]?.answer as { game: object } | undefined)?.game,
      total_player_count: 1,
    })
    const { namespace: whole } = Object(entries[1]?.answer) as { namespace: { config: { matchmaker: object } } }
    const { config, ...summary } = whole
    expect(JSON.parse((await again(namespace)).body).namespace).toMatchObject({
      ...summary,
      config: { matchmaker: config.matchmaker, cdn: { domains: [] } },
    })
  })

  it('names the namespace by the label of its token if no cloud call names it', () => {
    const headers = bearer('dev_my_staging.eyJhbGciOi')

    expect(scenarioFrom([{ headers, answer: listAnswer }]).games).toEqual([
      {
        name_id: 'game',
        namespaces: [
          {
            name_id: 'my-staging',
            tokens: { development: 'dev_my_staging.mock.recorded-1' },
            game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
            lobbies: [{ lobby_id: 'one', game_mode_id: 'duel', region_id: 'moon', total_player_count: 1 }],
          },
        ],
      },
    ])
  })

  it('begins with the first list, and adds the states of a later one', () => {
    const later = { ...lobby, total_player_count: 2, state: { map: 'dust' } }
    const { scenario, used } = imported([
      { answer: listAnswer },
      { url: `${list}?include_state=true`, answer: { ...listAnswer, lobbies: [later, { ...lobby, lobby_id: 'two' }] } },
      { answer: listAnswer },
    ])

    expect(scenario.games?.[0]?.namespaces?.[0]?.lobbies).toMatchObject([
      { lobby_id: 'one', total_player_count: 1, state: { map: 'dust' } },
    ])
    expect(used.size).toBe(2)
  })

  it('costs as much as its game modes and lobbies together, and not one times the other', () => {
    const count = 300
    const game_modes = Array.from({ length: count }, (_, i) => ({ game_mode_id: `mode-${i}` }))
    const lobbies = game_modes.map(({ game_mode_id }, i) => ({ ...lobby, lobby_id: `lobby-${i}`, game_mode_id }))
    const recording = readHar(recordedHar([{ answer: { ...listAnswer, game_modes, lobbies } }]), 'session.har')
    const added = vi.spyOn(Set.prototype, 'add')

    const { games = [] } = scenarioOf(recording).scenario

    expect(added.mock.calls.length).toBeLessThan(10 * count)
    expect(games[0]?.namespaces?.[0]?.game_modes).toHaveLength(count)
  })

  it('has a region as an id if it is as in the catalogue, and whole if not', () => {
    const { regions } = scenarioFrom([
      { answer: listAnswer },
      {
        url: '/matchmaker/regions',
        answer: {
          regions: [
            {
              ...region,
              region_id: 'lnd-fra',
              provider_display_name: 'Linode',
              region_display_name: 'Frankfurt',
              datacenter_coord: { latitude: 50.11044, longitude: 8.68183 },
            },
            { ...region, region_id: 'lnd-atl' },
          ],
        },
      },
    ])

    const { datacenter_distance_from_client: _, ...own } = region
    expect(regions).toEqual([own, 'lnd-fra', { ...own, region_id: 'lnd-atl' }])
  })

  it('places the client at the nearest region, unless the request says where it is', () => {
    const near = { ...region, region_id: 'lnd-fra', datacenter_distance_from_client: { kilometers: 1, miles: 1 } }
    const answer = { ...listAnswer, regions: [region, { ...near, datacenter_coord: { latitude: 50, longitude: 8 } }] }

    expect(scenarioFrom([{ answer }]).client).toEqual({ latitude: 50, longitude: 8 })
    expect(scenarioFrom([{ answer, headers: { 'x-coords': '1,2' } }]).client).toBeUndefined()
  })

  it('has the ports of a seat without their host', () => {
    const { games } = scenarioFrom([
      { answer: listAnswer },
      { method: 'POST', url: '/matchmaker/lobbies/find', body: { game_modes: ['duel'] }, answer: seat },
    ])

    expect(games?.[0]?.namespaces?.[0]?.game_modes).toEqual([
      {
        game_mode_id: 'duel',
        max_players: 2,
        ports: {
          lobby_ports: [
            { label: 'default', target_port: 4000, proxy_protocol: 'https' },
            { label: 'voice', port_range: { min: 5, max: 9 }, proxy_protocol: 'udp' },
          ],
        },
      },
    ])
  })

  it('completes a link when the recorded one was completed', async () => {
    const scenario = scenarioFrom([
      { url: linkUrl('device.one'), answer: { watch }, at: startAt },
      {
        url: `${linkUrl('device.one')}&watch_index=1`,
        answer: { cloud_token: 'cloud.secret', watch },
        at: startAt + 40,
        took: 2_000,
      },
    ])
    expect(scenario.device_links).toEqual([
      { token: 'device.mock.recorded-1', status: 'pending', completes_after: '2040ms' },
    ])
    const mock = mockOf(scenario)
    const status = async () =>
      JSON.parse(
        (
          await ask(mock, {
            method: 'GET',
            path: '/cloud/devices/links',
            query: 'device_link_token=device.mock.recorded-1',
          })
        ).body,
      )

    await mock.default.clock.advance('2s')
    expect(await status()).not.toHaveProperty('cloud_token')
    await mock.default.clock.advance('40ms')
    expect(await status()).toHaveProperty('cloud_token')
  })

  it('has a complete link with a token of its own, and no link that the recording made itself', () => {
    const { device_links } = scenarioFrom([
      {
        method: 'POST',
        url: '/cloud/devices/links',
        answer: { device_link_id: 'a', device_link_token: 'device.made', device_link_url: 'https://hub.example' },
      },
      { url: linkUrl('device.made'), answer: { watch } },
      { url: linkUrl('device.old'), answer: { cloud_token: 'cloud.secret', watch } },
    ])

    expect(device_links).toEqual([
      { token: 'device.mock.recorded-1', status: 'complete', cloud_token: 'cloud.mock.recorded-2' },
    ])
  })

  it('repeats an error of the service at its place', async () => {
    const failed = (status: number, code?: string, headers = {}): Recorded => ({
      status,
      answer: code === undefined ? '<h1>Bad gateway</h1>' : { code, message: 'secret' },
      answerHeaders: headers,
    })
    const entries = [
      { answer: listAnswer },
      failed(502),
      failed(502),
      { answer: listAnswer },
      failed(429, 'API_RATE_LIMIT', { 'Retry-After': '7' }),
      failed(400, 'OWN_CODE'),
    ]
    const { scenario } = imported(entries)
    expect(scenario.faults).toEqual([
      { operation: 'lobbies.list', after: 1, times: 2, effect: { error: { status: 502 } } },
      {
        operation: 'lobbies.list',
        after: 2,
        times: 1,
        effect: { error: { status: 429, code: 'API_RATE_LIMIT', retry_after: 7 } },
      },
      { operation: 'lobbies.list', after: 2, times: 1, effect: { error: { status: 400, code: 'OWN_CODE' } } },
    ])
    const mock = mockOf(scenario)
    const statuses = []
    for (const _ of entries) statuses.push((await ask(mock, request('GET', list))).status)

    expect(statuses).toEqual([200, 502, 502, 200, 429, 400])
  })

  it('has limits and ports from any list and seat, also where the first ones show none', () => {
    const empty = { ...listAnswer, game_modes: [{ game_mode_id: 'ffa' }, { game_mode_id: 'duel' }], lobbies: [] }
    const find = (lobby_id: string, game_modes: string[]): Recorded => ({
      method: 'POST',
      url: '/matchmaker/lobbies/find',
      body: { game_modes },
      answer: { ...seat, lobby: { ...seat.lobby, lobby_id } },
    })

    const { games } = scenarioFrom([
      { answer: empty },
      find('one', ['ffa', 'duel']),
      { answer: { ...empty, lobbies: [lobby] } },
    ])

    expect(games?.[0]?.namespaces?.[0]?.game_modes).toMatchObject([
      { game_mode_id: 'ffa' },
      { game_mode_id: 'duel', max_players: 2, ports: { lobby_ports: [{ label: 'default' }, { label: 'voice' }] } },
    ])
    expect(games?.[0]?.namespaces?.[0]?.game_modes?.[0]).not.toHaveProperty('ports')
  })

  it('repeats an error that this world cannot give by a fault, which names its entry', async () => {
    const join: Recorded = {
      method: 'POST',
      url: '/matchmaker/lobbies/join',
      body: { lobby_id: 'one' },
      status: 400,
      answer: { code: 'MATCHMAKER_LOBBY_FULL', message: 'secret' },
    }
    const recording = readHar(recordedHar([{ answer: listAnswer }, join, join]), 'session.har')

    const { unexplained } = await compareRecording(recording)
    const { scenario } = scenarioOf(recording, unexplained)

    const message = 'entry 2 of the recording: this world would answer 200 instead'
    expect(scenario.faults).toEqual([
      {
        operation: 'lobbies.join',
        times: 2,
        effect: { error: { status: 400, code: 'MATCHMAKER_LOBBY_FULL', message } },
      },
    ])
    const mock = mockOf(scenario)
    const again = { method: 'POST', path: '/matchmaker/lobbies/join', body: '{"lobby_id":"one"}' }
    const answers = [await ask(mock, again), await ask(mock, again), await ask(mock, again)]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200])
    expect(JSON.parse(answers[0]?.body ?? '')).toEqual({ code: 'MATCHMAKER_LOBBY_FULL', message })
  })

  it('finds the calls below any path and host', () => {
    const { used } = imported([{ url: 'https://other.example/v1/w/test/matchmaker/lobbies/list', answer: listAnswer }])

    expect(used.size).toBe(1)
  })
})

describe('a HAR', () => {
  const text = JSON.stringify(listAnswer)
  const withContent = (content: object, headers: object[] = []) => {
    const entry = recordedEntry({ answer: listAnswer })
    return { ...entry, response: { ...entry.response, headers, content: { size: 9, mimeType: 'x', ...content } } }
  }

  it.for([
    ['a text', { text }, undefined],
    ['base64', { text: Buffer.from(text).toString('base64'), encoding: 'base64' }, undefined],
    [
      'base64 with the header of a compression',
      { text: Buffer.from(text).toString('base64'), encoding: 'base64' },
      'gzip',
    ],
    ['gzip', { text: gzipSync(text).toString('base64'), encoding: 'base64' }, 'gzip'],
    ['gzip, in capitals', { text: gzipSync(text).toString('base64'), encoding: 'base64' }, 'GZIP'],
    [
      'gzip and then Brotli',
      { text: brotliCompressSync(gzipSync(text)).toString('base64'), encoding: 'base64' },
      'gzip, br',
    ],
    ['Brotli', { text: brotliCompressSync(text).toString('base64'), encoding: 'base64' }, 'br'],
  ] as const)('may have a body as %s', ([, content, compression]) => {
    const headers = compression === undefined ? [] : [{ name: 'Content-Encoding', value: compression }]
    const { exchanges } = readHar(recordedHar([withContent(content, headers) as never]), 'session.har')

    expect(exchanges.map(({ answer }) => answer)).toEqual([listAnswer])
  })

  it('leaves out bodies that become too large together', () => {
    const large = gzipSync(JSON.stringify({ ...listAnswer, unknown: 'x'.repeat(33 * 1024 * 1024) })).toString('base64')
    const entry = withContent({ text: large, encoding: 'base64' }, [{ name: 'content-encoding', value: 'gzip' }])
    const { exchanges, leftOut } = readHar(recordedHar([entry, entry] as never), 'session.har')

    expect([exchanges.length, leftOut.get('without a kept body')]).toEqual([1, [2]])
  })

  const sent = JSON.stringify({ game_modes: ['duel'] })
  const withSent = (postData: object | undefined, bodySize: number) => {
    const entry = recordedEntry({ method: 'POST', url: '/matchmaker/lobbies/find', answer: {} })
    return { ...entry, request: { ...entry.request, bodySize, postData } }
  }

  it.for([
    ['a text', { mimeType: 'text/plain', text: sent }],
    ['a text that a proxy has encoded', { text: Buffer.from(sent).toString('base64'), encoding: 'base64' }],
    ['a file beside it, as Playwright attaches it', { text: '', params: [], _file: 'a1.json' }],
  ] as const)('may have the body of a request as %s', ([, postData]) => {
    const entries = recordedHar([withSent(postData, sent.length) as never])
    const { exchanges } = readHar(entries, 'session.har', { readAttached: () => Buffer.from(sent) })

    expect(exchanges.map(({ body }) => body)).toEqual([{ game_modes: ['duel'] }])
  })

  it('leaves out a request without its body', () => {
    const noBody = withSent(undefined, 0)
    const ofHeader = { ...noBody.request, headers: [{ name: 'Content-Length', value: '24' }] }
    const entries = [
      withSent({ text: '' }, 24),
      withSent(undefined, 24),
      { ...noBody, request: ofHeader },
      withSent({ text: '', _file: 'gone.json' }, 24),
    ]
    const empty = { method: 'POST', url: '/cloud/devices/links', answer: {} }
    const { exchanges, leftOut } = readHar(recordedHar([empty, noBody, ...entries] as never), 'session.har')

    expect(exchanges.map(({ operation }) => operation)).toEqual(['devices.links.prepare'])
    expect(Object.fromEntries(leftOut)).toEqual({ 'without a kept request body': [2, 3, 4, 5, 6] })
  })

  const encoded = Buffer.from(text).toString('base64')
  it.for([
    ['a cut body', { text: text.slice(0, 40), mimeType: 'application/json', size: 30 }],
    ['a cut body', { text: text.slice(0, 40), mimeType: 'x', size: text.length }],
    ['a cut body', { text: encoded.slice(0, 40), encoding: 'base64', size: text.length }],
    ['a kept body', { text: '', size: text.length }],
    ['a kept body', { size: 0 }],
    ['a kept body', { comment: 'Response bodies are not included.' }],
    ['an unreadable body', { text: gzipSync(text).subarray(0, 40).toString('base64'), encoding: 'base64' }],
    ['an unreadable body', { text: encoded, encoding: 'base85' }],
  ] as const)('leaves out an answer with %s: %#', ([reason, content]) => {
    const entry = withContent(content, [{ name: 'content-encoding', value: 'gzip' }])
    const { exchanges, leftOut } = readHar(recordedHar([entry] as never), 'session.har')

    expect([exchanges, [...leftOut]]).toEqual([[], [[expect.stringContaining(reason), [1]]]])
  })

  it('leaves out a request whose body is cut', () => {
    const cut = sent.slice(0, 9)
    const entries = [withSent({ text: cut, mimeType: 'x' }, sent.length), withSent({ text: cut, mimeType: 'x' }, 9)]
    const { leftOut } = readHar(recordedHar(entries as never), 'session.har')

    expect([...leftOut]).toEqual([
      ['with a cut request body', [1]],
      ['with an unreadable request body', [2]],
    ])
  })

  it.for([
    ['Chromium', { response: { _fetchedViaServiceWorker: true } }],
    ['Playwright', { _serviceWorkerRef: 'worker@1' }],
  ] as const)('counts a request once that a service worker has repeated, says %s', ([, mark]) => {
    const marked = (recorded: Recorded) => {
      const entry = recordedEntry(recorded)
      return { ...entry, ...mark, response: { ...entry.response, ...('response' in mark && mark.response) } }
    }
    const entries = [
      marked({ status: 503, at: 100, took: 50 }),
      recordedEntry({ status: 503, answer: {}, at: 110, took: 20 }),
      // The worker answers these by itself, or later.
      marked({ answer: listAnswer, at: 110 }),
      marked({ status: 503, answer: {}, at: 200 }),
    ]
    const { exchanges, leftOut } = readHar(recordedHar(entries), 'session.har')

    expect(exchanges.map(({ entry }) => entry)).toEqual([2, 3, 4])
    expect([...leftOut]).toEqual([['repeated by a service worker', [1]]])
  })

  it('keeps a request without a time in its place', () => {
    const entries = [300, 100, 200].map(at => recordedEntry({ answer: listAnswer, at }))
    const untimed = { ...recordedEntry({ answer: listAnswer }), startedDateTime: 'today' }
    const { exchanges, incomplete } = readHar(recordedHar([...entries, untimed]), 'session.har')

    expect(exchanges.map(({ entry }) => entry)).toEqual([2, 3, 4, 1])
    expect(incomplete).toEqual([4])
  })

  /** What happens to a recording on its way: a field is dropped, has another type, or a text is cut. */
  const damage = fc.record({
    entry: fc.nat(),
    field: fc.nat(),
    how: fc.constantFrom('drop', 'cut', null, true, {}),
  })

  test.prop([fc.array(fc.oneof(randomRead, randomWriteCall), { maxLength: 6 }), fc.array(damage, { maxLength: 4 })], {
    numRuns: inject('runs'),
  })('is read as it was, or each other entry is named', async (requests, damages) => {
    const mock = createMock({ scenario: tanks, seed: 1 })
    const entries = await record(mock, [request('GET', list, tokens.public), ...requests], startAt)
    await mock.close()
    const whole = recordedHar(entries)
    const { log } = JSON.parse(whole)
    for (const { entry, field, how } of damages) damageField(log.entries[entry % entries.length], { field, how })

    const before = readHar(whole, 'session.har')
    const after = readHar(JSON.stringify({ log }), 'session.har')

    const named = new Set([...[...after.leftOut.values()].flat(), ...after.incomplete, ...scenarioOf(after).misfits])
    const unnamed = ({ exchanges }: typeof before) => exchanges.filter(({ entry }) => !named.has(entry))
    expect(unnamed(after)).toEqual(unnamed(before))
  })

  it('keeps the headers beside one that is wrong', () => {
    const entry = recordedEntry({ answer: listAnswer, headers: { authorization: 'Bearer one', 'x-odd': 'odd' } })
    const har = recordedHar([entry]).replace('"value":"odd"', '"value":null')
    const { exchanges } = readHar(har, 'session.har')

    expect(exchanges.map(({ headers }) => headers.authorization)).toEqual(['Bearer one'])
  })

  it('says what it leaves out, by the reason', () => {
    const entries = [
      { answer: listAnswer },
      { url: '/other', answer: {} },
      { method: 'OPTIONS', status: 204 },
      { status: 0 },
      { status: 302 },
      { status: 304 },
      withContent({}),
      { nonsense: true, request: 1 },
      { url: 'about:blank' },
    ]
    const { exchanges, leftOut } = readHar(recordedHar(entries as never), 'session.har')

    expect(exchanges).toHaveLength(1)
    expect(Object.fromEntries(leftOut)).toEqual({
      'for other paths': [2, 9],
      preflights: [3],
      'without an answer': [4],
      redirects: [5],
      'answered by a cache': [6],
      'without a kept body': [7],
      unreadable: [8],
    })
  })

  it('may have a body in a file beside it, and nowhere else', () => {
    const read = (name: string) => (name === 'a1.json' ? Buffer.from(text) : Buffer.from('{"secret":1}'))
    const entries = ['a1.json', '../secret', '/etc/secret', '.secret'].map(_file => withContent({ _file }))
    const { exchanges } = readHar(recordedHar(entries as never), 'session.har', { readAttached: read })

    expect(exchanges.map(({ answer }) => answer)).toEqual([listAnswer])
  })

  it.for(['', 'secret', '[]', '{"log":{}}', '{"log":{"entries":{"secret":1}}}'])(
    'is refused without its text: %s',
    text => {
      expect(() => readHar(text, 'session.har')).toThrow(
        /^session\.har is no HTTP Archive: expected JSON with log\.entries, as developer tools save it$/,
      )
    },
  )

  it('is named if it was cut', () => {
    expect(() => readHar(recordedHar([]).slice(0, -1), 'session.har')).toThrow(
      /^session\.har is an HTTP Archive that was cut, or whose JSON is wrong: save it again$/,
    )
  })
})

/** Damages one of the fields of an entry. */
function damageField(entry: object, { field, how }: { readonly field: number; readonly how: unknown }): void {
  const places = fieldsIn(entry)
  const [owner, key] = places[field % places.length] ?? [{}, '']
  const value = owner[key]
  // Another address or header would be another request.
  if (how === 'cut') owner[key] = key === 'text' && typeof value === 'string' ? value.slice(0, value.length / 2) : value
  else if (how === 'drop') delete owner[key]
  else owner[key] = how
}

function fieldsIn(value: unknown): (readonly [owner: Record<string, unknown>, key: string])[] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown> // the keys of an array are in its elements
  const inner = Object.values(owner).flatMap(fieldsIn)
  return Array.isArray(value) ? inner : [...Object.keys(owner).map(key => [owner, key] as const), ...inner]
}

describe('no secret of a HAR', () => {
  /** A text that is nowhere by chance. */
  const canary = fc
    .tuple(fc.constantFrom('', 'pub_prod.', 'cloud.', 'dev_x.', 'a/', 'é'), fc.stringMatching(/^[A-Za-z0-9]{24}$/))
    .map(([label, rest]) => ({ whole: label + rest, rest }))

  test.prop([fc.array(canary, { minLength: 100, maxLength: 100 }), fc.boolean()], { numRuns: inject('runs') })(
    'is in the scenario or in a message',
    async (canaries, isBroken) => {
      let next = 0
      // Each place has a secret of its own.
      const secret = () => canaries[next++]?.whole ?? ''
      const text = harWithSecrets(secret)
      expect(next).toBeLessThan(canaries.length)
      const path = await folder()
      const file = join(path, 'session.har')
      await writeFile(file, isBroken ? text.slice(0, -20) : text)

      const { code, stdout, stderr } = await runHere(['import', file])

      expect(code).toBe(isBroken ? 1 : 0)
      const output = stdout + stderr
      const pieces = canaries.flatMap(({ rest }) =>
        Array.from({ length: rest.length - 7 }, (_, at) => rest.slice(at, at + 8)),
      )
      expect(pieces.filter(piece => output.includes(piece))).toEqual([])
    },
  )
})

/** A HAR with secrets in all places that may have one. */
function harWithSecrets(secret: () => string): string {
  const [cookie, key, second, listed] = [secret(), secret(), secret(), secret()]
  const headers = {
    authorization: `Bearer ${secret()}`,
    cookie: `sid=${cookie}; other=${secret()}`,
    'x-api-key': key,
    'x-unknown': secret(),
    origin: `https://${secret()}.example`,
    referer: `https://x.example/?token=${secret()}`,
  }
  const answerHeaders = { 'set-cookie': `sid=${secret()}`, 'x-unknown': secret() }
  const common = {
    headers,
    answerHeaders,
    url: `https://${secret()}@host.example/${secret()}${list}?unknown=${secret()}`,
  }
  const token = secret()
  const unknown = { unknown: secret(), nested: { password: secret(), [secret()]: 1 } }
  const entries = [
    {
      ...common,
      answer: {
        game_modes: [{ game_mode_id: 'duel', ...unknown }],
        lobbies: [
          // Known fields with a token that is a token elsewhere.
          { ...lobby, ...unknown, state: { token: secret(), text: `see ${token}`, [token]: 1 } },
          { ...lobby, lobby_id: token.replaceAll(/\W/g, '') },
        ],
        regions: [
          { ...region, ...unknown, region_display_name: `At ${token}`, provider_display_name: `By ${cookie}` },
          { ...region, region_id: 'mars', region_display_name: second, provider_display_name: listed },
        ],
        ...unknown,
      },
    },
    {
      ...common,
      method: 'POST',
      url: '/matchmaker/lobbies/find',
      body: { game_modes: ['duel'], captcha: secret(), ...unknown },
      answer: { ...seat, ...unknown, player: { token: secret() } },
    },
    { ...common, url: linkUrl(encodeURIComponent(token)), answer: { watch, cloud_token: secret(), ...unknown } },
    {
      ...common,
      url: linkUrl(encodeURIComponent(secret())),
      status: 400,
      answer: { code: 'TOKEN_ERROR', message: secret(), metadata: secret() },
    },
    { ...common, status: 503, answer: { code: `OWN_${'X'.repeat(3)}`, message: secret() } },
    { ...common, status: 502, answer: `<p>${secret()}</p>` },
    {
      ...common,
      url: `/cloud/games/${ids.tanks}`,
      answer: {
        watch,
        game: {
          game_id: ids.tanks,
          create_ts: secret(),
          name_id: secret(),
          display_name: `Game ${token}`,
          developer_group_id: ids.tanks,
          total_player_count: 0,
          namespaces: [
            { namespace_id: ids.prod, create_ts: '', display_name: `Prod ${key}`, name_id: 'prod', version_id: token },
          ],
          versions: [],
          available_regions: [],
          ...unknown,
        },
      },
    },
    { ...common, method: 'POST', url: `/cloud/games/${ids.tanks}/tokens/cloud`, body: {}, answer: { token } },
    {
      ...common,
      method: 'POST',
      url: '/cloud/devices/links/complete',
      body: { device_link_token: secret(), game_id: ids.tanks },
      answer: {},
    },
  ]
  const har = JSON.parse(recordedHar(entries))
  har.log.pages = [{ title: secret(), id: 'p', startedDateTime: '', pageTimings: {} }]
  har.log.comment = secret()
  for (const entry of har.log.entries) {
    entry.serverIPAddress = secret()
    entry._secret = secret()
    entry.request.cookies = [{ name: 'sid', value: listed }]
    entry.response.headers.unshift({ name: 'Set-Cookie', value: `other=${second}` })
    entry.request.postData ??= { mimeType: 'x', params: [{ name: 'token', value: secret() }] }
  }
  return JSON.stringify(har)
}

describe('mockmaker import', () => {
  async function har(entries: readonly Recorded[] = [{ answer: listAnswer }, { url: '/other' }]) {
    const path = await folder()
    const file = join(path, 'session.har')
    await writeFile(file, recordedHar(entries))
    return { path, file, output: join(path, 'world.yaml') }
  }

  it('writes a file for its owner only, and says what it took', async () => {
    const { file, output } = await har()
    await writeFile(output, 'older')
    await chmod(output, 0o666)

    const { code, stdout, stderr } = await runHere(['import', file, '-o', output])

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      `${output}: 1 region, 1 game mode, 1 lobby, 1 game, 1 namespace, from 1 request. Not used: 1 for other paths (entry 2)\n`,
    )
    expect((await stat(output)).mode & 0o777).toBe(0o600)
    expect((await runHere(['validate', output])).code).toBe(0)
  })

  it('counts the answers that do not fit the contract, and takes what fits of them', async () => {
    const wrong = { ...listAnswer, lobbies: [{ ...lobby, total_player_count: '1' }, lobby] }
    const { file, output } = await har([{ answer: wrong }])
    const { file: broken } = await har([{ answer: '{"lobbies":[' }])

    const { stdout } = await runHere(['import', file, '-o', output])
    const { code, stderr } = await runHere(['import', broken])

    expect(stdout).toMatch(
      / 1 lobby, .* 1 answer does not fit the contract \(entry 1\): mockmaker diff .+ shows where\n$/,
    )
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/1 answer does not fit the contract \(entry 1\): .* shows where\n$/),
    ])
  })

  it('names the entries whose errors became faults, because this world would not give them', async () => {
    const join: Recorded = { method: 'POST', url: '/matchmaker/lobbies/join', body: { lobby_id: 'one' } }
    const full = { ...join, status: 400, answer: { code: 'MATCHMAKER_LOBBY_FULL', message: '' } }
    const { file, output } = await har([{ answer: listAnswer }, full])

    const { stdout } = await runHere(['import', file, '-o', output])

    expect(stdout).toMatch(/, 1 fault, .*\. 1 error that this world cannot give is a fault: entry 2\n$/)
  })

  it('prints the scenario without -o, and what it took on standard error', async () => {
    const { file, output } = await har([{ answer: listAnswer }, { answer: listAnswer }])
    await runHere(['import', file, '-o', output])

    const { code, stdout, stderr } = await runHere(['import', file])

    expect([code, stdout]).toEqual([0, await readFile(output, 'utf8')])
    expect(stderr).toMatch(/, from 1 request\. Not used: 1 with nothing new\n$/)
  })

  it('ends with 1 if nothing in it is for a scenario, and writes nothing', async () => {
    const { file, output } = await har([{ url: '/other' }])

    const { code, stdout, stderr } = await runHere(['import', file, '-o', output])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`${file} has no answer that a scenario needs. Not used: 1 for other paths (entry 1)\n`)
    await expect(stat(output)).rejects.toThrow('ENOENT')
  })

  it('refuses a file of more than 64 MiB before it reads it', async () => {
    const { file } = await har()
    await truncate(file, 64 * 1024 * 1024 + 1)

    expect(await runHere(['import', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${file} is larger than 64 MiB: save only the requests to the service\n`,
    })
  })

  it('does not overwrite the recording', async () => {
    const { path, file } = await har()
    const before = await readFile(file, 'utf8')
    await symlink(file, join(path, 'link.yaml'))

    for (const output of [file, join(path, 'link.yaml')])
      expect(await runHere(['import', file, '-o', output])).toEqual({
        code: 1,
        stdout: '',
        stderr: `${output} is the imported file itself: name another file with -o\n`,
      })

    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it.for([
    [[], "missing required argument 'file'"],
    [['a', 'b'], 'too many arguments'],
    [['a', '-o', ''], 'Expected the path of a file.'],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stderr } = await runHere(['import', ...args])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
