import { describe, expect, vi } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { failure, json, ok } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids, tokens } from '../../support/tanks.js'
import { flushPromises, stateOf } from '../../support/worlds.js'

const list = '/matchmaker/lobbies/list'
const lobbiesIn = (got: { readonly body: string }) => (JSON.parse(got.body) as { lobbies: unknown[] }).lobbies.length

describe('a world', () => {
  it.for([
    ['GET', 'lobbies', undefined],
    ['GET', 'clock', undefined],
    ['GET', 'changes', undefined],
    ['DELETE', 'faults', undefined],
    ['DELETE', 'journal', undefined],
    ['DELETE', 'simulation', undefined],
    ['POST', 'journal/next', {}],
    ['POST', 'journal/blocked', { count: 1 }],
    ['POST', 'journal/verify', { operation: 'lobbies.list' }],
    ['POST', 'held/1/check', {}],
  ] as const)('is not created by %s %s', async ([method, path, body], { serve }) => {
    const { mock, steer } = await serve()

    const got = await steer(method, `/w/other/__mock/${path}`, body)

    expect(failure(got)).toBe('404 API_NOT_FOUND')
    expect(json(got)).toMatchObject({
      message:
        'there is no world "other": PUT /__mock/worlds/{id} creates one, and so does its first operation, or a call that changes it. Known: default.',
    })
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it.for([
    ['POST', 'faults', { effect: { delay: '1s' } }],
    ['PUT', 'clock', { mode: 'frozen' }],
    ['POST', 'clock/advance', { by: '1s' }],
    ['POST', 'lobbies', { game_mode_id: 'duel' }],
    ['PATCH', 'lobbies/arena', { is_closed: true }],
    ['POST', 'new/player', {}],
    ['PUT', 'simulation', {}],
    ['PUT', 'client', { location: null }],
    ['PUT', 'scenario', { name: 'empty' }],
    ['PUT', 'snapshot', { revision: 1 }],
    ['POST', 'reset', {}],
  ] as const)('is created by %s %s, whose answer says so once', async ([method, path, body], { serve }) => {
    const { mock, steer } = await serve()

    const first = ok(await steer(method, `/w/other/__mock/${path}`, body))
    const second = await steer(method, `/w/other/__mock/${path}`, body)

    expect(first).toHaveProperty('created', true)
    expect(json(second)).not.toHaveProperty('created')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'other'])
  })

  it.for([
    ['an unknown key', 'PUT', 'clock', { mod: 'frozen' }, '400 API_BAD_BODY'],
    ['an unknown query', 'PUT', 'clock?x=1', { mode: 'frozen' }, '400 API_BAD_QUERY'],
    ['a value that its table refuses', 'POST', 'lobbies', { game_mode_id: 'nope' }, '400 API_BAD_BODY'],
    ['a row that is not there', 'PATCH', 'lobbies/nope', { is_closed: true }, '404 API_NOT_FOUND'],
    ['a fault that is not there', 'PUT', 'faults/9', { effect: { delay: '1s' } }, '404 API_NOT_FOUND'],
    ['an unknown scenario', 'PUT', 'scenario', { name: 'nope' }, '400 API_BAD_BODY'],
  ] as const)('is not created by a call with %s', async ([, method, path, body, expected], { serve }) => {
    const { mock, steer } = await serve()

    expect(failure(await steer(method, `/w/other/__mock/${path}`, body))).toBe(expected)
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('is created for a client, whose records have no mark of that', async ({ serve }) => {
    const { mock, url } = await serve({ maxWorlds: 3 })
    const [one, two, three] = ['one', 'two', 'three'].map(world => createClient(url, { world }))

    expect(await one?.world.lobbies.create({ game_mode_id: 'duel' })).not.toHaveProperty('created')
    expect(await two?.player()).not.toHaveProperty('created')
    await expect(three?.reset()).rejects.toThrow('--max-worlds')
    expect(mock.worlds.list()).toHaveLength(3)
  })

  it('creates links to itself', async ({ serve }) => {
    const { mock, send } = await serve({ publicUrl: 'http://127.0.0.1:4100' })
    await mock.worlds.put('copy', { fork: 'default' })
    await mock.worlds.put('back', { fork: 'copy' })
    const linkIn = async (path: string) => {
      const link = json(await send({ method: 'POST', path: `${path}/cloud/devices/links` })) as Readonly<
        Record<string, string>
      >
      return link.device_link_url?.replace(/device\.mock\..*/, '')
    }

    const links = [await linkIn(''), await linkIn('/w/test-42'), await linkIn('/w/copy'), await linkIn('/w/back')]

    const url = 'http://127.0.0.1:4100'
    const of = (path: string) => `${url}${path}/devices/link/`
    expect(links).toEqual([of(''), of('/w/test-42'), of('/w/copy'), of('/w/back')])
  })

  it('has the page at its path, and its own URL there', async ({ serve }) => {
    const { url, send } = await serve()
    const at = (accept: string) => send({ method: 'GET', path: '/w/other/', headers: { accept } })

    expect((await at('text/html')).body).toBe(
      (await send({ method: 'GET', path: '/', headers: { accept: 'text/html' } })).body,
    )
    expect(json(await at('application/json'))).toMatchObject({ url: `${url}/w/other` })
  })

  it.for(['a b', 'a.b', 'ä', 'x'.repeat(65), ''])('cannot have the id %j', async (id, { serve }) => {
    const { mock, send, steer } = await serve()

    const answers = [
      await send({ method: 'GET', path: `/w/${encodeURIComponent(id)}${list}` }),
      await steer('PUT', `/__mock/worlds/${encodeURIComponent(id)}`, {}),
    ]

    expect(answers.map(failure)).toEqual(['404 API_NOT_FOUND', '404 API_NOT_FOUND'])
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it.for([
    ['a preflight', { method: 'OPTIONS', path: `/w/new${list}`, headers: { origin: 'http://localhost:1' } }],
    [
      'a preflight of the control API',
      { method: 'OPTIONS', path: '/w/new/__mock/reset', headers: { origin: 'http://localhost:1' } },
    ],
    ['a write without the required header', { method: 'POST', path: '/w/new/__mock/reset' }],
    ['an unknown call of the control API', { method: 'GET', path: '/w/new/__mock/x/y/z' }],
    [
      'an image on a page of another site, in other letters',
      { method: 'GET', path: `/w/new${list}`, headers: { 'sec-fetch-site': 'Cross-Site' } },
    ],
    [
      'an image on a page of another site',
      { method: 'GET', path: `/w/new${list}`, headers: { 'sec-fetch-site': 'cross-site' } },
    ],
    [
      'a page of another site',
      {
        method: 'GET',
        path: `/w/new${list}`,
        headers: { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      },
    ],
  ] as const)('is not created by %s', async ([, sent], { serve }) => {
    const { mock, send } = await serve()

    await send(sent)

    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('is created by a page of another site that may read the answer', async ({ serve }) => {
    const { mock, send } = await serve()
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://tanks.example' }

    await send({ method: 'GET', path: `/w/new${list}`, headers })

    expect(mock.worlds.list()).toHaveLength(2)
  })

  it('is refused if there are too many, and created once another one is deleted', async ({ serve }) => {
    const { mock, send } = await serve({ maxWorlds: 2 })
    await mock.worlds.put('one')

    const refused = await send({ method: 'GET', path: `/w/two${list}` })
    await mock.worlds.delete('one')
    const taken = await send({ method: 'GET', path: `/w/two${list}` })

    expect([failure(refused), refused.headers['retry-after'], taken.status]).toEqual(['429 API_RATE_LIMIT', '1', 200])
    expect(refused.body).toContain('--max-worlds')
  })

  it('is deleted when it is unused for the TTL, but not while a request waits in it', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    fakeRealTimers()
    const { mock, steer } = await serve({ worldTtlMs: 60_000 })
    await steer('PUT', '/__mock/worlds/idle', {})
    await steer('PUT', '/__mock/worlds/watched', {})
    const events = mock.worlds.get('watched')?.changes()
    const used = () => mock.worlds.list().map(({ id }) => id)

    vi.advanceTimersByTime(59_000)
    const before = used()
    vi.advanceTimersByTime(7_000)
    const after = used()
    await events?.return?.()
    vi.advanceTimersByTime(67_000)

    expect([before, after, used()]).toEqual([['default', 'idle', 'watched'], ['default', 'watched'], ['default']])
  })

  it('needs no timer if its TTL is longer than a timer can be', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    fakeRealTimers()
    const set = vi.spyOn(globalThis, 'setInterval')
    const { steer } = await serve({ worldTtlMs: 1e12 })

    await steer('PUT', '/__mock/worlds/long', {})

    expect(set.mock.calls.map(([, ms]) => ms)).toEqual([2 ** 31 - 1])
  })

  it('stays if the code has put it, however far fake timers go, and needs no timer', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    fakeRealTimers()
    const { mock, steer } = await serve({ worldTtlMs: 60_000 })
    const started = vi.spyOn(globalThis, 'setInterval')
    const stopped = vi.spyOn(globalThis, 'clearInterval')
    const timers = () => [started.mock.calls.length, stopped.mock.calls.length]
    const kept = await mock.worlds.put('kept')
    const ofCode = timers()
    await steer('PUT', '/__mock/worlds/taken-over', {})
    const ofRequest = timers()
    await mock.worlds.put('taken-over')
    const afterwards = timers()
    await steer('PUT', '/__mock/worlds/kept', { seed: 3 })
    await steer('PUT', '/__mock/worlds/idle', {})

    vi.advanceTimersByTime(24 * 60 * 60_000)

    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'kept', 'taken-over'])
    expect(kept.world.seed).toBe(3)
    expect([ofCode, ofRequest, afterwards, timers()]).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 2],
    ])
  })

  it('is not used by a list of the worlds', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    fakeRealTimers()
    const { mock, steer } = await serve({ worldTtlMs: 60_000 })
    await steer('PUT', '/__mock/worlds/idle', {})

    for (let i = 0; i < 7; i++) {
      mock.worlds.list()
      vi.advanceTimersByTime(10_000)
    }

    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('PUT /__mock/worlds/{world_id}', () => {
  it.for([
    ['GET', '/favicon.ico'],
    ['GET', '/matchmaker'],
    ['DELETE', '/matchmaker/lobbies/list'],
    ['POST', '/'],
  ] as const)('is not created by a request that nothing answers: %s %s', async ([method, path], { serve }) => {
    const { mock, send } = await serve()

    const got = await send({ method, path: `/w/other${path}` })

    expect(failure(got)).toBe('404 API_NOT_FOUND')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })

  it('creates a world with games and namespaces as old as itself, even if it shares rows with earlier worlds', async ({
    serve,
  }) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { mock } = await serve({ scenario: {} })
    const agesIn = ({ world }: Pick<typeof mock, 'world'>) =>
      [...world.games.all(), ...world.namespaces.all()].map(row => world.clock.now() - row.created_at)

    vi.setSystemTime(Date.now() + 3_600_000)
    const later = await mock.worlds.put('later')

    expect([agesIn(later), agesIn(mock)]).toEqual([
      [0, 0],
      [3_600_000, 3_600_000],
    ])
  })

  it('creates a world of a scenario in the body, with another seed', async ({ serve }) => {
    const { client } = await serve()
    const scenario = { title: 'Mine', seed: 1, game_modes: ['duel'] }

    const [one, other] = [
      await client.worlds.put('one', { scenario }),
      await client.worlds.put('other', { scenario, seed: 2 }),
    ]

    const [first, second] = [await one.world.games.all(), await other.world.games.all()]
    expect([await one.world.describe(), await other.world.describe()]).toMatchObject([{ seed: 1 }, { seed: 2 }])
    expect(first).not.toEqual(second)
  })

  it('forks a world, and separates later changes of both', async ({ serve }) => {
    const { mock, client } = await serve()
    await mock.world.lobbies.create({ lobby_id: 'before' })

    const fork = await client.worlds.put('fork', { fork: 'default' })
    await mock.world.lobbies.create({ lobby_id: 'there' })
    await fork.world.lobbies.create({ lobby_id: 'here' })

    const of = async (id: string) => [
      mock.world.lobbies.get(id) !== undefined,
      (await fork.world.lobbies.get(id)) !== undefined,
    ]
    expect([await of('before'), await of('there'), await of('here')]).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ])
  })

  it('gives a fork the random state of the original, or that of another seed', async ({ serve }) => {
    const { mock } = await serve()
    const [same, different] = [
      await mock.worlds.put('same', { fork: 'default' }),
      await mock.worlds.put('different', { fork: 'default', seed: 99 }),
    ]

    const drawn = await Promise.all([mock, same, different].map(({ world }) => world.lobbies.create({})))

    const [original, equal, other] = drawn.map(({ lobby_id }) => lobby_id)
    expect(equal).toBe(original)
    expect(other).not.toBe(original)
  })

  it('replaces an existing world, and wakes the requests that wait in it', async ({ serve }) => {
    const { mock, send } = await serve()
    const world = await mock.worlds.put('again')
    const path = '/w/again/cloud/devices/links'
    const first = json(await send({ method: 'GET', path, query: `device_link_token=${tokens.pending}` })) as {
      watch: { index: string }
    }
    const waiting = send({
      method: 'GET',
      path,
      query: `device_link_token=${tokens.pending}&watch_index=${first.watch.index}`,
    })
    await expect.poll(() => world.world.waiters).toBe(1)

    const again = await mock.worlds.put('again', { scenario: 'empty' })

    expect([failure(await waiting), again === world, world.world.title]).toEqual(['400 TOKEN_INVALID', true, 'Empty'])
    expect(again.world.revision).toBeGreaterThan(Number(first.watch.index))
  })

  it.for([
    [{ scenario: 'fridy-night' }, '400 API_BAD_BODY', 'Did you mean friday-night?'],
    [{ scenario: { game_modes: 'duel' } }, '400 API_BAD_BODY', 'game_modes'],
    [{ scenario: 'empty', fork: 'default' }, '400 API_BAD_BODY', 'body.fork'],
    [{ fork: 'nowhere' }, '404 API_NOT_FOUND', 'Known: default'],
    [{ seed: 1.5 }, '400 API_BAD_BODY', 'seed'],
    [{ colour: 'red' }, '400 API_BAD_BODY', 'colour'],
  ] as const)('refuses %j, and creates nothing', async ([body, expected, message], { serve }) => {
    const { mock, steer } = await serve()

    const got = await steer('PUT', '/__mock/worlds/new', body)

    expect(failure(got)).toBe(expected)
    expect(got.body).toContain(message)
    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('DELETE /__mock/worlds/{world_id}', () => {
  it('answers the requests that wait in it, and the next request creates it again', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const { world } = await mock.worlds.put('gone')
    await world.lobbies.create({ lobby_id: 'new' })
    const path = '/w/gone/cloud/devices/links'
    const query = `device_link_token=${tokens.pending}`
    const { watch } = json(await send({ method: 'GET', path, query })) as { watch: { index: string } }
    const waiting = send({ method: 'GET', path, query: `${query}&watch_index=${watch.index}` })
    await expect.poll(() => world.waiters).toBe(1)

    const deleted = [await client.worlds.delete('gone'), await client.worlds.delete('gone')]

    expect([deleted, (await waiting).status]).toEqual([[true, false], 200])
    expect(lobbiesIn(await send({ method: 'GET', path: `/w/gone${list}` }))).toBe(2)
  })

  it('leaves the default world', async ({ serve }) => {
    const { mock, steer } = await serve()

    expect(failure(await steer('DELETE', '/__mock/worlds/default'))).toBe('400 API_BAD_BODY')
    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('the server', () => {
  it('describes a world', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = json(await steer('GET', '/__mock/world'))

    expect(got).toEqual({
      id: 'default',
      title: 'Tanks',
      seed: 7,
      revision: mock.world.revision,
      now: '2026-11-20T20:00:00.000Z',
      waiters: 0,
      players: 2,
      reserved: 0,
      counts: {
        games: 2,
        namespaces: 3,
        game_modes: 6,
        regions: 3,
        lobbies: 8,
        players: 3,
        simulations: 0,
        device_links: 3,
        tokens: 9,
      },
    })
  })

  it('lists its scenarios, and changes to one at once', async ({ serve }) => {
    const { mock, client, steer } = await serve()

    await client.load('friday-night')

    const known = await client.scenarios()
    expect(known.map(({ name }) => name)).toEqual([
      'own',
      'default',
      'empty',
      'friday-night',
      'launch-day',
      'ghost-town',
      'party',
      'region-down',
      'server-crash',
      'night-shift',
      'tokens-only',
      'nasty',
    ])
    expect([mock.world.title, mock.tokens.length, mock.world.lobbies.count()]).toEqual(['Friday night', 8, 400])
    expect(failure(await steer('PUT', '/__mock/scenario', {}))).toBe('400 API_BAD_BODY')
  })

  it('resets to the scenario that it has changed to', async ({ serve }) => {
    const { mock, client } = await serve()
    await client.load({ title: 'Mine', game_modes: ['duel'] })
    await mock.world.lobbies.create({})

    await client.reset()

    expect([mock.world.title, mock.world.lobbies.count()]).toEqual(['Mine', 0])
  })

  it('resets in one change set, except the parts to keep', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const begun = stateOf(mock.world)
    await mock.world.lobbies.create({})
    await client.world.clock.advance('1h')
    await send({ method: 'GET', path: list })
    const sets: number[] = []
    mock.world.subscribe(({ revision }) => void sets.push(revision))

    await client.reset({ keep: ['clock', 'journal'] })
    const kept = [mock.world.clock.now() - Date.parse('2026-11-20T20:00:00Z'), mock.journal.find().length]
    await client.reset()
    await flushPromises()

    expect([kept, mock.journal.find().length, sets.length]).toEqual([[3_600_000, 1], 0, 1])
    expect({ ...JSON.parse(stateOf(mock.world)), revision: 0 }).toEqual({ ...JSON.parse(begun), revision: 0 })
  })

  it('completes a device link for a game by its name or its id, and expires one', async ({ serve }) => {
    const { mock, client, steer } = await serve()
    await mock.world.deviceLinks.create({ device_link_token: 'device.mock.new' })

    await client.completeDeviceLink(tokens.pending, { game: 'boats' })
    await client.expireDeviceLink('device.mock.new')

    expect(mock.world.deviceLinks.get(tokens.pending)).toMatchObject({ status: 'complete', game_id: ids.boats })
    const refused = [
      await steer('POST', `/__mock/device-links/${tokens.pending}/complete`, { game: 'boats' }),
      await steer('POST', '/__mock/device-links/device.mock.new/complete', { game: 'boats' }),
      await steer('POST', '/__mock/device-links/nobody/expire', {}),
      await steer('POST', '/__mock/device-links/nobody/complete', {}),
    ]
    expect(refused.map(failure)).toEqual([
      '400 CLOUD_DEVICE_LINK_ALREADY_COMPLETE',
      '400 TOKEN_EXPIRED',
      '404 API_NOT_FOUND',
      '400 TOKEN_INVALID',
    ])
  })

  it('requires the game if there are several', async ({ serve }) => {
    const { steer } = await serve()

    const got = await steer('POST', `/__mock/device-links/${tokens.pending}/complete`, {})

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(got.body).toContain('Known: tanks, boats')
  })
})

describe('the list of scenarios', () => {
  it('has a name, a title and a description for each', async ({ serve }) => {
    const { mock, client, steer } = await serve({ scenario: { title: 'Mine', description: 'Two duels.' } })

    const listed = json(await steer('GET', '/__mock/scenarios')) as { readonly scenarios: unknown[] }

    expect(listed.scenarios[0]).toEqual({ name: 'own', title: 'Mine', description: 'Two duels.' })
    expect(listed.scenarios).toContainEqual(expect.objectContaining({ name: 'friday-night', title: 'Friday night' }))
    expect(mock.scenarios).toEqual(listed.scenarios)
    expect(await client.scenarios()).toEqual(listed.scenarios)
  })

  it('follows a reload, and has a title for a scenario without one', async ({ serve }) => {
    const { mock, client } = await serve({ scenario: { title: 'Before', description: 'Old.' } })

    await mock.reload({})

    expect((await client.scenarios())[0]).toEqual({ name: 'own', title: 'Untitled' })
  })
})
