import { completeLink } from '../behaviour/device-link.js'
import type { DeviceLinkRow } from '../store/rows.js'
import type { Timetable } from './timetable.js'

/** Completes the links of which the scenario says `completes_after`, unless they have expired by then (PROTOCOL.md B8). */
export const deviceLinkTimetable: Timetable<DeviceLinkRow> = {
  dueAt(link) {
    if (link.status !== 'pending' || !link.completes) return undefined
    const { at } = link.completes
    return link.expires_at !== undefined && link.expires_at <= at ? undefined : at
  },
  async happen(link, { tables }) {
    if (link.status === 'pending' && link.completes)
      await completeLink({ link, gameId: link.completes.game_id, tables })
  },
}
