import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Instant } from '../contract/instant.js'
import { Json } from '../contract/json.js'
import { record } from '../contract/record.js'
import { Uint32 } from '../contract/uint32.js'
import { lobbyFields, runBy } from '../store/lobby-row.js'
import { anyRegionId } from './catalogue.js'
import type { Mode } from './game-mode.js'
import { MaxPlayersKey, maxPlayersOf } from './max-players.js'
import { countOf, PlayerEntry } from './player.js'
import { msOf } from './time.js'

const { lobby_id, game_mode_id, region_id, publicity, run_by } = lobbyFields

/** A lobby, of a namespace's game mode. */
export const LobbyEntry = exact({
  lobby_id: lobby_id
    .optional()
    .meta({ description: 'Its id. Default: from the seed.', examples: ['88888888-8888-4888-8888-888888888888'] }),
  game_mode_id: game_mode_id
    .optional()
    .meta({ description: "The game mode that is played. Default: the namespace's first.", examples: ['duel'] }),
  region_id: region_id
    .optional()
    .meta({ description: 'Where it runs. Default: the first region that its game mode enables.', ...anyRegionId }),
  total_player_count: Uint32.optional().meta({
    description: 'How many players are connected. Default: as many as players lists.',
    examples: [7],
  }),
  max_players: MaxPlayersKey.optional(),
  state: Json.optional().meta({
    description: 'What its server says of the game: any JSON that nests at most 64 levels. Default: none.',
    examples: [{ map: 'Harbour' }],
  }),
  publicity: publicity
    .optional()
    .meta({ description: 'Whether it is listed and found. Default: public.', default: 'public' }),
  is_closed: z.boolean().optional().meta({
    description: 'Whether it is closed: not found, not listed, and joined only by its id. Default: false.',
    default: false,
  }),
  tags: record(z.string())
    .optional()
    .meta({ description: 'What find may ask for. Default: none.', examples: [{ map: 'harbour' }] }),
  lobby_config: Json.optional().meta({
    description: 'The configuration that its creator gives its server. Default: none.',
    examples: [{ rounds: 3 }],
  }),
  run_by: run_by
    .optional()
    .describe(
      'Who plays its game server. Default: mock; server where the servers are manual, or the lobby is starting.',
    ),
  status: z
    .enum(['starting', 'ready', 'stopped'])
    .optional()
    .meta({ description: 'Whether its server is ready. Default: ready.', default: 'ready' }),
  ready_by: Instant.optional().describe('When a starting one stops. Default: never.'),
  stops_at: Instant.optional().describe('When it stops because of its age. Default: never.'),
  forgotten_at: Instant.optional().describe('When a stopped lobby is forgotten. Default: never.'),
  players: z.array(PlayerEntry).optional().describe('Players who can be told apart. Default: none.'),
})
export type LobbyEntry = z.output<typeof LobbyEntry>

/** The game mode that an entry means; `undefined` where there is none. */
export function modeOfLobby(entry: LobbyEntry, modes: ReadonlyMap<string, Mode>): Mode | undefined {
  if (entry.game_mode_id !== undefined) return modes.get(entry.game_mode_id)
  const [first] = modes.values()
  return first
}

/** The columns of a lobby that its times and its server do not decide. Without a region only where its mode enables none. */
export function lobbyOf(entry: LobbyEntry, mode: Mode) {
  return {
    game_mode_id: mode.game_mode_id,
    region_id: entry.region_id ?? mode.regions[0],
    ...maxPlayersOf(entry.max_players, mode),
    total_player_count: entry.total_player_count ?? countOf(entry.players, 'connected'),
    reserved_player_count: countOf(entry.players, 'reserved'),
    ...(entry.state === undefined ? {} : { state: entry.state }),
    publicity: entry.publicity ?? 'public',
    is_closed: entry.is_closed ?? false,
    ...(entry.tags === undefined ? {} : { tags: entry.tags }),
    ...(entry.lobby_config === undefined ? {} : { lobby_config: entry.lobby_config }),
  }
}

/** What of a lobby depends on who plays its server, and its times. What is absent stays undefined. */
export function lobbyStateOf(entry: LobbyEntry, { servers }: { readonly servers: 'auto' | 'manual' }) {
  const { status = 'ready', run_by = runBy(status, { servers }) } = entry
  const stops_at = msOf(entry.stops_at)
  if (status === 'ready') return { run_by, status, stops_at }
  if (status === 'stopped') return { run_by, status, forgotten_at: msOf(entry.forgotten_at) }
  return { run_by: 'server', status, ready_by: msOf(entry.ready_by), stops_at }
}
