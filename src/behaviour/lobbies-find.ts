import { ApiError } from '../contract/errors.js'
import type { OperationInput } from '../contract/operations.js'
import { lobbiesOf } from '../store/derived.js'
import { type GameModeRow, type LobbyRow, seatsTaken } from '../store/rows.js'
import type { InnerTables } from '../store/table.js'
import type { Behaviour, WriteCall } from './behaviour.js'
import { cannedJoin } from './canned-join.js'
import type { Client } from './client.js'
import { nearness } from './nearness.js'
import { checkMaxPlayers, newLobby } from './new-lobby.js'
import { modesOf, type Place, placesOf } from './places.js'
import { checkSource, reserveSeat } from './seat.js'
import { checkTags, hasTags } from './tags.js'

type Asked = OperationInput<'lobbies.find'>

/** What find needs of its call: it writes nothing by hand. */
type Finding = Omit<WriteCall<'lobbies.find'>, 'tables'>

/** Takes a seat in the fullest lobby that fits, or in a new one (PROTOCOL.md C). */
export const findLobby = ((call: Finding) => {
  const { caller, client, input, reads: tables } = call
  const { namespaceId } = caller
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const modes = askedModes(input, { namespaceId, tables })
  checkTags(input.tags, modes)
  checkMaxPlayers(input.max_players, modes)
  const places = placesOf(modes, { regions: input.regions, tables })
  checkSource({ namespaceId, client, tables })
  const lobby = fullest(places, { input, tables, client })
  if (lobby) return reserveSeat(lobby, call)
  if (input.prevent_auto_create_lobby) throw noneAvailable(places)
  const made = newLobby(newPlace(places, { input, tables, client }), { ...call, wishes: input })
  return reserveSeat(made, call)
}) satisfies Behaviour<'lobbies.find'>

function askedModes(
  { game_modes }: Asked,
  around: { readonly namespaceId: string; readonly tables: InnerTables },
): GameModeRow[] {
  if (game_modes.length === 0)
    throw new ApiError('MATCHMAKER_NO_GAME_MODE_PROVIDED', 'game_modes is empty: ask for at least one')
  const modes = modesOf(game_modes, around)
  const disabled = modes.find(mode => mode.disabled?.includes('find'))
  if (!disabled) return modes
  throw new ApiError(
    'MATCHMAKER_FIND_DISABLED',
    `lobbies of game mode ${disabled.game_mode_id} are not to be found: its key "disabled" in the scenario names find`,
  )
}

interface Search {
  readonly client: Client
  readonly input: Asked
  readonly tables: InnerTables
}

/** The lobby with the fewest free seats; of those that have as few, one in the nearest region; of those, one of the mode that was asked for first; and of those the oldest. */
function fullest(places: readonly Place[], { input, tables, client }: Search): LobbyRow | undefined {
  const near = nearness(input, tables)
  // No other server than the mock knows of players whom the simulation sends.
  const isPlayed = (lobby: LobbyRow) => client.sessionMs === undefined || lobby.run_by === 'mock'
  const isWanted = (lobby: LobbyRow) => isPlayed(lobby) && fits(lobby, input)
  let best: LobbyRow | undefined
  for (const { mode, region_id } of places) {
    const { namespace_id, game_mode_id } = mode
    const group = lobbiesOf({ namespace_id, game_mode_id, region_id })
    const lobby = tables.lobbies.firstRanked('fullest', { group, isWanted })
    if (!lobby) continue
    const difference = best ? freeSeats(lobby) - freeSeats(best) : -1
    if (difference < 0 || (difference === 0 && best && near.isNearer(region_id, best.region_id))) best = lobby
  }
  return best
}

function freeSeats(lobby: LobbyRow): number {
  return lobby.max_players_normal - seatsTaken(lobby)
}

function fits({ tags, max_players_normal }: LobbyRow, { tags: asked, max_players }: Asked): boolean {
  return hasTags(tags, asked) && (max_players === undefined || max_players === max_players_normal)
}

/** Where a new lobby is made: of the first mode that is to be had, in the region that was asked for first, else in the nearest. */
function newPlace(places: readonly [Place, ...Place[]], { input, tables }: Search): Place {
  const [foremost, ...others] = places
  if (input.regions) return foremost
  const near = nearness(input, tables)
  const ofMode = others.filter(place => place.mode === foremost.mode)
  return ofMode.reduce((best, place) => (near.isNearer(place.region_id, best.region_id) ? place : best), foremost)
}

function noneAvailable(places: readonly Place[]): ApiError {
  const modes = [...new Set(places.map(({ mode }) => mode.game_mode_id))]
  const regions = [...new Set(places.map(({ region_id }) => region_id))]
  return new ApiError(
    'MATCHMAKER_NO_AVAILABLE_LOBBIES',
    `no lobby that fits has room (game modes ${modes.join(', ')}; regions ${regions.join(', ')}), and prevent_auto_create_lobby forbids a new one`,
  )
}
