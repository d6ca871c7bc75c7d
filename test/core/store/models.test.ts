import { describe, expect, it } from 'vitest'
import { uuid } from '../../support/http.js'
import { smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'

const yearMs = 365 * 86_400_000
const hourMs = 3_600_000

describe('a new row', () => {
  it('of lobbies gets the default namespace, its first game mode, and the region and limits of that mode', async () => {
    const world = smallWorld()

    const { lobby_id, ...rest } = await world.lobbies.create({})

    expect(rest).toEqual({
      namespace_id: 'prod',
      game_mode_id: 'duel',
      region_id: 'fra',
      max_players_normal: 8,
      max_players_direct: 8,
      max_players_party: 8,
      total_player_count: 0,
      publicity: 'public',
      is_closed: false,
      reserved_player_count: 0,
      run_by: 'mock',
      status: 'ready',
    })
  })

  it('of game modes gets all regions and 32, 40 and 40 players', async () => {
    const world = smallWorld()

    const mode = await world.gameModes.create({ game_mode_id: 'new' })

    expect(mode).toEqual({
      namespace_id: 'prod',
      game_mode_id: 'new',
      max_players_normal: 32,
      max_players_direct: 40,
      max_players_party: 40,
      regions: ['fra', 'atl'],
      listable: true,
    })
  })

  it('of namespaces gets the first game, a version, 128 lobbies, and no limit of players per address', async () => {
    const world = smallWorld()

    const { namespace_id, ...rest } = await world.namespaces.create({ name_id: 'live' })

    expect(rest).toEqual({
      game_id: 'tanks',
      name_id: 'live',
      display_name: 'live',
      created_at: startAt,
      version_id: expect.any(String),
      tokenless: true,
      domains: [],
      lobby_count_max: 128,
    })
  })

  it('of regions gets the coordinates 0, 0', async () => {
    const world = smallWorld()

    const region = await world.regions.create({ region_id: 'attic' })

    expect(region).toEqual({
      region_id: 'attic',
      region_uuid: expect.stringMatching(uuid),
      provider_display_name: 'Own',
      region_display_name: 'attic',
      datacenter_coord: { latitude: 0, longitude: 0 },
    })
  })

  it('of device links is pending, and expires after an hour', async () => {
    const world = smallWorld()
    await world.clock.advance(500)

    const { status, expires_at, device_link_token } = await world.deviceLinks.create({})

    expect([status, expires_at, device_link_token]).toEqual([
      'pending',
      startAt + 500 + hourMs,
      expect.stringMatching(/^device\.mock\.[0-9a-z]{24}$/),
    ])
  })

  it.each([
    ['public', { kind: 'public', namespace_id: 'two-words' }, 'pub_two_words'],
    ['development', { kind: 'development', namespace_id: 'two-words' }, 'dev_two_words'],
    ['cloud', { kind: 'cloud', game_id: 'tanks' }, 'cloud'],
  ] as const)('of bearer tokens (%s) has a label, and expires after 365 days', async (_kind, input, label) => {
    const world = smallWorld()
    await world.namespaces.create({ namespace_id: 'two-words', name_id: 'two-words' })

    const { token, expires_at } = await world.tokens.create(input)

    expect([token, expires_at]).toEqual([
      expect.stringMatching(new RegExp(`^${label}\\.mock\\.[0-9a-z]{24}$`)),
      startAt + yearMs,
    ])
  })

  it('keeps the given values', async () => {
    const world = smallWorld()
    const given = { lobby_id: 'mine', game_mode_id: 'ffa', total_player_count: 3, is_closed: true, state: { a: 1 } }

    const lobby = await world.lobbies.create(given)

    expect(lobby).toMatchObject(given)
  })
})

describe('an update that changes the kind of a row', () => {
  it('removes the fields that only the former kind has', async () => {
    const { lobbies, deviceLinks } = smallWorld()
    await lobbies.create({ lobby_id: 'new', status: 'starting', ready_by: startAt + 1, stops_at: startAt + 2 })
    const assign = (columns: object) => ({ data: (draft: object) => void Object.assign(draft, columns) })

    const ready = await lobbies.update(q => q.where({ lobby_id: 'new' }), assign({ status: 'ready' }))
    const stopped = await lobbies.update(q => q.where({ lobby_id: 'new' }), assign({ status: 'stopped' }))
    const link = await deviceLinks.update(q => q.where({ device_link_id: 'sofa' }), {
      ...assign({ completes: { at: startAt, game_id: 'tanks' } }),
    })
    const complete = await deviceLinks.update(
      q => q.where({ device_link_id: 'sofa' }),
      assign({ status: 'complete', game_id: 'tanks', cloud_token: 'cloud.mock.tanks' }),
    )

    expect(ready).toMatchObject({ status: 'ready', stops_at: startAt + 2 })
    expect(ready).not.toHaveProperty('ready_by')
    expect(stopped).not.toHaveProperty('stops_at')
    expect([link, complete].map(row => row && 'completes' in row)).toEqual([true, false])
  })

  it('is refused if it sets a field of the former kind', async () => {
    const { lobbies } = smallWorld()

    const update = lobbies.update(q => q.where({ lobby_id: 'l0' }), {
      data: draft => void Object.assign(draft, { status: 'stopped', stops_at: startAt }),
    })

    await expect(update).rejects.toThrow('stops_at is an unknown key')
  })

  it('returns the whole row, with derived fields', async () => {
    const { lobbies, players } = smallWorld()
    await lobbies.create({ lobby_id: 'new' })
    await players.create({ lobby_id: 'new' })

    const stopped = await lobbies.update(q => q.where({ lobby_id: 'new' }), {
      data: draft => void Object.assign(draft, { status: 'stopped' }),
    })

    expect(stopped).toEqual(lobbies.get('new'))
    expect(stopped).toMatchObject({ total_player_count: 0 })
  })
})
