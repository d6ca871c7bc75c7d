import { afterEach, describe, expect, it } from 'vitest'
import type { Game } from '../../../src/core/contract/index.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { catalogue } from '../../../src/core/store/matchmaker-rows.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask, failure, json, uuid } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { flushPromises } from '../../support/worlds.js'

type Shown = { readonly game: Game; readonly watch: { readonly index: string } }

const opened: Mockmaker[] = []
afterEach(() => Promise.all(opened.splice(0).map(mock => mock.close())))

function open(scenario: ScenarioInput = tanks): Mockmaker {
  const mock = createMockmaker({ scenario })
  opened.push(mock)
  return mock
}

const path = `/cloud/games/${ids.tanks}`
const get = (mock: Mockmaker, query = '') => ask(mock, { method: 'GET', path, query, headers: bearer(tokens.cloud) })
const shown = async (mock: Mockmaker) => json(await get(mock)) as Shown
const put = (mock: Mockmaker, path: string, body: object) =>
  ask(mock, { method: 'PUT', path, headers: bearer(tokens.cloud), body: JSON.stringify(body) })

/** A blocked watch of the game. */
async function blocked(mock: Mockmaker) {
  const { watch } = await shown(mock)
  return { answer: get(mock, `watch_index=${watch.index}`), index: watch.index }
}

const namespace = (name_id: string, more: object = {}) => ({ name_id, ...more })
const withNamespaces = (...namespaces: object[]): ScenarioInput => ({
  games: [{ name_id: 'tanks', game_id: ids.tanks, tokens: { cloud: tokens.cloud }, namespaces }],
})

describe('the regions of a game', () => {
  it.each([
    ['São Paulo', 'sao_paulo'],
    ['Washington, DC', 'washington_dc'],
    ['  NEW  york-city ', 'new_york_city'],
    ['Local', 'local'],
    ['Attic', 'unknown'],
    ['', 'unknown'],
    ['constructor', 'unknown'],
  ])('with the display name %j are the universal region %s', async (region_display_name, expected) => {
    const regions = [{ region_id: 'own', provider_display_name: 'Big  Iron, Inc.', region_display_name }]

    const { game } = await shown(open({ ...withNamespaces({}), regions }))

    expect(game.available_regions).toEqual([
      {
        region_id: expect.stringMatching(uuid),
        region_name_id: 'own',
        provider: 'big-iron-inc',
        universal_region: expected,
        provider_display_name: 'Big  Iron, Inc.',
        region_display_name,
      },
    ])
  })

  describe('with no id in the catalogue get a UUID', () => {
    const given = '7e7e7e7e-1111-4222-8333-444444444444'
    const attic = { region_id: 'attic', region_display_name: 'Attic' }
    const scenario = { ...withNamespaces({}), seed: 3, regions: ['lnd-fra', attic] }
    const uuids = async (mock: Mockmaker) =>
      Object.fromEntries(
        (await shown(mock)).game.available_regions.map(region => [region.region_name_id, region.region_id]),
      )

    it('get a UUID that depends only on the seed', async () => {
      const first = await uuids(open(scenario))
      const other = await uuids(open({ ...scenario, regions: [{ region_id: 'cellar' }, attic], device_links: [{}] }))

      expect(first).toEqual({
        'lnd-fra': '37aeb24a-12f6-45ea-ba7e-d2589588d7db',
        attic: expect.stringMatching(uuid),
      })
      expect(other.attic).toBe(first.attic)
      expect((await uuids(open({ ...scenario, seed: 4 }))).attic).not.toBe(first.attic)
    })

    it('have the UUID of the scenario, in lower case', async () => {
      const regions = [{ ...attic, region_uuid: given.toUpperCase() }]

      expect(await uuids(open({ ...scenario, regions }))).toEqual({ attic: given })
    })

    it('have the UUID of the catalogue if their name is in the catalogue', async () => {
      const regions = [{ region_id: 'lnd-fra', region_display_name: 'Mine' }]

      expect(await uuids(open({ ...scenario, regions }))).toEqual({
        'lnd-fra': '37aeb24a-12f6-45ea-ba7e-d2589588d7db',
      })
    })

    it('keep their UUIDs in a snapshot, with any seed, and after a reset', async () => {
      const mock = open(scenario)
      await mock.world.regions.create({ region_id: 'made' })
      const before = await uuids(mock)

      const copy = open({ ...mock.snapshot(), seed: 99 } as ScenarioInput)

      expect(await uuids(copy)).toEqual(before)
      await mock.reset()
      expect((await uuids(mock)).attic).toBe(before.attic)
    })

    it('keep their UUIDs in a fork', async () => {
      const mock = open(scenario)
      await mock.world.regions.create({ region_id: 'made' })
      const fork = await mock.worlds.put('fork', { fork: 'default' })

      expect(fork.world.regions.all()).toEqual(mock.world.regions.all())
    })

    it.each([
      ['no UUID', [{ ...attic, region_uuid: 'attic' }], 'regions[0].region_uuid'],
      ['a number', [{ ...attic, region_uuid: 7 }], 'regions[0].region_uuid'],
      [
        'that of another region',
        [
          { ...attic, region_uuid: given },
          { region_id: 'cellar', region_uuid: given },
        ],
        'regions[1].region_uuid',
      ],
    ] as const)('cannot have %s', (_, regions, place) => {
      expect(() => open({ ...scenario, regions: regions as never })).toThrow(place)
    })
  })

  it('of the catalogue each have their own universal region', async () => {
    const { game } = await shown(open(withNamespaces({})))

    const universal = game.available_regions.map(region => region.universal_region)
    expect(new Set(universal).size).toBe(catalogue.length)
    expect(universal.filter(region => region === 'unknown')).toEqual([])
  })
})

