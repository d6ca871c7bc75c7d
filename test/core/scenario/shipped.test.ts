import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { utf8Length } from '../../../src/core/contract/formats.js'
import { defineScenario, type ScenarioInput, scenarios } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { defaultText } from '../../../src/core/scenario/shipped.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { worldOf } from '../../support/worlds.js'

const names = Object.keys(scenarios) as (keyof typeof scenarios)[] // it has these keys
const fixtureText = (name: string) => readFileSync(`fixtures/${name}.yaml`, 'utf8')
const world = (name: keyof typeof scenarios) => worldOf(scenarios[name])

describe('the shipped scenarios', () => {
  it('are the files in fixtures/', () => {
    const files = readdirSync('fixtures').filter(file => file.endsWith('.yaml'))

    expect(files.sort()).toEqual(names.map(name => `${name}.yaml`).sort())
  })

  it.each(names)('%s has a title and a description of one or two sentences', name => {
    const { title, description } = scenarios[name]

    expect(title).toMatch(/^[A-Z]/)
    expect(description).toMatch(/^[A-Z].{20,}\.$/su)
  })

  it.each(names)('%s names its schema for editors', name => {
    expect(fixtureText(name)).toMatch(/^# yaml-language-server: \$schema=\.\/scenario\.schema\.json\n/)
  })

  it.each(names)('%s has phases that fit the seats', name => {
    const wrong = world(name)
      .lobbies.all()
      .filter(({ state, total_player_count, max_players_normal }) => {
        const phase = state instanceof Object && 'phase' in state ? state.phase : undefined
        const isFull = total_player_count === max_players_normal
        return phase === 'waiting' ? isFull : phase !== undefined && total_player_count === 0
      })

    expect(wrong).toEqual([])
  })

  it.each(names.filter(name => name !== 'nasty'))('%s has seats with ports', name => {
    const ports = world(name)
      .namespaces.all()
      .map(({ development }) => development?.lobby_ports?.length)

    expect(ports).toEqual(ports.map(() => 1))
  })
})

describe('default', () => {
  it('has the same form in memory, so that it need not be decoded', () => {
    const { content } = readScenario({ ...scenarios.default })

    expect(readScenario(scenarios.default).content).toEqual(content)
    expect(JSON.stringify(scenarios.default)).toBe(defaultText)
  })

  it('is checked again after code has changed it', () => {
    const changed: { title?: unknown } = scenarios.default
    const { title } = changed
    try {
      changed.title = 7
      expect(() => readScenario(changed)).toThrow('title is 7')
    } finally {
      changed.title = title
    }
  })

  it('is tokenless and has a handful of lobbies in several regions, a couple of modes and a pending link', () => {
    const { namespaces, lobbies, gameModes, deviceLinks } = world('default')

    expect(namespaces.all()).toEqual([expect.objectContaining({ name_id: 'prod', tokenless: true })])
    expect(lobbies.count()).toBe(7)
    expect(new Set(lobbies.all().map(lobby => lobby.region_id)).size).toBe(6)
    expect(gameModes.count()).toBe(3)
    expect(deviceLinks.all()).toEqual([
      expect.objectContaining({ device_link_token: 'device.mock.sofa', status: 'pending' }),
    ])
  })
})

describe('empty', () => {
  it('has one game, one namespace, and no players', () => {
    const { games, namespaces, lobbies, gameModes, deviceLinks } = world('empty')

    expect([games, namespaces, lobbies, gameModes, deviceLinks].map(table => table.count())).toEqual([1, 1, 0, 0, 0])
  })
})

describe('friday-night', () => {
  it('has 400 lobbies in 12 regions, all of the default namespace', () => {
    const { lobbies, settings } = world('friday-night')
    const namespace_id = settings.get('settings')?.default_namespace_id ?? ''

    expect(lobbies.count()).toBe(400)
    expect(lobbies.count(q => q.where({ namespace_id }))).toBe(400)
    expect(new Set(lobbies.all().map(lobby => lobby.region_id)).size).toBe(12)
  })
})

/** Creates worlds with frozen clocks. */
const frozen = (name: keyof typeof scenarios) => createMockmaker({ scenario: { ...scenarios[name], clock: 'frozen' } })

async function ask(mock: Mockmaker, path: string, body?: object): Promise<string> {
  const answer = mock.answer({
    method: body ? 'POST' : 'GET',
    path: `/matchmaker${path}`,
    headers: {},
    body: body && new TextEncoder().encode(JSON.stringify(body)),
  })
  // A delayed answer waits for the clock.
  if (mock.faults.list().length > 0) await Promise.race([answer, mock.world.clock.advance('1m')])
  const { status, body: bytes } = await answer
  const said = JSON.parse(new TextDecoder().decode(bytes))
  return status === 200 ? 'answered' : `${status} ${said.code}`
}

describe('friday-night', () => {
  it('changes: lobbies fill and empty, while the number of players stays and more than a hundred are listed', async () => {
    const mock = frozen('friday-night')
    const counts = () => new Map(mock.world.lobbies.all().map(lobby => [lobby.lobby_id, lobby.total_player_count]))
    const sum = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((total, count) => total + count, 0)
    const before = counts()

    await mock.world.clock.advance('5m')

    const after = counts()
    const changed = [...before].filter(([id, count]) => after.get(id) !== count)
    expect(changed.length).toBeGreaterThan(200)
    expect(sum(after)).toBeGreaterThan(0.5 * sum(before))
    expect(sum(after)).toBeLessThan(1.5 * sum(before))
    const { body } = await mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    const { lobbies } = JSON.parse(new TextDecoder().decode(body)) as { lobbies: { total_player_count: number }[] }
    expect(lobbies.length).toBeGreaterThan(100)
    expect(lobbies.filter(({ total_player_count }) => total_player_count === 0)).toEqual([])
  })

  it('gives one machine many seats', async () => {
    const mock = frozen('friday-night')
    const find = () => ask(mock, '/lobbies/find', { game_modes: ['free-for-all'] })

    const answers: string[] = []
    for (let i = 0; i < 20; i += 1) answers.push(await find())

    expect(new Set(answers)).toEqual(new Set(['answered']))
  })
})

describe('launch-day', () => {
  it('has no free seat, and cannot have another lobby', async () => {
    const mock = frozen('launch-day')
    mock.faults.clear()
    const [lobby] = mock.world.lobbies.all()

    expect([
      await ask(mock, '/lobbies/find', { game_modes: ['free-for-all'] }),
      await ask(mock, '/lobbies/create', { game_mode: 'duel' }),
      await ask(mock, '/lobbies/join', { lobby_id: lobby?.lobby_id }),
    ]).toEqual(['400 MATCHMAKER_TOO_MANY_LOBBIES', '400 MATCHMAKER_TOO_MANY_LOBBIES', '400 MATCHMAKER_LOBBY_FULL'])
  })

  it('is slow, refuses some requests, and fails for some', async () => {
    const mock = frozen('launch-day')
    const began = mock.world.clock.now()
    const answers: string[] = []
    for (let i = 0; i < 40; i++) answers.push(await ask(mock, '/lobbies/list'))

    expect(new Set(answers)).toEqual(new Set(['answered', '429 API_RATE_LIMIT', '503 ERROR']))
    expect(answers.filter(answer => answer === 'answered').length).toBeGreaterThan(20)
    expect(mock.world.clock.now()).toBeGreaterThan(began)
  })
})

describe('ghost-town', () => {
  it('has hardly any players, for hours', { tags: ['slow'] }, async () => {
    const mock = frozen('ghost-town')
    const most: number[] = []
    for (let hour = 0; hour < 8; hour++) {
      await mock.world.clock.advance('1h')
      most.push(mock.world.players.count(q => q.where({ status: 'connected' })))
    }

    expect(Math.max(...most)).toBeLessThan(12)
    expect(Math.max(...most)).toBeGreaterThan(0)
  })
})

/** Counts the connected and the reserved players of each lobby with players. */
const seatsOf = ({ world }: Mockmaker) =>
  world.lobbies
    .all()
    .map(({ lobby_id, total_player_count }) => [
      total_player_count,
      world.players.count(q => q.where({ lobby_id, status: 'reserved' })),
    ])
    .filter(([connected, reserved]) => connected !== 0 || reserved !== 0)

describe('party', () => {
  it('has friends and parties on their way, who sit down within two minutes', async () => {
    const mock = frozen('party')
    const before = seatsOf(mock)

    await mock.world.clock.advance('2m')

    expect([before, seatsOf(mock)]).toEqual([
      [
        [4, 1],
        [3, 3],
        [0, 2],
        [8, 0],
        [7, 0],
        [5, 0],
      ],
      [
        [5, 0],
        [6, 0],
        [1, 0],
        [8, 0],
        [7, 0],
        [5, 0],
      ],
    ])
  })

  it('hides the lobby of the friends from find, and lets a friend join it by its id', async () => {
    const mock = frozen('party')
    const lobby_id = '21212121-0000-4000-8000-000000000001'

    const answers = [
      await ask(mock, '/lobbies/find', { game_modes: ['hangout'], prevent_auto_create_lobby: true }),
      await ask(mock, '/lobbies/join', { lobby_id }),
    ]

    expect(answers).toEqual(['400 MATCHMAKER_NO_AVAILABLE_LOBBIES', 'answered'])
  })
})

describe('region-down', () => {
  const find = { game_modes: ['duel'], prevent_auto_create_lobby: true }

  it('refuses find and create in Frankfurt, and joins of its lobbies', async () => {
    const mock = frozen('region-down')

    expect([
      await ask(mock, '/lobbies/find', { ...find, regions: ['lnd-fra'] }),
      await ask(mock, '/lobbies/find', { ...find, game_modes: ['free-for-all'], regions: ['lnd-fra'] }),
      await ask(mock, '/lobbies/create', { game_mode: 'duel', region: 'lnd-fra' }),
      await ask(mock, '/lobbies/join', { lobby_id: '22222222-0000-4000-8000-000000000003' }),
    ]).toEqual(['503 ERROR', '503 ERROR', '503 ERROR', '400 MATCHMAKER_LOBBY_STOPPED'])
  })

  it('lets find go to London, and lists no lobby in Frankfurt', async () => {
    const mock = frozen('region-down')

    expect(await ask(mock, '/lobbies/find', find)).toBe('answered')

    const { lobby_id = '' } = mock.world.players.all().at(-1) ?? {}
    expect(mock.world.lobbies.get(lobby_id)?.region_id).toBe('lnd-lon')
    const { body } = await mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    const { lobbies } = JSON.parse(new TextDecoder().decode(body)) as { lobbies: { region_id: string }[] }
    expect(lobbies.map(({ region_id }) => region_id)).not.toContain('lnd-fra')
  })
})

describe('server-crash', () => {
  it('stops a lobby two minutes after the start, and its eight players lose their seats', async () => {
    const mock = frozen('server-crash')
    const { lobbies, players, clock } = mock.world
    const lobby_id = '23232323-0000-4000-8000-000000000001'
    const now = () => [lobbies.get(lobby_id)?.status, players.count(q => q.where({ lobby_id, status: 'connected' }))]

    await clock.advance('1m59s')
    const before = now()
    await clock.advance('1s')

    expect([before, now()]).toEqual([
      ['ready', 8],
      ['stopped', 0],
    ])
    expect(await ask(mock, '/lobbies/join', { lobby_id })).toBe('400 MATCHMAKER_LOBBY_STOPPED')
  })

  it('leads find to the raid that crashes, and then to London', async () => {
    const mock = frozen('server-crash')
    const regionOfFind = async () => {
      await ask(mock, '/lobbies/find', { game_modes: ['raid'] })
      const { lobby_id = '' } = mock.world.players.all().at(-1) ?? {}
      return mock.world.lobbies.get(lobby_id)?.region_id
    }

    const before = await regionOfFind()
    await mock.world.clock.advance('2m')

    expect([before, await regionOfFind()]).toEqual(['lnd-fra', 'lnd-lon'])
  })
})

describe('night-shift', () => {
  it('runs sixty times as fast, with players who come and go', async () => {
    expect(world('night-shift').clock.rate).toBe(60)
    const mock = frozen('night-shift')

    await mock.world.clock.advance('1h')

    const regions = new Set(mock.world.lobbies.all().map(({ region_id }) => region_id))
    const connected = mock.world.players.count(q => q.where({ status: 'connected' }))
    expect(regions.size).toBeGreaterThan(4)
    expect(connected).toBeGreaterThan(20)
    expect(connected).toBeLessThan(120)
  })
})

describe('tokens-only', () => {
  it('has no tokenless namespace', () => {
    expect(
      world('tokens-only')
        .namespaces.all()
        .map(namespace => namespace.tokenless),
    ).toEqual([false])
  })
})

describe('nasty', () => {
  const nasty = world('nasty')
  const states = nasty.lobbies.all().map(lobby => JSON.stringify(lobby.state))

  it('has the smallest and the largest values', () => {
    const numbers = nasty.lobbies.all().flatMap(lobby => [lobby.total_player_count, lobby.max_players_normal])

    expect(numbers).toEqual(expect.arrayContaining([0, 4_294_967_295]))
    expect(nasty.namespaces.all()[0]).toMatchObject({ lobby_count_max: 0, max_players: 4_294_967_295 })
  })

  it('has names from right to left, and one of 128 bytes', () => {
    const names = [...nasty.games.all(), ...nasty.namespaces.all()].map(row => row.display_name)

    expect(names.some(name => /\p{Script=Arabic}/u.test(name))).toBe(true)
    expect(names.map(utf8Length)).toContain(128)
  })

  it('has states that are empty, 60 deep, and with a key __proto__', () => {
    expect(states).toContain('{}')
    expect(states).toContain(`{"deep":${'['.repeat(59)}${']'.repeat(59)}}`)
    expect(states.some(state => state?.startsWith('{"__proto__":{"polluted":true}'))).toBe(true)
    expect('polluted' in {}).toBe(false)
  })

  it('has a mode without a lobby', () => {
    const used = new Set(nasty.lobbies.all().map(lobby => lobby.game_mode_id))

    expect(
      nasty.gameModes
        .all()
        .map(mode => mode.game_mode_id)
        .filter(id => !used.has(id)),
    ).toContain('no-lobby')
  })
})

describe('defineScenario', () => {
  it('returns its argument', () => {
    const scenario: ScenarioInput = { game_modes: ['duel'] }

    expect(defineScenario(scenario)).toBe(scenario)
  })
})
