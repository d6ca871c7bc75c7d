import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { type Path, pathText } from '../../../src/core/lib/issues.js'
import { parseScenario } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { Scenario, type ScenarioInput } from '../../../src/core/scenario/schema.js'
import { scenarios } from '../../../src/core/scenario/shipped.js'
import { problemLines, rowsOf } from '../../support/worlds.js'

const instant = 'expected a date and time with a zone, as in 2026-11-20T20:00:00Z'
const problems = (input: unknown) => problemLines(() => readScenario(input))
const withLobby = (lobby: object) => ({
  game_modes: ['duel', { game_mode_id: 'local', regions: ['lnd-fra'] }],
  lobbies: [lobby],
})
const withNamespaces = (...namespaces: object[]) => ({ games: [{ name_id: 'tanks', namespaces }] })

describe('readScenario', () => {
  it.each([undefined, null, {}])('reads %j as the empty scenario', empty => {
    expect(readScenario(empty).content).toEqual({})
  })

  it('reads a key without a value as absent', () => {
    const input = {
      title: null,
      lobbies: null,
      matchmaker: { max_players_per_client: null },
      development: { lobby_ports: [{ label: 'a', port_range: null, proxy_protocol: 'udp' }] },
    }

    expect(readScenario(input).content).toEqual({
      matchmaker: {},
      development: { lobby_ports: [{ label: 'a', proxy_protocol: 'udp' }] },
    })
  })

  it.each(['nope:', '{"nope": null}', 'game_modes: [duel]\nlobbies: [{ nope: , game_mode_id: duel }]'])(
    'refuses an unknown key with nothing after it: %j',
    text => {
      expect(() => parseScenario(text)).toThrow('nope is an unknown key')
    },
  )

  it('warns of a key with an old name, and takes it', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()

    const { namespaces } = rowsOf({ matchmaker: { max_players: 3 } })
    parseScenario('matchmaker: { lobby_count_max: 9, max_players: 3 }', { file: 'old.yaml' })
    readScenario({ matchmaker: { max_players_per_client: 3 } })

    expect(namespaces[0]?.max_players).toBe(3)
    expect(warn.mock.calls).toEqual([
      ['mockmaker: warning: scenario: matchmaker.max_players has a new name: write max_players_per_client.'],
      ['mockmaker: warning: old.yaml:1:35: matchmaker.max_players has a new name: write max_players_per_client.'],
    ])
  })

  it('keeps a state as it is, even null and a key __proto__', () => {
    const lobbies = [{ state: null }, { state: JSON.parse('{"__proto__": {"a": null}}') }]

    const read = readScenario({ game_modes: ['duel'], lobbies }).content

    expect(JSON.stringify(read.lobbies)).toBe('[{"state":null},{"state":{"__proto__":{"a":null}}}]')
  })

  it('keeps the metadata of a fault as it is, even null and a key __proto__', () => {
    const errors = [null, { a: null }, JSON.parse('{"__proto__": {"a": null}}')].map(metadata => ({
      status: 403,
      metadata,
    }))
    const faults = errors.map(error => ({ effect: { error } }))

    expect(JSON.stringify(readScenario({ faults }).content.faults)).toBe(JSON.stringify(faults))
  })

  it('keeps the body that a fault matches as it is, even null', () => {
    const faults = [{ match: { body: { regions: null } }, effect: { reset: true } }] as const

    expect(readScenario({ faults }).content.faults).toEqual(faults)
  })

  it('keeps a tag __proto__ of a lobby', () => {
    const lobbies = [{ tags: JSON.parse('{"__proto__":"a"}') }]

    expect(JSON.stringify(readScenario({ game_modes: ['duel'], lobbies }).content.lobbies)).toBe(
      '[{"tags":{"__proto__":"a"}}]',
    )
  })

  it.each(Object.entries(scenarios))('reads %s the same way again after it has been encoded', (_, input) => {
    const once = readScenario(input)

    expect(readScenario(once.toJSON())).toEqual(once)
  })

  it('does not read a checked scenario again', () => {
    const checked = readScenario({ title: 'Mine' })

    expect(readScenario(checked)).toBe(checked)
    expect(readScenario(checked.with({ clock: 'frozen' })).content).toEqual({ title: 'Mine', clock: 'frozen' })
  })

  it('refuses a checked scenario that was spread', () => {
    expect(problems({ ...readScenario({ title: 'Mine' }) })).toEqual([
      expect.stringContaining('content is an unknown key'),
    ])
  })

  it('lists every problem, each on a line of its own', () => {
    const input = {
      game_modes: ['duel'],
      lobbies: [{ region_id: 'x' }, { game_mode_id: 'y' }, { total_player_count: 41 }],
    }

    expect(problems(input)).toHaveLength(3)
    expect(problems({ seed: 'x', clock: 'x', now: 'x', title: 1 })).toHaveLength(4)
  })

  it.each([
    [
      'wrong shapes',
      {
        titel: 1,
        lobbies: [{}, { is_closed: 5 }],
        seed: '1',
        game_modes: ['duel', { game_mode_id: 'a', listable: 'no' }],
      },
      ['titel', 'lobbies[1].is_closed', 'seed', 'game_modes[1].listable'],
    ],
    [
      'contradictions',
      {
        lobbies: [{}, { region_id: 'x' }],
        servers: { command: 'x' },
        game_modes: ['duel', { game_mode_id: 'a', regions: ['x'] }],
      },
      ['lobbies[1].region_id', 'servers.command', 'game_modes[1].regions[0]'],
    ],
  ])('lists all %s in the order of the input', (_, input, expected) => {
    expect(problems(input).map(line => /^scenario: (\S+) /.exec(line)?.[1])).toEqual(expected)
  })

  it.prop([fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true })], {
    numRuns: 3 * inject('runs'),
  })('reads any value, or throws UsageError', input => {
    problems(input)
    problems({ games: [input], lobbies: [{ state: input }], regions: input, title: input })
  })
})