describe('the players of a game', () => {
  const lobby = (total_player_count: number, more: object = {}) => ({
    total_player_count,
    max_players: 4_294_967_295,
    ...more,
  })

  it('are counted in all lobbies of all its namespaces, listed or not', async () => {
    const mock = open(
      withNamespaces(
        namespace('prod', { game_modes: ['duel'], lobbies: [lobby(1), lobby(20, { is_closed: true })] }),
        namespace('beta', { game_modes: ['duel'], lobbies: [lobby(300, { publicity: 'private' })] }),
      ),
    )

    expect((await shown(mock)).game.total_player_count).toBe(321)
  })

  it('are at most the largest unsigned 32-bit integer', async () => {
    const lobbies = [lobby(4_294_967_295), lobby(1)]

    const { game } = await shown(open(withNamespaces(namespace('prod', { game_modes: ['duel'], lobbies }))))

    expect(game.total_player_count).toBe(4_294_967_295)
  })
})

describe('the versions of a game', () => {
  it('are as old as the first namespace that runs them', async () => {
    const mock = open(
      withNamespaces(
        namespace('prod', { version_id: 'v2', created_at: '2026-01-03T00:00:00Z' }),
        namespace('beta', { version_id: 'v1', created_at: '2026-01-02T00:00:00Z' }),
        namespace('old', { version_id: 'v2', created_at: '2026-01-01T01:00:00+01:00' }),
        namespace('new', { version_id: 'v2', created_at: '2026-01-04T00:00:00Z' }),
      ),
    )

    expect((await shown(mock)).game.versions).toEqual([
      { version_id: 'v2', create_ts: '2026-01-01T00:00:00.000Z', display_name: '0.0.1' },
      { version_id: 'v1', create_ts: '2026-01-02T00:00:00.000Z', display_name: '0.0.2' },
    ])
  })
})

