import fc from 'fast-check'
import { UsageError } from '../../../src/core/lib/messages.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { scenarios } from '../../../src/core/scenario/shipped.js'
import type { LiveWorld } from '../../../src/core/store/world.js'
import type { TransactionTables } from '../../../src/core/store/world-tables.js'
import { anyCharacter } from '../../support/any-character.js'
import { startAt, tanks } from '../../support/tanks.js'
import { twoGames } from '../../support/worlds.js'

/** The inputs of steps. */
interface Ingredients {
  /** Selects one of several, by the remainder. */
  readonly n: number
  readonly m: number
  readonly id: string
  readonly name: string
  readonly text: string
  readonly domains: readonly string[]
  readonly state: unknown
  readonly players: number
  readonly yes: boolean
  /** In ms since the epoch. `undefined` means never. */
  readonly at: number | undefined
}

/** Texts that YAML, JSON or plain objects may misread. */
const id = fc.constantFrom(
  ...['__proto__', 'constructor', 'null', '~', '1e3', '0x10', 'true', '2026-11-20', '<<', '&a', '*a', '!x', '%', '#'],
  ...['-', '?', ':', '[]', '{}', '"', "'", '`', '|', '>', '🎯', 'é', '\u2066x', 'none', 'T', 'K', 'attic'],
)
const name = fc.constantFrom('a', 'b', 'c-d', '0', '1', 'null', 'none', 'prod', 'tanks', 'no', 'a-1-b-2-c-3-d-45')
const text = fc.constantFrom('A', '0', 'null', '- a', '# a', 'دبابات الليل', "it's: {a}", '\u0000', '🎯'.repeat(32))
const deep = (levels: number): unknown => (levels === 0 ? 1 : levels % 2 ? [deep(levels - 1)] : { a: deep(levels - 1) })
const state = fc.oneof(
  fc.jsonValue(),
  fc.jsonValue({ stringUnit: anyCharacter }),
  fc.constantFrom<unknown>(
    ...[undefined, null, {}, [], '', '\n a\r\n', '\ud800', '\u0085\u2028', 'x '.repeat(200), 1e21, 5e-324, deep(64)],
    ...['{"__proto__":{"__proto__":1},"":null}', '{"<<":{"a":1},"1":0,"0":1,"~":[]}'].map(json => JSON.parse(json)),
    { [`long ${'key'.repeat(400)}`]: { state: null, '\ud800': '\u0000' } },
  ),
)
const at = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map(ms => startAt + ms * 1000),
  fc.constantFrom(undefined, 0, -1, 1, 253_402_300_800_000, -62_167_219_200_001, 8.64e15, -8.64e15),
)
const ingredients: fc.Arbitrary<Ingredients> = fc.record({
  n: fc.nat(9),
  m: fc.nat(9),
  id,
  name,
  text,
  domains: fc.subarray(['a.example', 'tanks.example', 'x.a.example', 'localhost']),
  state,
  players: fc.constantFrom(0, 1, 2, 40, 4_294_967_295),
  yes: fc.boolean(),
  at,
})

/** Game servers of development tokens. */
const servers = [
  { hostname: '', lobby_ports: [] },
  {
    hostname: 'دبابات 🎯',
    lobby_ports: [
      { label: 'a', target_port: -1, proxy_protocol: 'tcp_tls' as const },
      { label: 'b', port_range: { min: 5, max: -5 }, proxy_protocol: 'udp' as const },
    ],
  },
]

const nth = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
const assign = (columns: object) => ({ data: (draft: object) => void Object.assign(draft, columns) })

