import * as z from 'zod'
import { Identifier } from '../contract/formats.js'
import type { Path } from '../lib/issues.js'
import { Span, Time } from '../lib/time-schemas.js'
import { lifetimeMs } from '../store/columns.js'
import { columnsOf, type EntryPlace, GameTokensInput, MatchmakerInput, NamespaceTokensInput } from '../store/inputs.js'
import { completeSimulation, SimulationRow, StayOrSession, simulationDefaults } from '../store/matchmaker-rows.js'
import type { SeededIds } from '../store/random.js'
import {
  DeviceLinkRow,
  DeviceLinkStatus,
  defaultNames,
  deviceLinkDefaults,
  GameRow,
  matchmakerDefaults,
  NamespaceRow,
  namespaceDefaults,
  TokenKind,
  TokenRow,
} from '../store/rows.js'
import { namespaceLabel } from '../store/tokens.js'
import { entryKeys } from './entry-keys.js'
import { type GameMode, GameModeEntry, LobbyEntry, ServerPortsEntry } from './matchmaker-entries.js'

export type Names = Pick<GameRow, 'name_id' | 'display_name'>

/** Returns the names of an entry. Without a display name, it is displayed by its `name_id`. */
export function namesOf(entry: { readonly [Key in keyof Names]?: Names[Key] | undefined }, defaults: Names): Names {
  const { name_id = defaults.name_id, display_name = entry.name_id ?? defaults.display_name } = entry
  return { name_id, display_name }
}

function nameKeys({ name_id, display_name }: Names) {
  return {
    name_id: GameRow.shape.name_id.optional().meta({
      description: `Its name in paths, host names and other keys. Default: ${name_id}.`,
      default: name_id,
      examples: ['tanks'],
    }),
    display_name: GameRow.shape.display_name.optional().meta({
      description: `Its name for people. Default: the name_id, or ${display_name}.`,
      examples: ['Tanks'],
    }),
  }
}

const { session_ms, ...simulationColumns } = SimulationRow.shape

/** The number of bots of a namespace that does not set it. */
export const defaultBots = 8

/** The simulated players of a namespace. */
export const SimulationEntry = z.strictObject({
  ...entryKeys(simulationColumns, { omit: ['namespace_id'], defaults: simulationDefaults }),
  ...entryKeys({ session: session_ms }, { defaults: { session: simulationDefaults.session_ms } }),
})
export type SimulationEntry = z.output<typeof SimulationEntry>

/** The players of a namespace: simulated ones, or bots that a command starts. */
export const PlayersEntry = z.strictObject({
  ...SimulationEntry.shape,
  ...entryKeys(
    { session: StayOrSession.meta(session_ms.meta() ?? {}) },
    { defaults: { session: simulationDefaults.session_ms } },
  ),
  concurrent: SimulationEntry.shape.concurrent.meta({
    ...SimulationEntry.shape.concurrent.meta(),
    description: `The number of players at once. Without a command, averaged over a day. Default: 100, or ${defaultBots} with a command.`,
  }),
  command: z
    .string()
    .regex(/\S/, 'expected a command')
    .optional()
    .meta({
      description: 'The command that runs a bot. Default: players are simulated.',
      examples: ['./client --bot'],
    }),
  find: z
    .boolean()
    .optional()
    .meta({ description: 'true: each bot gets a seat before it starts. Default: false.', default: false }),
})
export type PlayersEntry = z.output<typeof PlayersEntry>

/** Tells whether a command runs the players, so that none are simulated. */
export function hasBots(players: Pick<PlayersEntry, 'command'> | undefined): boolean {
  return players?.command !== undefined
}

export function simulationColumnsOf(entry: PlayersEntry, now: number): Omit<SimulationRow, 'namespace_id'> {
  return completeSimulation(columnsOf('simulations', entry), now)
}

/** The most lobbies that a scenario generates for one namespace. */
export const generatedMax = 1_000_000

