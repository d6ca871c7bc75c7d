import { ApiError } from '../../contract/errors.js'
import type { AnswerReasons, ExplainedCandidate } from '../../contract/journal.js'
import type { Coordinates } from '../../contract/regions.js'
import { chooseForFind, type FindCandidate, type FindCandidates, findCandidates } from '../../operations/matchmaking.js'
import { clientLocation, distance } from '../../operations/regions.js'
import { freeSeats, type ListObstacle, seatsTaken } from '../../store/lobby-rules.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import type { Tables } from '../../store/model.js'
import { findNamespace } from '../../store/namespaces.js'
import type { ReadView } from '../../store/world.js'
import { outageTexts } from './outage-texts.js'

/** The answer that a find in a game mode gets now. */
export interface ExplainedChoice {
  readonly namespace_id: string
  readonly game_mode_id: string
  /** The lobby with the seat. Absent for a new lobby. */
  readonly lobby_id?: string
  /** Absent if the find is refused. */
  readonly region_id?: string
  /** The distance from the client. Absent if the place of the client is unknown. */
  readonly kilometers?: number
  /** Why the find is refused: `400 MATCHMAKER_…: …`. */
  readonly refusal?: string
}

/** A seat of a lobby that was full, when a request wanted one. */
export interface TakenSeat {
  /** The player, for `stories.get`: its token, or the `id` of its story. */
  readonly player: string
  readonly name: string
  /** Since when the player had the seat, in ISO 8601. */
  readonly since: string
  readonly state: 'on_the_way' | 'playing'
}

/** The answer to a question. */
export interface Explanation extends AnswerReasons {
  /** Of a refused join of a full lobby: who had its seats, the longest first. The scenario may only count some of them. */
  readonly seats?: readonly TakenSeat[]
  /** Of a lobby without a game server: whether the first find or join starts one. */
  readonly starts_server?: boolean
  /** The region of the lobby that a find would take or create now. */
  readonly region_id?: string
  /** The distance of that region from the player. Absent if the place of the player is unknown. */
  readonly kilometers?: number
}

/** Says why a lobby is not listed, or why find did not choose it, in words that follow "it is". */
export const obstacleTexts: { readonly [key in ListObstacle | NonNullable<FindCandidate['lostBy']>]: string } = {
  stopped: 'stopped',
  closed: 'closed (is_closed)',
  private: 'private (publicity)',
  unlisted: 'of a game mode that is not listable',
  empty: 'empty beside other open lobbies of its game mode (hide_empty_lobbies)',
  full: 'full',
  tags: 'without the tags of the request',
  max_players: 'for another number of players than max_players of the request',
  server: 'run by a real game server, which does not know simulated players',
  no_server: 'without a game server, and no command starts one (servers.command)',
  seats: 'emptier than the chosen one',
  distance: 'farther away than the chosen one',
  order: 'newer than the chosen one, or its game mode or region comes later in the request',
}

type FindView = Pick<ReadView, 'tables' | 'starter' | 'outageOf'>

const thisMachine = { address: '127.0.0.1', isLocal: true } as const

/**
 * Explains what a find in one game mode does now, for a player of this machine at the place of the settings. Changes nothing.
 * Throws `UsageError` for an unknown namespace.
 */
export function explainFind(
  { find, namespace }: { readonly find: string; readonly namespace?: string | undefined },
  { tables, starter, outageOf }: FindView,
): Explanation {
  const { namespace_id } = findNamespace(namespace, tables)
  const input = { game_modes: [find] }
  try {
    const choice = chooseForFind(namespace_id, { client: thisMachine, input, tables, starter, outageOf })
    const candidates = findCandidates(namespace_id, { input, tables, starter })
    const location = clientLocation({}, tables)
    const { region_id } = choice
    const away = distanceTo(region_id, location, tables)
    const isNew = !('lobby_id' in choice)
    return {
      verdict: isNew ? `a new lobby in ${region_id}` : `a seat in lobby ${choice.lobby_id}`,
      because: [
        isNew ? 'no lobby of the game mode has a free seat for find' : choiceText(choice, candidates.ties),
        regionText(region_id, away.kilometers, isNew),
        ...outageTexts(namespace_id, input, { tables, outageOf }),
      ],
      candidates: explainCandidates(candidates, { location, tables }),
      region_id,
      ...away,
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { verdict: `${error.status} ${error.code}`, because: [error.message] }
  }
}

const mostModes = 100

/** Lists what a find in each game mode gets now, for the same player. */
export function listFinds({ tables, starter, outageOf }: FindView): ExplainedChoice[] {
  const location = clientLocation({}, tables)
  return tables.gameModes
    .all()
    .slice(0, mostModes)
    .map(({ namespace_id, game_mode_id }) => {
      const mode = { namespace_id, game_mode_id }
      try {
        const input = { game_modes: [game_mode_id] }
        const choice = chooseForFind(namespace_id, { client: thisMachine, input, tables, starter, outageOf })
        const { region_id } = choice
        const lobby = 'lobby_id' in choice ? { lobby_id: choice.lobby_id } : {}
        return { ...mode, ...lobby, region_id, ...distanceTo(region_id, location, tables) }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { ...mode, refusal: `${error.status} ${error.code}: ${error.message}` }
      }
    })
}

export const unknownPlace = 'The place of the player is unknown: set client in the scenario'

function regionText(region_id: string, kilometers: number | undefined, isNew: boolean): string {
  if (!isNew) {
    return kilometers === undefined
      ? `it is in ${region_id}. ${unknownPlace}`
      : `it is in ${region_id}, ${kilometers} km from the player`
  }
  if (kilometers !== undefined)
    return `${region_id} is the nearest region of the game mode, ${kilometers} km from the player`
  return `${region_id} is the first region of the game mode, because the place of the player is unknown`
}

/** Says why find chose a lobby, and how many others were as full. */
export function choiceText(lobby: LobbyRow, ties: number): string {
  const tie = ties === 0 ? '' : `. Others with as many free seats, but farther away or newer: ${ties}`
  const start = lobby.run_by === 'none' ? '. It had no game server, so the find starts one' : ''
  return `it is the fullest lobby that fits, with ${seatsTaken(lobby)} of ${lobby.max_players_normal} seats taken${tie}${start}`
}

/** Describes the first candidates, and says why they lost. */
export function explainCandidates(
  { first }: FindCandidates,
  { location, tables }: { readonly location: Coordinates | undefined; readonly tables: Pick<Tables, 'regions'> },
): ExplainedCandidate[] {
  return first.map(({ lobby, lostBy }) => {
    const { lobby_id, game_mode_id, region_id } = lobby
    return {
      lobby_id,
      game_mode_id,
      region_id,
      free_seats: Math.max(0, freeSeats(lobby)),
      ...distanceTo(region_id, location, tables),
      ...(lostBy === undefined ? {} : { because: obstacleTexts[lostBy], lost_by: lostBy }),
    }
  })
}

function distanceTo(
  region_id: string,
  location: Coordinates | undefined,
  { regions }: Pick<Tables, 'regions'>,
): { readonly kilometers?: number } {
  const datacenter = regions.get(region_id)?.datacenter_coord
  if (!location || !datacenter) return {}
  return { kilometers: Math.round(distance(location, datacenter).kilometers) }
}
