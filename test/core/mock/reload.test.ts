import { describe, expect, it } from 'vitest'
import type { ChangeSet } from '../../../src/core/store/change-set.js'
import type { World } from '../../../src/core/store/world.js'
import { createMockmaker, type ScenarioInput } from '../../../src/index.js'
import { json } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

const now = '2026-11-20T20:00:00Z'
const scenario = {
  title: 'Before',
  now,
  clock: 'frozen',
  regions: ['lnd-fra', 'lnd-atl'],
  game_modes: [{ game_mode_id: 'duel', max_players: 4 }, 'ffa'],
  lobbies: [
    { lobby_id: 'one', game_mode_id: 'duel', region_id: 'lnd-fra' },
    { lobby_id: 'two', game_mode_id: 'duel', region_id: 'lnd-atl' },
  ],
  device_links: [{ token: 'device.mock.sofa' }],
} as const satisfies ScenarioInput

const lobbyIds = (world: World) => world.lobbies.all().map(({ lobby_id }) => lobby_id)
const lobbyOf = (lobby_id: string, more: object = {}) => ({
  lobby_id,
  game_mode_id: 'duel',
  region_id: 'lnd-fra',
  ...more,
})

function mocked(options: object = {}) {
  const mock = closedAfterTest(createMockmaker({ scenario, ...options }))
  const changeSets: ChangeSet[] = []
  mock.world.subscribe(changeSet => changeSets.push(changeSet))
  return { mock, world: mock.world, changeSets }
}

/** Returns the ids of the created, changed and deleted rows of a change set. */
function shape({ changes }: ChangeSet) {
  const idsOf = (wanted: readonly ChangeSet['changes'][number][]) => wanted.map(({ id }) => id)
  return {
    created: idsOf(changes.filter(({ before }) => !before)),
    changed: idsOf(changes.filter(({ before, after }) => before && after)),
    deleted: idsOf(changes.filter(({ after }) => !after)),
  }
}

/** Updates a lobby. */
const setLobby = (world: World, lobby_id: string, fields: object) =>
  world.lobbies.update(q => q.where({ lobby_id }), { data: draft => void Object.assign(draft, fields) })

const watch = { method: 'GET', path: '/cloud/devices/links', headers: {} }

/** Sends a watch of a device link that blocks, and returns its pending answer. */
async function blocked({ mock }: ReturnType<typeof mocked>, token: string) {
  const query = `device_link_token=${token}`
  const read = async (query: string) => {
    const { status, body } = await mock.answer({ ...watch, query })
    return { status, body: json({ status, headers: {}, body: new TextDecoder().decode(body) }) as Linked }
  }
  const { body } = await read(query)
  const answer = read(`${query}&watch_index=${body.watch.index}`)
  return { answer, index: body.watch.index }
}

interface Linked {
  readonly watch: { readonly index: string }
  readonly cloud_token?: string
}

