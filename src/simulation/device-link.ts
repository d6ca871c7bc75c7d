import { completeLink } from '../behaviour/device-link.js'
import type { Deadline } from '../store/deadlines.js'
import type { DeviceLinkRow } from '../store/rows.js'
import type { LiveWorld } from '../store/world.js'

/** Completes the links of which the scenario says `completes_after`, when their time comes. Ends when the function that comes back is called. */
export function completeLinksInTime(world: LiveWorld): () => void {
  // Most worlds have no such link, and there may be many worlds.
  let alarms: Map<string, Deadline> | undefined
  const forget = (token: string) => {
    const alarm = alarms?.get(token)
    if (alarm) world.clock.giveUp(alarm)
    alarms?.delete(token)
  }
  const expect = (link: DeviceLinkRow) => {
    const { device_link_token: token } = link
    forget(token)
    if (link.status !== 'pending' || !link.completes) return
    alarms ??= new Map()
    alarms.set(
      token,
      world.clock.after(link.completes.at - world.clock.now(), () => complete(token)),
    )
  }
  const complete = (token: string): Promise<void> =>
    world.write(async tables => {
      const link = tables.deviceLinks.get(token)
      if (link?.status !== 'pending' || !link.completes) return
      // A reset may have set the clock back since the alarm was set.
      if (link.completes.at > world.clock.now()) return expect(link)
      if (link.expires_at !== undefined && link.expires_at <= link.completes.at) return
      await completeLink({ link, gameId: link.completes.game_id, tables })
    })
  for (const link of world.view.tables.deviceLinks.all()) expect(link)
  const unsubscribe = world.subscribe(({ puts, deletes }) => {
    for (const put of puts) if (put.table === 'deviceLinks') expect(put.row)
    for (const { table, id } of deletes) if (table === 'deviceLinks') forget(id)
  })
  return () => {
    unsubscribe()
    for (const token of [...(alarms?.keys() ?? [])]) forget(token)
  }
}
