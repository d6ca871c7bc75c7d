import { ApiError } from '../contract/errors.js'
import type { Behaviour } from './behaviour.js'
import { cannedJoin } from './canned-join.js'
import { nearness } from './nearness.js'
import { checkMaxPlayers, newLobby } from './new-lobby.js'
import { modeOf, placesOf } from './places.js'
import { checkSource, reserveSeat } from './seat.js'
import { checkTags } from './tags.js'

/** Makes a lobby, and takes a seat in it (PROTOCOL.md C). */
export const createLobby: Behaviour<'lobbies.create'> = call => {
  const { caller, client, input, reads: tables } = call
  const { namespaceId } = caller
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const mode = modeOf(input.game_mode, { namespaceId, tables })
  if (mode.disabled?.includes('create'))
    throw new ApiError(
      'MATCHMAKER_CUSTOM_LOBBIES_DISABLED',
      `lobbies of game mode ${mode.game_mode_id} are not to be created: its key "disabled" in the scenario names create`,
    )
  checkTags(input.tags, [mode])
  checkMaxPlayers(input.max_players, [mode])
  const regions = input.region === undefined ? undefined : [input.region]
  const [first, ...others] = placesOf([mode], { regions, tables })
  checkSource({ namespaceId, client, tables })
  const near = nearness(input, tables)
  const place = others.reduce((best, other) => (near.isNearer(other.region_id, best.region_id) ? other : best), first)
  const { publicity = 'private' } = input
  return reserveSeat(newLobby(place, { ...call, wishes: { ...input, publicity } }), call)
}
