import type { Coordinates } from '../contract/regions.js'
import { parseInput } from '../lib/issues.js'
import { Location } from '../store/columns.js'
import type { LiveWorld } from '../store/world.js'

/** Moves the player, in one change set. `null` means that the place is unknown. Throws `UsageError`. */
export function setClientLocation(world: LiveWorld, location: Coordinates | null): void {
  const client = parseInput(Location.nullable(), location, 'location')
  const write = () => world.transaction(({ settings }) => settings.update('settings', { client }))
  world.write(write, { cause: { kind: 'control', call: 'setClientLocation' } })
}
