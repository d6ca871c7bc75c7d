import { listLobbies } from '../behaviour/lobbies-list.js'
import { hasPassed } from '../store/clock.js'
import type { World } from '../store/world.js'

/** How many lobbies a public token of a namespace is shown. */
export function listedLobbies(world: World, namespaceId: string): number {
  const { lobbies } = listLobbies({
    caller: { kind: 'public', namespaceId },
    input: { include_state: false },
    tables: world,
    hasPassed: at => hasPassed(at, world.clock),
  })
  return lobbies.length
}