describe('a watch of a game', () => {
  it('wakes when a player connects', async () => {
    const mock = open()
    const { answer } = await blocked(mock)

    await mock.world.lobbies.update(q => q.where({ lobby_id: 'empty' }), {
      data(lobby) {
        lobby.total_player_count = 3
      },
    })

    expect((json(await answer) as Shown).game.total_player_count).toBe(5)
  })

  it.each([
    ['an unchanged domain-public-auth', 'PUT', `/namespaces/${ids.prod}/domain-public-auth`, { enabled: true }],
    ['a domain that the namespace has', 'POST', `/namespaces/${ids.prod}/domains`, { domain: 'tanks.example' }],
    ['a domain that it does not have', 'DELETE', `/namespaces/${ids.prod}/domains/other.example`, {}],
    ['a refused namespace', 'POST', '/namespaces', { display_name: '', name_id: '', version_id: ids.lobby }],
    ['a token', 'POST', `/namespaces/${ids.prod}/tokens/public`, {}],
    ['other limits', 'POST', `/namespaces/${ids.prod}/mm-config`, { lobby_count_max: 3, max_players: 3 }],
    ['another domain', 'POST', `/namespaces/${ids.prod}/domains`, { domain: 'further.example' }],
  ])('does not wake after %s', async (_, method, behind, body) => {
    const mock = open()
    const { answer, index } = await blocked(mock)

    await ask(mock, { method, path: path + behind, headers: bearer(tokens.cloud), body: JSON.stringify(body) })
    await flushPromises()

    expect(mock.world.waiters).toBe(1)
    await mock.close()
    expect((json(await answer) as Shown).watch.index).toBe(index)
  })

  it.each([['a lobby changes its state and closes', ids.lobby, { state: { map: 'ice' }, is_closed: true }]] as const)(
    'does not wake while %s',
    async (_, lobby_id, columns) => {
      const mock = open()
      const { answer, index } = await blocked(mock)

      await mock.world.lobbies.update(q => q.where({ lobby_id }), { data: lobby => void Object.assign(lobby, columns) })
      await flushPromises()

      expect(mock.world.waiters).toBe(1)
      await mock.close()
      expect((json(await answer) as Shown).watch.index).toBe(index)
    },
  )

  it('does not wake when one player replaces another in one transaction', async () => {
    const mock = open()
    const { answer, index } = await blocked(mock)

    mock.world.transaction(({ players }) => {
      players.create({ lobby_id: 'walled' })
      players.delete(q => q.where({ player_token: tokens.connected }))
    })
    await flushPromises()

    expect(mock.world.waiters).toBe(1)
    await mock.close()
    expect((json(await answer) as Shown).watch.index).toBe(index)
  })

  it('does not wake when a region moves, because it shows no coordinates', async () => {
    const mock = open()
    await blocked(mock)

    await mock.world.regions.update(q => q.where({ region_id: 'lnd-fra' }), {
      data: region => void Object.assign(region, { datacenter_coord: { latitude: 0, longitude: 0 } }),
    })
    await flushPromises()

    expect(mock.world.waiters).toBe(1)
    await mock.close()
  })

  it('does not wake when another game changes', async () => {
    const mock = open()
    await blocked(mock)

    await mock.world.namespaces.create({ name_id: 'beta', game_id: ids.boats })
    await mock.world.lobbies.create({ namespace_id: ids.boatsProd, total_player_count: 1 })
    await flushPromises()

    expect(mock.world.waiters).toBe(1)
  })

  it('is answered 404 if the game is deleted', async () => {
    const mock = open()
    const { answer } = await blocked(mock)

    mock.world.transaction(tx => {
      tx.settings.update(q => q.where({ settings_id: 'settings' }), {
        data: draft => void Reflect.deleteProperty(draft, 'default_namespace_id'),
      })
      tx.deviceLinks.clear()
      tx.lobbies.clear()
      tx.gameModes.clear()
      tx.tokens.clear()
      tx.namespaces.clear()
      tx.games.delete(q => q.where({ game_id: ids.tanks }))
    })

    expect(failure(await answer)).toBe('404 API_NOT_FOUND')
  })
})

describe('an update of a namespace', () => {
  it('changes nothing else', async () => {
    const mock = open()
    const before = mock.world.namespaces.get(ids.closed)

    await put(mock, `${path}/namespaces/${ids.closed}/domain-public-auth`, { enabled: true })

    expect(mock.world.namespaces.get(ids.closed)).toEqual({ ...before, tokenless: true })
  })
})