/** The keys of a namespace, except its names. */
export const namespaceKeys = {
  ...entryKeys(NamespaceRow.shape, {
    omit: ['game_id', 'name_id', 'display_name', 'lobby_count_max', 'max_players'],
    defaults: namespaceDefaults,
  }),
  development: ServerPortsEntry.optional().meta(NamespaceRow.shape.development.meta() ?? {}),
  matchmaker: MatchmakerInput.optional().describe('Limits of the namespace.'),
  tokens: NamespaceTokensInput.optional().describe('Tokens of the namespace. Default: from the seed.'),
  game_modes: z
    .array(GameModeEntry)
    .optional()
    .meta({ description: 'Its game modes: ids, or whole ones. Default: none.', default: [], examples: [['duel']] }),
  lobbies: z
    .array(LobbyEntry)
    .optional()
    .meta({ description: 'Its lobbies at the beginning. Default: none.', default: [] }),
  players: PlayersEntry.optional().describe('Simulated players or bots. Default: none.'),
  generate: z
    .strictObject({
      lobbies: z
        .int()
        .min(0)
        .max(generatedMax)
        .optional()
        .meta({ description: 'The number of lobbies to generate. Default: 0.', default: 0, examples: [396] }),
    })
    .optional()
    .describe('Generates lobbies from the seed, besides those in `lobbies`.'),
}

export const NamespaceEntry = z.strictObject({ ...nameKeys(defaultNames.namespace), ...namespaceKeys })
export type NamespaceEntry = z.output<typeof NamespaceEntry>

/** A game with its namespaces. */
export const GameEntry = z.strictObject({
  ...nameKeys(defaultNames.game),
  ...entryKeys(GameRow.shape, { omit: ['name_id', 'display_name'] }),
  tokens: GameTokensInput.optional().describe('Tokens of the game. Default: from the seed.'),
  namespaces: z.array(NamespaceEntry).optional().describe('Its namespaces. Default: one, prod.'),
})
export type GameEntry = z.output<typeof GameEntry>

export interface PlacedGame {
  readonly path: Path
  readonly names: Names
  readonly given: Omit<GameEntry, keyof Names | 'namespaces'>
  readonly namespaces: readonly PlacedNamespace[]
}

export interface PlacedNamespace {
  readonly path: Path
  readonly names: Names
  /** `<game name_id>/<namespace name_id>`. It is unique in the scenario. */
  readonly fullName: string
  readonly given: Omit<NamespaceEntry, keyof Names>
  /** By id. */
  readonly modes: ReadonlyMap<string, GameMode>
}

/** Returns the row of a game. `now`: the start time of the world, in ms since the epoch. */
export function gameRow({ names, given }: PlacedGame, ids: SeededIds, now: number): GameRow {
  return {
    game_id: ids.uuid(`game:${names.name_id}`),
    created_at: now,
    developer_group_id: ids.uuid(`game:${names.name_id}/developer-group`),
    ...names,
    ...columnsOf('games', given),
  }
}

/** Returns the row of a namespace, without its game. */
export function namespaceColumnsOf({ names, fullName, given }: PlacedNamespace, ids: SeededIds, now: number) {
  return {
    namespace_id: ids.uuid(`namespace:${fullName}`),
    created_at: now,
    version_id: ids.uuid(`namespace:${fullName}/version`),
    lobby_count_max: matchmakerDefaults.lobby_count_max,
    ...namespaceDefaults,
    ...names,
    ...columnsOf('namespaces', given),
  }
}

/** The games and namespaces of a new world with their ids, and the source of its other ids. */
interface PlacedOwners {
  readonly games: readonly (PlacedGame & { readonly game_id: string })[]
  readonly namespaces: readonly (PlacedNamespace & { readonly namespace_id: string })[]
  readonly ids: SeededIds
  /** The start time of the world, in ms since the epoch. */
  readonly now: number
}

const [pending, complete] = DeviceLinkRow.options
const { device_link_token, ...linkColumns } = { ...pending.shape, ...complete.shape, status: DeviceLinkStatus }