describe('a circular value', () => {
  const tangled: { parent?: unknown; children: object[] } = { children: [{}, {}] }
  tangled.parent = tangled
  for (const child of tangled.children) Object.assign(child, { parent: tangled })

  it('is refused as a state', () => {
    expect(problems(withLobby({ state: tangled }))).toEqual([
      'scenario: lobbies[0].state is an object: expected JSON that nests at most 64 levels',
    ])
  })

  it('is refused in any other place', () => {
    expect(problems({ title: tangled })).toEqual(['scenario: title is an object: expected string'])
    expect(problems({ games: tangled })).toEqual(['scenario: games is an object: expected array'])
  })
})

describe('the refusal of a wrong key or value', () => {
  it.each(
    [
      [5, 'the scenario is 5: expected object'],
      [{ seed: 1.5 }, 'seed is 1.5: expected int'],
      [{ seed: 1n }, 'seed is 1n: expected number'],
      [{ clock: 'stopped' }, 'clock is "stopped": expected "running" or "frozen"'],
      [
        { now: '2026-11-20 20:00' },
        'now is "2026-11-20 20:00": expected a date and time with a zone, as in 2026-11-20T20:00:00Z',
      ],
      [
        { now: '2026-11-20T20:00:00' },
        'now is "2026-11-20T20:00:00": expected a date and time with a zone, as in 2026-11-20T20:00:00Z',
      ],
      [{ now: '2026-02-30T20:00:00Z' }, `now is "2026-02-30T20:00:00Z": ${instant}`],
      [{ now: '+275760-09-13T00:00:00.001Z' }, `now is "+275760-09-13T00:00:00.001Z": ${instant}`],
      [{ clock: { mode: 'x' } }, 'clock.mode is "x": expected "running" or "frozen"'],
      [{ clock: { rate: 0 } }, 'clock.rate is 0: expected a number above 0, to 1000000'],
      [{ clock: { rate: 1_000_001 } }, 'clock.rate is 1000001: expected a number above 0, to 1000000'],
      [{ revision: -1 }, 'revision is -1: expected at least 0'],
      [{ revision: Number.MAX_SAFE_INTEGER }, 'revision is 9007199254740991: expected at most 9000000000000000'],
      [{ chance: { world: [1, 2, 3] } }, 'chance.world is [1,2,3]: expected a length of at least 4'],
      [{ chance: { world: [1, 2, 3, 2 ** 31] } }, 'chance.world[3] is 2147483648: expected at most 2147483647'],
      [{ client: { latitude: 91, longitude: 0 } }, 'client.latitude is 91: expected at most 90'],
      [{ client: { latitude: 1 } }, 'client.longitude is missing: expected number'],
      [
        { cdn_domain: 'http://x' },
        'cdn_domain is "http://x": expected a host name in lower case, without scheme and port, as in tanks.example',
      ],
      [
        { games: [{ name_id: 'My-Game' }] },
        'games[0].name_id is "My-Game": expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only',
      ],
      [
        { games: [{ display_name: ' x' }] },
        'games[0].display_name is " x": expected a display name: 1 to 128 bytes of UTF-8, no white space but single inner spaces',
      ],
      [
        withNamespaces({ name_id: 'a--b' }),
        'games[0].namespaces[0].name_id is "a--b": expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only',
      ],
      [
        { namespace_id: 'a/b' },
        'namespace_id is "a/b": expected 1 to 128 characters without white space, control characters or /',
      ],
      [
        { namespace_id: 'a\0b' },
        'namespace_id is "a\\u0000b": expected 1 to 128 characters without white space, control characters or /',
      ],
      [{ tokens: { public: 'a b' } }, 'tokens.public is "a b": expected a token: visible ASCII without white space'],
      [
        { domains: ['Tanks.example'] },
        'domains[0] is "Tanks.example": expected a host name in lower case, without scheme and port, as in tanks.example',
      ],
      [
        { players: { concurrent: 5, session: 'x' } },
        'players.session is "x": expected a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m',
      ],
      [{ matchmaker: { max_players_per_client: -1 } }, 'matchmaker.max_players_per_client is -1: expected at least 0'],
      [
        { matchmaker: { lobby_count_max: 4294967296 } },
        'matchmaker.lobby_count_max is 4294967296: expected at most 4294967295',
      ],
      [
        { matchmaker: { lobby_count_max: 1e20 } },
        'matchmaker.lobby_count_max is 100000000000000000000: expected at most 4294967295',
      ],
      [
        { game_modes: [{ game_mode_id: 'duel', max_players: -1e20 }] },
        'game_modes[0].max_players is -100000000000000000000: expected at least 0',
      ],
      [{ generate: { lobbies: 1_000_001 } }, 'generate.lobbies is 1000001: expected at most 1000000'],
      [
        { development: { lobby_ports: [{ label: 'a' }] } },
        'development.lobby_ports[0].proxy_protocol is missing: expected "http" or "https" or "tcp" or "tcp_tls" or "udp"',
      ],
      [
        { development: { lobby_ports: [{ label: 'A', proxy_protocol: 'udp' }] } },
        'development.lobby_ports[0].label is "A": expected an identifier: 1 to 16 of 0-9 a-z and -, with single - inside only',
      ],
      [{ regions: [7] }, 'regions[0] is 7: expected string or object'],
      [{ regions: [{}] }, 'regions[0].region_id is missing: expected string'],
      [
        { game_modes: ['free for all'] },
        'game_modes[0] is "free for all": expected 1 to 128 characters without white space, control characters or /',
      ],
      [
        { game_modes: [{ game_mode_id: 'duel', max_players: 'many' }] },
        'game_modes[0].max_players is "many": expected number or object',
      ],
      [
        { game_modes: [{ game_mode_id: 'duel', max_players: { normal: 1.5 } }] },
        'game_modes[0].max_players.normal is 1.5: expected int',
      ],
      [withLobby({ publicity: 'secret' }), 'lobbies[0].publicity is "secret": expected "public" or "private"'],
      [
        withLobby({ state: Number.NaN }),
        'lobbies[0].state is NaN: expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
      ],
      [
        withLobby({ state: { at: new Date(0) } }),
        'lobbies[0].state is {"at":"1970-01-01T00:00:00.000Z"}: expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
      ],
      [
        withLobby({ state: JSON.parse('['.repeat(65) + ']'.repeat(65)) }),
        `lobbies[0].state is ${'['.repeat(65)}${']'.repeat(12)}…: expected JSON that nests at most 64 levels`,
      ],
      [{ warnings: 'off' }, 'warnings is "off": expected the rules to turn off, as in {hot loop: off}'],
      [{ device_links: [{ status: 'done' }] }, 'device_links[0].status is "done": expected "pending" or "complete"'],
      [
        { device_links: [{ completes_after: '5 s' }] },
        'device_links[0].completes_after is "5 s": expected a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m',
      ],
    ].map(([input, line]) => ({ input, line })),
  )('is $line', ({ input, line }) => {
    expect(problems(input)).toEqual([`scenario: ${line}`])
  })

  it.each(
    [
      [
        { sed: 1 },
        'sed is an unknown key. Known: title, description, seed, now, clock, client, hide_empty_lobbies, cdn_domain, warnings, servers, default_namespace, regions, games, device_links, namespace_id, created_at, version_id, tokenless, domains, development and 13 more. Did you mean seed?',
      ],
      [
        withLobby({ gamemode_id: 'duel' }),
        'lobbies[0].gamemode_id is an unknown key. Known: lobby_id, game_mode_id, region_id, total_player_count, state, publicity, is_closed, tags, lobby_config, run_by, ports, status, ready_by, stops_at, forgotten_at, max_players, players. Did you mean game_mode_id?',
      ],
      [withLobby({ private: true }), 'lobbies[0].private is an unknown key: write publicity: private.'],
      [{ clock: { speed: 2 } }, 'clock.speed is an unknown key: write rate.'],
      [
        { matchmaker: { x: 1 } },
        'matchmaker.x is an unknown key. Known: lobby_count_max, max_players_per_client, max_players.',
      ],
      [
        { game_modes: [{ game_mode_id: 'a', listible: true }] },
        'game_modes[0].listible is an unknown key. Known: game_mode_id, max_players, regions, listable, disabled, dynamic_max_players, taggable, ports, servers. Did you mean listable?',
      ],
      [
        JSON.parse('{"client": {"latitude": 0, "longitude": 0, "__proto__": 1}}'),
        'client.__proto__ is an unknown key. Known: latitude, longitude.',
      ],
      [
        { constructor: 1, games: [{ namespaces: [{ token: {} }] }] },
        'games[0].namespaces[0].token is an unknown key: write tokens: { public: … }.',
      ],
    ].map(([input, line]) => ({ input, line })),
  )('is $line', ({ input, line }) => {
    expect(problems(input)).toContain(`scenario: ${line}`)
  })
})

