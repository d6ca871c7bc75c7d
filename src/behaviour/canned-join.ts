import type { Join } from '../contract/lobbies.js'
import { devPlayerToken } from '../store/player-token.js'
import type { Random } from '../store/random.js'
import type { ReadTables } from '../store/table.js'
import type { Caller } from './caller.js'
import { joinAnswer } from './join-answer.js'
import { localRegion } from './regions.js'

/** The id of the lobby that a development token sees (PROTOCOL.md B2). */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The call that is answered. */
interface Development {
  readonly reads: ReadTables
  readonly random: Random
  readonly seed: number
  readonly now: number
}

/** What a development token gets in the place of a seat: its own server, and a new token for each player. */
export function cannedJoin(
  caller: Extract<Caller, { kind: 'development' }>,
  { reads, random, seed, now }: Development,
): Join {
  const { region_id, region_display_name: display_name } = localRegion
  return joinAnswer({
    lobby_id: nilUuid,
    region: { region_id, display_name },
    ports: caller.server ?? reads.namespaces.get(caller.namespaceId)?.development,
    token: devPlayerToken(random, { seed, now }),
  })
}
