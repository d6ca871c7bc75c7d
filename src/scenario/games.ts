import * as z from 'zod'
import type { Path } from '../lib/issues.js'
import { serverPorts } from '../store/inputs.js'
import { nextStepAt, SimulationRow, simulationDefaults } from '../store/matchmaker-rows.js'
import { defaultNames, GameRow, matchmakerDefaults, NamespaceRow, namespaceDefaults, TokenRow } from '../store/rows.js'
import { entryKeys, givenKeys, type SeededIds } from './entry.js'
import { type GameMode, GameModeEntry, LobbyEntry, ServerPortsEntry } from './lobbies.js'

/** The names of a game, or of a namespace. */
export type Names = Pick<GameRow, 'name_id' | 'display_name'>

/** The names of an entry. One that has only a `name_id` is displayed by it. */
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
      description: `Its name for people. Default: the name_id, or ${display_name} if that is absent too.`,
      examples: ['Tanks'],
    }),
  }
}

const { session_ms, ...simulationColumns } = SimulationRow.shape

/** Simulated players of a namespace. */
export const SimulationEntry = z.strictObject({
  ...entryKeys(simulationColumns, { omit: ['namespace_id'], defaults: simulationDefaults }),
  ...entryKeys({ session: session_ms }, { defaults: { session: simulationDefaults.session_ms } }),
})
export type SimulationEntry = z.output<typeof SimulationEntry>

/** The row of an entry, without its namespace. */
export function simulationColumnsOf(entry: SimulationEntry, now: number): Omit<SimulationRow, 'namespace_id'> {
  const session_ms = entry.session ?? simulationDefaults.session_ms
  const columns = { ...simulationDefaults, began_at: now, ...givenKeys(entry, 'session'), session_ms }
  const next_step_at = entry.next_step_at ?? nextStepAt(columns, now)
  return next_step_at === undefined ? columns : { ...columns, next_step_at }
}

/** The entry of a row. */
export function simulationEntry(row: SimulationRow): SimulationEntry {
  return { session: row.session_ms, ...givenKeys(row, 'namespace_id', 'session_ms') }
}

const token = TokenRow.options[0].shape.token
const tokenKey = (description: string, example: string) => token.optional().meta({ description, examples: [example] })

/** The most lobbies that a scenario generates for one namespace. */
const generatedMax = 1_000_000

/** The columns that an entry has in its `matchmaker`. */
const { lobby_count_max, max_players, ...namespaceColumns } = NamespaceRow.shape

/** The keys of a namespace besides its names. */
export const namespaceKeys = {
  ...entryKeys(namespaceColumns, { omit: ['game_id', 'name_id', 'display_name'], defaults: namespaceDefaults }),
  development: ServerPortsEntry.optional().meta(NamespaceRow.shape.development.meta() ?? {}),
  matchmaker: z
    .strictObject(
      entryKeys(
        { lobby_count_max, max_players },
        { defaults: { lobby_count_max: matchmakerDefaults.lobby_count_max } },
      ),
    )
    .optional()
    .describe('Limits of the namespace.'),
  tokens: z
    .strictObject({
      public: tokenKey('The public token. Default: from the seed.', 'pub_prod.mock.one'),
      development: tokenKey('The development token. Default: from the seed.', 'dev_prod.mock.one'),
    })
    .optional()
    .describe('Tokens of the namespace. Default: from the seed.'),
  game_modes: z
    .array(GameModeEntry)
    .optional()
    .meta({ description: 'Its game modes: ids, or whole ones. Default: none.', default: [], examples: [['duel']] }),
  lobbies: z
    .array(LobbyEntry)
    .optional()
    .meta({ description: 'The lobbies that exist when the world begins. Default: none.', default: [] }),
  players: SimulationEntry.optional().describe('Simulated players, who come and go. Default: none.'),
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

/** A namespace of a game. */
const NamespaceEntry = z.strictObject({ ...nameKeys(defaultNames.namespace), ...namespaceKeys })
export type NamespaceEntry = z.output<typeof NamespaceEntry>

/** A game with its namespaces. */
export const GameEntry = z.strictObject({
  ...nameKeys(defaultNames.game),
  ...entryKeys(GameRow.shape, { omit: ['name_id', 'display_name'] }),
  tokens: z
    .strictObject({ cloud: tokenKey('Its cloud token. Default: from the seed.', 'cloud.mock.tanks') })
    .optional()
    .describe('Tokens of the game. Default: from the seed.'),
  namespaces: z.array(NamespaceEntry).optional().describe('Its namespaces. Default: one, prod.'),
})
export type GameEntry = z.output<typeof GameEntry>

/** A game in a scenario, and the path that it has there. */
export interface PlacedGame {
  readonly path: Path
  readonly names: Names
  readonly given: Omit<GameEntry, keyof Names | 'namespaces'>
  readonly namespaces: readonly PlacedNamespace[]
}

/** A namespace in a scenario, and the path that it has there. */
export interface PlacedNamespace {
  readonly path: Path
  readonly names: Names
  /** `<game name_id>/<namespace name_id>`, which is unique in the scenario. */
  readonly fullName: string
  readonly given: Omit<NamespaceEntry, keyof Names>
  /** By id. */
  readonly modes: ReadonlyMap<string, GameMode>
}

/** The row of a game. `now` is when the world begins, in ms since the epoch. */
export function gameRow({ names, given }: PlacedGame, ids: SeededIds, now: number): GameRow {
  return {
    game_id: ids.uuid(`game:${names.name_id}`),
    created_at: now,
    developer_group_id: ids.uuid(`game:${names.name_id}/developer-group`),
    ...names,
    ...givenKeys(given, 'tokens'),
  }
}

/** The entry of a row. */
export function gameEntry({ name_id, display_name, ...columns }: GameRow, namespaces: NamespaceEntry[]): GameEntry {
  return { name_id, display_name, ...columns, namespaces }
}

/** The row of a namespace, without its game. */
export function namespaceColumnsOf({ names, fullName, given }: PlacedNamespace, ids: SeededIds, now: number) {
  const { matchmaker = {}, development } = given
  return {
    namespace_id: ids.uuid(`namespace:${fullName}`),
    created_at: now,
    version_id: ids.uuid(`namespace:${fullName}/version`),
    lobby_count_max: matchmakerDefaults.lobby_count_max,
    ...namespaceDefaults,
    ...names,
    ...givenKeys(given, 'matchmaker', 'development', 'tokens', 'game_modes', 'lobbies', 'players', 'generate'),
    ...givenKeys(matchmaker),
    ...(development === undefined ? {} : { development: serverPorts(development) }),
  }
}

/** The entry of a row, with the entries of what is in the namespace. */
export function namespaceEntry(
  row: NamespaceRow,
  inside: Pick<NamespaceEntry, 'game_modes' | 'lobbies' | 'players'>,
): NamespaceEntry {
  const { name_id, display_name, game_id: _, lobby_count_max, max_players, ...columns } = row
  return {
    name_id,
    display_name,
    ...columns,
    matchmaker: { lobby_count_max, ...(max_players === undefined ? {} : { max_players }) },
    ...inside,
  }
}