/** The writes of a step. Many are refused. */
const changes = {
  'make a game': ({ games }, { id, name, text }) => games.create({ game_id: id, name_id: name, display_name: text }),
  'make a region': ({ regions }, { id, text, yes }) =>
    regions.create({ region_id: id, ...(yes ? { provider_display_name: text, region_display_name: '' } : {}) }),
  'make a namespace': ({ games, namespaces }, { n, id, name, text, domains }) =>
    namespaces.create({
      namespace_id: id,
      name_id: name,
      display_name: text,
      game_id: nth(games.all(), n)?.game_id ?? '',
      domains: [...domains],
    }),
  'make a game mode': ({ namespaces, regions, gameModes }, { n, m, id, players, yes }) =>
    gameModes.create({
      namespace_id: nth(namespaces.all(), n)?.namespace_id ?? '',
      game_mode_id: id,
      max_players_normal: players,
      ...(yes ? { max_players_direct: players, max_players_party: players } : {}),
      regions: regions
        .all()
        .slice(m)
        .map(region => region.region_id),
      listable: m !== 0,
    }),
  'make a lobby': ({ gameModes, lobbies }, { n, m, id, state, players, yes }) => {
    const { namespace_id, game_mode_id, regions } = nth(gameModes.all(), n) ?? {}
    const place = { namespace_id: namespace_id ?? '', game_mode_id: game_mode_id ?? '' }
    return lobbies.create({
      ...(yes ? { lobby_id: id } : {}),
      ...place,
      region_id: nth(regions ?? [], m) ?? '',
      total_player_count: players,
      ...(m < 3 ? { max_players_party: players } : {}),
      ...(state === undefined ? {} : { state }),
      publicity: m === 1 ? 'private' : 'public',
      is_closed: m === 2,
    })
  },
  'seat a player': ({ lobbies, players }, { n, m, id, text, yes, at }) => {
    const columns = [
      { status: 'connected', leaves_at: at, removes_at: at },
      { status: 'reserved', expires_at: at, connects_at: at, removes_at: at },
      { status: 'connected', session_ms: m + 1, leaves_at: at },
      { status: 'expired', forgotten_at: at },
      { status: 'removed', forgotten_at: at },
    ] as const
    return players.create({
      ...(yes ? { player_token: encodeURI(id) } : {}),
      lobby_id: nth(lobbies.all(), n)?.lobby_id ?? '',
      address: text,
      ...nth(columns, m),
    })
  },
  simulate: ({ namespaces, gameModes, simulations }, { n, m, players, yes }) => {
    const { namespace_id = '' } = nth(namespaces.all(), n) ?? {}
    const modes = gameModes.findMany(q => q.where({ namespace_id })).map(({ game_mode_id }) => [game_mode_id, m])
    return simulations.create({
      namespace_id,
      concurrent: players,
      session_ms: 10_000 * (n + 1),
      ...(yes ? { modes: Object.fromEntries(modes) } : {}),
      // At the end of time, because a clock at a million times the speed would need endless steps.
      began_at: 8.64e15 - m,
      settled: yes,
    })
  },
  'make a link': ({ games, deviceLinks }, { n, m, id, yes, at }) => {
    const game_id = nth(games.all(), n)?.game_id ?? ''
    const [token, other] = [id, `x${id}`].map(one => encodeURI(one))
    return deviceLinks.create({
      device_link_id: id,
      ...(yes ? {} : { device_link_token: token ?? '' }),
      ...(m < 4 ? {} : { expires_at: at }),
      ...(m % 2 ? { status: 'complete', game_id, cloud_token: (m % 3 ? token : other) ?? '' } : { status: 'pending' }),
      ...(m % 2 || at === undefined ? {} : { completes: { at, game_id } }),
    })
  },
  'make a token': ({ games, namespaces, tokens }, { n, m, id, yes, at }) => {
    const fields = { ...(yes ? {} : { token: encodeURI(id) }), ...(m < 5 ? {} : { expires_at: at }) }
    if (m % 3 === 0) return tokens.create({ kind: 'cloud', game_id: nth(games.all(), n)?.game_id ?? '', ...fields })
    const owned = { namespace_id: nth(namespaces.all(), n)?.namespace_id ?? '', ...fields }
    if (m % 3 === 1) return tokens.create({ kind: 'public', ...owned })
    const development = nth([...servers, undefined], n)
    return tokens.create({ kind: 'development', ...owned, ...(development === undefined ? {} : { development }) })
  },
  'change a game': ({ games }, { n, m, name, text, at }) =>
    games.update(
      q => q.where({ game_id: nth(games.all(), n)?.game_id ?? '' }),
      assign(m % 2 ? { name_id: name, display_name: text } : { created_at: at ?? 0, developer_group_id: name }),
    ),
  'change a namespace': ({ namespaces, games }, { n, m, name, domains, players, text, yes, at }) => {
    const { namespace_id = '' } = nth(namespaces.all(), n) ?? {}
    const game_id = nth(games.all(), m)?.game_id
    const columns = [
      { game_id },
      { name_id: name, display_name: text, tokenless: yes },
      { domains },
      { lobby_count_max: players, max_players: yes ? players : undefined },
      { development: nth([undefined, ...servers], m) },
      { created_at: at ?? 0, version_id: name },
    ]
    return namespaces.update(q => q.where({ namespace_id }), assign(nth(columns, m) ?? {}))
  },
  'change a game mode': ({ gameModes }, { n, m, players, yes }) => {
    const { namespace_id = '', game_mode_id = '', regions = [] } = nth(gameModes.all(), n) ?? {}
    const columns = [{ listable: yes }, { max_players_direct: players }, { regions: [...regions].reverse() }]
    return gameModes.update(q => q.where({ namespace_id, game_mode_id }), assign(nth(columns, m) ?? {}))
  },
  'change a lobby': ({ lobbies }, { n, m, state, yes }) =>
    lobbies.update(
      q => q.where({ lobby_id: nth(lobbies.all(), n)?.lobby_id ?? '' }),
      assign(nth([{ state }, { is_closed: yes }, { publicity: yes ? 'public' : 'private' }], m) ?? {}),
    ),
  'change the settings': ({ settings, namespaces }, { n, m, yes }) => {
    const columns = [
      { default_namespace_id: undefined },
      { default_namespace_id: nth(namespaces.all(), n)?.namespace_id },
      { hide_empty_lobbies: yes },
      { client: yes ? { latitude: -90, longitude: 1e-7 } : undefined },
      { cdn_domain: 'cdn.example' },
    ]
    return settings.update(q => q.where({ settings_id: 'settings' }), assign(nth(columns, m) ?? {}))
  },
  'delete a row': (tables, { n, m }) => {
    // Each table deletes one of its own rows.
    const table = nth(
      [tables.games, tables.namespaces, tables.gameModes, tables.regions],
      m,
    ) as TransactionTables['games']
    const row = nth(table.all(), n)
    return table.delete(q => q.where(candidate => candidate === row))
  },
  'delete one of many': (tables, { n, m }) => {
    const few = [tables.lobbies, tables.players, tables.simulations, tables.deviceLinks, tables.tokens]
    const table = nth(few, m) as TransactionTables['lobbies'] // the same
    const row = nth(table.all(), n)
    return table.delete(q => q.where(candidate => candidate === row))
  },
  'delete and create again': ({ lobbies }, { n }) => {
    const row = lobbies.delete(q => q.where({ lobby_id: nth(lobbies.all(), n)?.lobby_id ?? '' }))
    if (row) lobbies.create(row)
  },
} satisfies Record<string, (tables: TransactionTables, ingredients: Ingredients) => unknown>

