import type { DeviceLinkRow } from '../store/rows.js'
import type { DeviceLinkEntry } from './device-link.js'
import type { Names } from './name.js'
import type { Naming } from './naming.js'
import { durationMs } from './time.js'

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
    const { token, device_link_id, status, game, completes_after, expires_after } = link
    const stream = `device-link:${i}`
    const fields = {
      device_link_token: token ?? naming.token(`${stream}/token`, 'device'),
      device_link_id: device_link_id ?? naming.uuid(stream),
      ...(expires_after === undefined ? {} : { expires_at: now + durationMs(expires_after) }),
    }
    const game_id = (game === undefined ? only : gameIds.get(game)) as string // check has seen to it that there is one
    if (status === 'complete')
      return { ...fields, status, game_id, cloud_token: naming.token(`${stream}/cloud`, 'cloud') }
    if (completes_after === undefined) return { ...fields, status: 'pending' }
    return { ...fields, status: 'pending', completes: { at: now + durationMs(completes_after), game_id } }
  })
}