/** A device link of a new world (PROTOCOL.md B8). */
export const DeviceLinkEntry = z.strictObject({
  token: device_link_token.optional(),
  ...entryKeys(linkColumns, { omit: ['completes', 'game_id'], defaults: deviceLinkDefaults }),
  game: Identifier.optional().meta({
    description: 'The name_id of its game. Default: the only game.',
    examples: ['tanks'],
  }),
  completes_after: Span.optional().describe('The time until the world completes it, as in 5s. Default: never.'),
  completes_at: Time.optional().describe('When the world completes it.'),
  expires_after: Span.optional().describe('The time until it expires, as in 1h. Default: never.'),
})
export type DeviceLinkEntry = z.output<typeof DeviceLinkEntry>

/** Creates the rows of the device links. `check` has found the game of each link that has one. */
export function deviceLinkRows(
  links: readonly DeviceLinkEntry[],
  { games, ids, now }: Pick<PlacedOwners, 'games' | 'ids' | 'now'>,
): DeviceLinkRow[] {
  const place = placeOf({ games, namespaces: [], now })
  return links.map((link, i): DeviceLinkRow => {
    const stream = `device-link:${i}`
    const row = {
      device_link_token: link.token ?? ids.token(`${stream}/token`, 'device'),
      device_link_id: link.device_link_id ?? ids.uuid(stream),
      ...deviceLinkDefaults,
      ...(link.status === 'complete' && !link.cloud_token
        ? { cloud_token: ids.token(`${stream}/cloud`, 'cloud') }
        : {}),
      ...columnsOf('deviceLinks', link, place),
    }
    return row as DeviceLinkRow // checked before
  })
}

function placeOf({ games, namespaces, now }: Pick<PlacedOwners, 'games' | 'namespaces' | 'now'>): EntryPlace {
  const gameIds = new Map<unknown, string>(games.map(game => [game.names.name_id, game.game_id]))
  const namespaceIds = new Map<unknown, string>(namespaces.map(one => [one.fullName, one.namespace_id]))
  const [only = ''] = gameIds.values()
  return {
    now,
    gameId: name => (name === undefined ? only : (gameIds.get(name) ?? '')),
    namespaceId: name => namespaceIds.get(name) ?? '',
  }
}

const [development, ofPublic, cloud] = TokenRow.options
const { token, ...tokenColumns } = { ...development.shape, ...ofPublic.shape, ...cloud.shape }

/** A bearer token with its owner. */
export const BearerTokenEntry = z.strictObject({
  token,
  ...entryKeys(tokenColumns, { omit: ['namespace_id', 'game_id'] }),
  kind: TokenKind,
  development: ServerPortsEntry.optional().meta(tokenColumns.development.meta() ?? {}),
  namespace: z
    .string()
    .optional()
    .meta({
      description: 'The namespace of a development or public token: <game name_id>/<namespace name_id>.',
      examples: ['game/prod'],
    }),
  game: z
    .string()
    .optional()
    .meta({ description: 'The name_id of the game of a cloud token.', examples: ['game'] }),
})
export type BearerTokenEntry = z.output<typeof BearerTokenEntry>

/** Creates the rows of a scenario that lists its bearer tokens. `check` has found the owner of each. */
export function* listedTokenRows(listed: readonly BearerTokenEntry[], parts: PlacedOwners): Iterable<object> {
  const place = placeOf(parts)
  for (const entry of listed) yield columnsOf('tokens', entry, place)
}

/** Creates the tokens of a scenario without `bearer_tokens`: of namespaces, games and device links (PROTOCOL.md B1, B8). */
export function* ownTokenRows(
  links: readonly DeviceLinkRow[],
  { games, namespaces, ids, now }: PlacedOwners,
): Iterable<TokenRow> {
  const expires_at = now + lifetimeMs.token
  for (const { namespace_id, fullName, names, given } of namespaces)
    for (const kind of ['public', 'development'] as const) {
      const label = namespaceLabel(kind, names.name_id)
      const token = given.tokens?.[kind] ?? ids.token(`namespace:${fullName}/${kind}`, label)
      yield { token, kind, expires_at, namespace_id }
    }
  for (const { game_id, names, given } of games) {
    const token = given.tokens?.cloud ?? ids.token(`game:${names.name_id}/cloud`, 'cloud')
    yield { token, kind: 'cloud', game_id, expires_at }
  }
  for (const link of links)
    if (link.status === 'complete') yield { token: link.cloud_token, kind: 'cloud', game_id: link.game_id, expires_at }
}