/** The kinds of steps. */
export const kinds = ['go on', ...(Object.keys(changes) as (keyof typeof changes)[])] as const // it has these keys

interface Step extends Ingredients {
  readonly does: (typeof kinds)[number]
}

/** A scenario, and the steps of its world. */
export interface RandomWorld {
  readonly scenario: ScenarioInput
  readonly steps: readonly Step[]
}

const starts: readonly ScenarioInput[] = [{}, { games: [] }, twoGames, tanks, scenarios.nasty, scenarios['tokens-only']]

/** Generates worlds with frozen clocks. */
export const randomWorld: fc.Arbitrary<RandomWorld> = fc.record({
  scenario: fc
    .record({ start: fc.constantFrom(...starts), title: fc.string({ unit: anyCharacter }), seed: fc.maxSafeInteger() })
    .map(({ start, ...own }) => ({ now: new Date(startAt).toISOString(), ...start, clock: 'frozen', ...own })),
  steps: fc.array(
    fc.tuple(fc.constantFrom(...kinds), ingredients).map(([does, all]) => ({ does, ...all })),
    { maxLength: 40, size: 'max' },
  ),
})

/** Runs a step in a world. Returns `false` if it was refused. */
export async function play(step: Step, world: LiveWorld): Promise<boolean> {
  const { does, n, m } = step
  try {
    if (does === 'go on') await world.clock.advance(nth([0, 1, 999, 1e9, 1e14], n) ?? 0)
    else world.transaction<unknown>(tables => changes[does](tables, step))
    if (does === 'go on')
      await world.clock.set({ mode: m > 6 ? 'running' : 'frozen', rate: nth([1, 1, 0.001, 5e-324, 1_000_000], m) })
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}
