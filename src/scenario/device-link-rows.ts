import type { DeviceLinkRow } from '../store/rows.js'
import type { DeviceLinkEntry } from './device-link.js'
import type { Names } from './name.js'
import type { Naming } from './naming.js'
import { momentOf } from './time.js'

/** What the device links of a scenario are made with. */
interface LinkMaking {
  readonly games: readonly { readonly game_id: string; readonly names: Names }[]
  readonly naming: Naming
  /** When they are prepared, in ms since the epoch. */
  readonly now: number
}

/** The device links of a scenario: prepared when the world begins, and expiring only where it says so (PROTOCOL.md B8). */
export function deviceLinkRows(links: readonly DeviceLinkEntry[], { games, naming, now }: LinkMaking): DeviceLinkRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const [only] = gameIds.values()
  return links.map((link, i): DeviceLinkRow => {
    const { token, device_link_id, status, game, cloud_token } = link
    const completes_at = momentOf({ at: link.completes_at, after: link.completes_after }, now)
    const expires_at = momentOf({ at: link.expires_at, after: link.expires_after }, now)
    const stream = `device-link:${i}`
    const fields = {
      device_link_token: token ?? naming.token(`${stream}/token`, 'device'),
      device_link_id: device_link_id ?? naming.uuid(stream),
      ...(expires_at === undefined ? {} : { expires_at }),
    }
    const game_id = (game === undefined ? only : gameIds.get(game)) as string // check has seen to it that there is one
    if (status === 'complete')
      return { ...fields, status, game_id, cloud_token: cloud_token ?? naming.token(`${stream}/cloud`, 'cloud') }
    if (completes_at === undefined) return { ...fields, status: 'pending' }
    return { ...fields, status: 'pending', completes: { at: completes_at, game_id } }
  })
}
