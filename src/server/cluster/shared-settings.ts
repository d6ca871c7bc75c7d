import { sameJson } from '../../core/lib/json.js'
import { quoted, UsageError } from '../../core/lib/messages.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'
import type { WorldStorage } from '../../core/storage/world-storage.js'

/** Flags of a command, by their names. */
export type SharedFlags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

interface SharedSettings {
  readonly name: string
  readonly scenario: unknown
  readonly flags: SharedFlags
}

/** Stores the settings of the first replica, or compares them. Rejects with `UsageError` or `StorageError`. */
export async function agreeOnSettings(
  storage: WorldStorage,
  shared: SharedStorage,
  settings: SharedSettings,
): Promise<void> {
  const text = JSON.stringify(settings)
  for (;;) {
    const { settings: before } = storage
    if (before !== undefined) return checkSettings(storage.place, JSON.parse(before), settings) // a replica wrote it
    storage.settings = text
    try {
      return await shared.flush()
    } catch (error) {
      await shared.refresh()
      // If there are settings now, another replica was faster.
      if (storage.settings === undefined) throw error
    }
  }
}

function checkSettings(place: string, theirs: SharedSettings, ours: SharedSettings): void {
  const advice = 'start all replicas alike, or stop the others and add --reset to delete the worlds and begin anew'
  if (theirs.name !== ours.name)
    throw new UsageError(
      `the replicas in ${place} serve the scenario ${quoted(theirs.name)}, and not ${quoted(ours.name)}: ${advice}`,
    )
  if (!sameJson(theirs.scenario, ours.scenario))
    throw new UsageError(`the scenario ${quoted(ours.name)} differs from that of the replicas in ${place}: ${advice}`)
  for (const name of new Set([...Object.keys(theirs.flags), ...Object.keys(ours.flags)])) {
    const [there, here] = [theirs.flags[name], ours.flags[name]].map(value => value ?? null)
    if (sameJson(there, here)) continue
    const shown = (value: unknown) => (value === null ? 'not set' : JSON.stringify(value))
    throw new UsageError(`${name} is ${shown(here)}, and ${shown(there)} for the replicas in ${place}: ${advice}`)
  }
}

/** Deletes all worlds, and the settings. Rejects with `UsageError` while others run, and with `StorageError`. */
export async function clearStorage(storage: WorldStorage, shared: SharedStorage): Promise<void> {
  const others = (await shared.replicas()).filter(({ id }) => id !== shared.self.id)
  if (others.length > 0)
    throw new UsageError(
      `--reset deletes the worlds of all replicas, and others run (${others.map(({ address }) => address).join(', ')}): stop them first`,
    )
  storage.clear()
  await shared.flush()
}
