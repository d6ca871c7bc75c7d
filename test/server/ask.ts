import type { RequestHandler } from '../../src/server/message.js'
import { tableNames } from '../../src/store/model.js'
import type { LiveWorld, World } from '../../src/store/world.js'
import type { Got, Sent } from '../doors.js'

/** Asks a mock without a transport. */
export async function ask(
  { answer }: { readonly answer: RequestHandler },
  { headers = {}, body, ...sent }: Sent,
  signal?: AbortSignal,
): Promise<Got> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const got = await answer({ ...sent, headers, body: bytes, ...(signal && { signal: () => signal }) })
  return { ...got, body: new TextDecoder().decode(got.body) }
}

/** A world as the rooms above see it: every world is one. */
export function live(world: World): LiveWorld {
  return world as LiveWorld
}

/** All that a request could change in a world: its records, its revision, its clock, and the ids that it draws next. */
export function stateOf(world: World): string {
  const { view, revision, clock, random, waiting } = live(world)
  const tables = tableNames.map(name => [name, view.tables[name].all()])
  return JSON.stringify({
    tables,
    revision,
    now: clock.now(),
    pending: clock.pending,
    random: random.save(),
    waiting: waiting.size,
  })
}

/** Lets everything happen that needs no time. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