describe('a reload', () => {
  it('applies the difference of the scenarios in one change set, and keeps other writes', async () => {
    const { mock, world, changeSets } = mocked()
    await world.lobbies.create(lobbyOf('run'))
    await setLobby(world, 'one', { total_player_count: 3 })
    const { device_link_token: sofa } = world.deviceLinks.all()[0] ?? { device_link_token: '' }
    await mock.completeDeviceLink(sofa)
    changeSets.length = 0

    const summary = await mock.reload({
      ...scenario,
      title: 'After',
      lobbies: [lobbyOf('three'), lobbyOf('one', { state: { map: 'dust' } })],
    })

    expect(summary).toEqual({ created: 1, changed: 1, deleted: 1, cascaded: 0 })
    expect(changeSets.map(shape)).toEqual([{ created: ['three'], changed: ['one'], deleted: ['two'] }])
    expect(lobbyIds(world)).toEqual(['three', 'one', 'run'])
    expect(world.lobbies.get('one')).toMatchObject({ total_player_count: 3, state: { map: 'dust' } })
    expect([world.title, world.deviceLinks.get(sofa)?.status]).toEqual(['After', 'complete'])
  })

  it('changes the start of later worlds, but not of existing ones', async () => {
    const { mock } = mocked()
    const there = await mock.worlds.put('there')

    await mock.reload({ ...scenario, lobbies: [lobbyOf('three')] })

    const later = await mock.worlds.put('later')
    expect([lobbyIds(there.world), lobbyIds(later.world)]).toEqual([['one', 'two'], ['three']])
  })

  it('removes the newest players of a lobby if its maximum decreases', async () => {
    const full = { ...scenario, lobbies: [lobbyOf('one', { max_players: 4, players: [{ token: 'first' }] })] }
    const { mock, world } = mocked({ scenario: full })
    for (const player_token of ['second', 'third']) await world.players.create({ lobby_id: 'one', player_token })
    await setLobby(world, 'one', { total_player_count: 4 })

    const smaller = [lobbyOf('one', { max_players: 2, players: [{ token: 'first' }] })]
    await mock.reload({ ...scenario, lobbies: smaller })

    expect(world.players.all().map(({ player_token }) => player_token)).toEqual(['first', 'second'])
    expect(world.lobbies.get('one')).toMatchObject({ total_player_count: 2, max_players_normal: 2 })
    const again = createMockmaker({ scenario: mock.snapshot() })
    expect(again.snapshot()).toEqual({ ...mock.snapshot(), revision: again.world.revision })
    await world.players.delete(q => q.where({ player_token: 'first' }))
    expect(world.lobbies.get('one')).toMatchObject({ total_player_count: 1 })
  })

  it('removes all players of a lobby that it stops', async () => {
    const { mock, world } = mocked()
    await world.players.create({ lobby_id: 'one', player_token: 'only' })

    await mock.reload({ ...scenario, lobbies: [lobbyOf('one', { status: 'stopped' })] })

    expect([world.players.count(), world.lobbies.get('one')?.total_player_count]).toEqual([0, 0])
  })

  it('deletes rows of the run that refer to deleted rows', async () => {
    const { mock, world } = mocked()
    await world.lobbies.create(lobbyOf('atl', { region_id: 'lnd-atl' }))
    await world.lobbies.create(lobbyOf('ffa', { game_mode_id: 'ffa' }))
    await world.lobbies.create(lobbyOf('fra'))

    const summary = await mock.reload({
      ...scenario,
      game_modes: [{ game_mode_id: 'duel', max_players: 4, regions: ['lnd-fra'] }],
      lobbies: [lobbyOf('one')],
    })

    expect(summary).toEqual({ created: 0, changed: 1, deleted: 2, cascaded: 2 })
    expect(lobbyIds(world)).toEqual(['one', 'fra'])
  })

  it('deletes the namespaces, modes and tokens of a deleted game', async () => {
    const games = [{ name_id: 'tanks' }, { name_id: 'boats', game_id: 'boats' }]
    const { mock, world } = mocked({ scenario: { games } })
    world.transaction(({ namespaces, gameModes, tokens }) => {
      namespaces.create({ namespace_id: 'beta', game_id: 'boats', name_id: 'beta' })
      gameModes.create({ namespace_id: 'beta', game_mode_id: 'race' })
      tokens.create({ token: 'mine', kind: 'public', namespace_id: 'beta' })
    })

    const { cascaded } = await mock.reload({ games: games.slice(0, 1) })

    expect(cascaded).toBe(3)
    expect([world.namespaces.get('beta'), world.tokens.get('mine')]).toEqual([undefined, undefined])
  })

  it('replaces a row of the run that has the id of a new row', async () => {
    const { mock, world } = mocked()
    await world.lobbies.create(lobbyOf('three', { total_player_count: 2 }))

    await mock.reload({ ...scenario, lobbies: [...scenario.lobbies, lobbyOf('three', { total_player_count: 1 })] })

    expect(world.lobbies.get('three')?.total_player_count).toBe(1)
  })

  it('replaces a whole row if its changes conflict with writes of the run', async () => {
    const { mock, world } = mocked()
    await setLobby(world, 'one', { total_player_count: 4 })

    await mock.reload({ ...scenario, lobbies: [lobbyOf('one', { max_players: 2 }), scenario.lobbies[1]] })

    expect(world.lobbies.get('one')).toMatchObject({ max_players_normal: 2, total_player_count: 0 })
  })

  it('restores a deleted row that a new row refers to', async () => {
    const { mock, world } = mocked()
    await world.gameModes.delete(q => q.where({ game_mode_id: 'ffa' }))

    await mock.reload({ ...scenario, lobbies: [...scenario.lobbies, lobbyOf('three', { game_mode_id: 'ffa' })] })

    expect(world.gameModes.all().map(({ game_mode_id }) => game_mode_id)).toContain('ffa')
    expect(lobbyIds(world)).toContain('three')
  })

  it('wakes a blocked watch if it changes its link, and no other', async () => {
    const mocks = mocked({ scenario: { ...scenario, device_links: [{ token: 'sofa' }, { token: 'bed' }] } })
    const [sofa, bed] = [await blocked(mocks, 'sofa'), await blocked(mocks, 'bed')]

    await mocks.mock.reload({
      ...scenario,
      device_links: [{ token: 'new' }, { token: 'bed' }, { token: 'sofa', status: 'complete' }],
    })

    const { body } = await sofa.answer
    expect(body.cloud_token).toMatch(/^cloud\./)
    expect(mocks.world.waiters).toBe(1)
    await mocks.mock.close()
    expect((await bed.answer).body).toEqual({ watch: { index: bed.index } })
  })

  it('counts the times of a changed link from now', async () => {
    const { mock, world } = mocked()
    await world.clock.advance('1h')

    await mock.reload({
      ...scenario,
      device_links: [...scenario.device_links, { token: 'new', completes_after: '5s', expires_after: '1m' }],
    })
    const added = world.deviceLinks.get('new')
    await world.clock.advance('5s')

    const at = Date.parse(now) + 3_600_000
    expect(added).toMatchObject({ expires_at: at + 60_000, completes: { at: at + 5_000 } })
    expect(world.deviceLinks.get('new')?.status).toBe('complete')
  })

  it.for<readonly [string, object, object]>([
    ['keeps the clock if its settings are unchanged', {}, { mode: 'frozen', now: 3_600_000 }],
    [
      'sets the clock if the scenario names another time',
      { now: '2027-01-01T00:00:00Z' },
      { mode: 'frozen', now: Date.parse('2027-01-01T00:00:00Z') - Date.parse(now) },
    ],
    ['starts the clock if the scenario sets it running', { clock: 'running' }, { mode: 'running', now: 3_600_000 }],
  ])('%s', async ([, changes, expected]) => {
    const { mock, world } = mocked()
    await world.clock.advance('1h')

    await mock.reload({ ...scenario, ...changes } as ScenarioInput)

    const { mode } = world.clock
    const passed = world.clock.now() - Date.parse(now)
    expect({ mode, now: mode === 'running' ? Math.floor(passed / 60_000) * 60_000 : passed }).toEqual(expected)
  })

  it('makes a reset return to its own time', async () => {
    const { mock, world } = mocked()
    await mock.reload({ ...scenario, now: '2027-01-01T00:00:00Z' })
    await world.clock.advance('1h')

    await mock.reset()

    expect(world.clock.now()).toBe(Date.parse('2027-01-01T00:00:00Z'))
  })

  it('changes nothing if the scenario is wrong', async () => {
    const { mock, world, changeSets } = mocked()

    // The types forbid this, but a file can contain it.
    const wrong = mock.reload({ ...scenario, lobbies: [lobbyOf('three', { region_id: 'nowhere' })] } as ScenarioInput)

    await expect(wrong).rejects.toThrow(/region_id is "nowhere"/)
    await mock.reset()
    const later = await mock.worlds.put('later')
    expect([changeSets, world.title, lobbyIds(later.world)]).toEqual([[], 'Before', ['one', 'two']])
  })

  it('can replace the tokens', async () => {
    const { mock } = mocked()

    await mock.reload({ ...scenario, tokens: { public: 'pub_prod.mock.other' } })

    expect(mock.tokens.find(({ kind }) => kind === 'public')?.token).toBe('pub_prod.mock.other')
  })
})
