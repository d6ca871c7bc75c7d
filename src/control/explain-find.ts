import { ApiError } from '../contract/errors.js'
import type { Coordinates } from '../contract/regions.js'
import { chooseForFind, type FindCandidate, findCandidates } from '../operations/matchmaking.js'
import { clientLocation, distance } from '../operations/regions.js'
import { type LobbyRow, seatsTaken } from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import { findNamespace } from './tables.js'

/** A lobby that a find could have chosen, or could not. */
export interface ExplainedCandidate {
  readonly lobby_id: string
  readonly game_mode_id: string
  readonly region_id: string
  /** The seats that were free for find. */
  readonly free_seats: number
  /** The distance from the client. Absent if the place of the client is unknown. */
  readonly kilometers?: number
  /** Why find did not choose it. Absent for the chosen lobby. */
  readonly because?: string
}

/** What find would do now. */
interface ExplainedFind {
  readonly verdict: string
  readonly because: readonly string[]
  readonly candidates?: readonly ExplainedCandidate[]
  readonly region_id?: string
  readonly kilometers?: number
}

/** The verbs of an explanation of the past, or of the present. */
export const verbs = {
  past: { is: 'was', are: 'were', has: 'had' },
  present: { is: 'is', are: 'are', has: 'has' },
} as const

type Verbs = (typeof verbs)[keyof typeof verbs]

/** The most candidates of an explanation. */
const mostCandidates = 50

const thisMachine = { address: '127.0.0.1', isLocal: true } as const

/**
 * Explains what a find in one game mode does now, for a player of this machine at the place of the settings. Changes nothing.
 * Throws `UsageError` for an unknown namespace.
 */
export function explainFind(
  { find, namespace }: { readonly find: string; readonly namespace?: string | undefined },
  tables: Tables,
): ExplainedFind {
  const { namespace_id } = findNamespace(namespace, tables)
  const input = { game_modes: [find] }
  try {
    const choice = chooseForFind(namespace_id, { client: thisMachine, input, tables })
    const candidates = findCandidates(namespace_id, input, tables)
    const location = clientLocation({}, tables)
    const { region_id } = choice
    const kilometers = kilometersTo(region_id, location, tables)
    const isNew = !('lobby_id' in choice)
    return {
      verdict: isNew ? `a new lobby in ${region_id}` : `a seat in lobby ${choice.lobby_id}`,
      because: [
        isNew ? 'no lobby of the game mode has a free seat for find' : choiceText(choice, candidates, verbs.present),
        regionText(region_id, kilometers, isNew),
      ],
      candidates: explainCandidates(candidates, { location, tables, ...verbs.present }),
      region_id,
      ...(kilometers === undefined ? {} : { kilometers }),
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { verdict: `${error.status} ${error.code}`, because: [error.message] }
  }
}

function regionText(region_id: string, kilometers: number | undefined, isNew: boolean): string {
  if (!isNew) {
    const away = kilometers === undefined ? '' : `, ${kilometers} km from the player`
    return `it is in ${region_id}${away}`
  }
  if (kilometers !== undefined)
    return `${region_id} is the nearest region of the game mode, ${kilometers} km from the player`
  return `${region_id} is the first region of the game mode, because the place of the player is unknown`
}

/** Says why find chose a lobby, and how many others were as full. */
export function choiceText(lobby: LobbyRow, candidates: readonly FindCandidate[], { are }: Verbs): string {
  const ties = candidates.filter(({ lostBy }) => lostBy === 'distance' || lostBy === 'order').length
  const tie = ties === 0 ? '' : `. Others with as many free seats, but farther away or newer: ${ties}`
  const seats = `${seatsTaken(lobby)} of ${lobby.max_players_normal} seats ${are} taken`
  return `the lobby is the fullest one that fits: ${seats}${tie}`
}

/** Describes the first candidates, and says why they lost. */
export function explainCandidates(
  candidates: readonly FindCandidate[],
  { location, tables, is, has }: Verbs & { readonly location: Coordinates | undefined; readonly tables: Tables },
): ExplainedCandidate[] {
  return candidates.slice(0, mostCandidates).map(({ lobby, lostBy }) => {
    const { lobby_id, game_mode_id, region_id, max_players_normal, publicity } = lobby
    const kilometers = kilometersTo(region_id, location, tables)
    const texts = {
      closed: `it ${is} closed`,
      publicity: `its publicity ${is} ${publicity}`,
      full: `it ${is} full`,
      tags: 'its tags were others',
      max_players: `it had ${max_players_normal} seats, and the request asked for another number`,
      seats: `it ${has} more free seats than the chosen one`,
      distance: 'its region is farther away than that of the chosen one',
      order: 'the chosen one is older, or its game mode or region comes first in the request',
    }
    return {
      lobby_id,
      game_mode_id,
      region_id,
      free_seats: Math.max(0, max_players_normal - seatsTaken(lobby)),
      ...(kilometers === undefined ? {} : { kilometers }),
      ...(lostBy === undefined ? {} : { because: texts[lostBy] }),
    }
  })
}

function kilometersTo(
  region_id: string,
  location: Coordinates | undefined,
  { regions }: Pick<Tables, 'regions'>,
): number | undefined {
  const datacenter = regions.get(region_id)?.datacenter_coord
  return location && datacenter && Math.round(distance(location, datacenter).kilometers)
}