describe('a wrong shape', () => {
  it.each([
    ['of another entry', { game_modes: ['duel'], lobbies: [{ is_closed: 5 }, { region_id: 'x' }] }],
    ['of the entry that is referred to', { game_modes: [{ id: 'duel' }], lobbies: [{ game_mode_id: 'duel' }] }],
    ['of a name', { games: [{ name_id: 5 }], device_links: [{ game: 'tanks' }], default_namespace: 'tanks/prod' }],
  ])('is reported before any contradiction: %s', (_, input) => {
    const lines = problems(input)

    expect(lines.filter(line => !/ is an unknown key| is missing: expected |: expected /.test(line))).toEqual([])
    expect(lines).not.toEqual([])
  })

  it('in the first of very many entries ends the search', () => {
    const parse = vi.spyOn(Scenario(), 'safeParse')

    expect(problems({ lobbies: Array(20_000).fill(1) })).toHaveLength(21)
    expect(problems(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, i])))).toHaveLength(21)
    expect(problems({ lobbies: [...Array(1_000).fill({}), ...Array(300_000).fill(1)] })).toEqual([
      'the scenario has some 100,000 mistakes: see what has written it',
    ])
    const longest = parse.mock.calls.map(([input]) => (input as ScenarioInput).lobbies?.length)
    expect(longest).toEqual([1_000, undefined, 1_000, 301_000])
  })

  it('in too many entries is reported with the number of those not shown', () => {
    const wrong = Array.from({ length: 6_000 }, (_, i) => ({ region_id: `lnd-${i}`, game_mode_id: `mode-${i}`, x: i }))
    const game_modes = Array.from({ length: 6_000 }, (_, i) => `made-${i}`)

    const lines = problems({ game_modes, lobbies: wrong })

    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('… and at least 980 more')
  })

  it.each(Object.entries(scenarios))('in any place of %s is reported there, and nowhere else', (_, scenario) => {
    const missed = pathsIn(scenario).filter(path => {
      const lines = problems(replaced(scenario, path, [['?']]))
      const places = lines.map(line => /^scenario: (\S+) /.exec(line)?.[1] ?? '')
      // A state may be any JSON.
      const isMissed = places.length === 0 && path.at(-1) !== 'state'
      return isMissed || !places.every(place => isNear(place, pathText(path)))
    })

    expect(missed.map(pathText)).toEqual([])
  })
})

/** Returns the paths of all values inside a value, except inside any JSON: a state of a game, or the body of a match. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || ['state', 'body'].includes(String(path.at(-1)))) return []
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return keys.flatMap(key => [[...path, key], ...pathsIn(value[key as never], [...path, key])])
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  const copy: Record<PropertyKey, unknown> = Array.isArray(value) ? [...value] : Object.assign({}, value)
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

/** Tells whether a path equals, contains or is inside another one. */
function isNear(place: string, other: string): boolean {
  const starts = (one: string, start: string) => one.startsWith(start) && /^$|^[.[]/.test(one.slice(start.length))
  return starts(place, other) || starts(other, place)
}
