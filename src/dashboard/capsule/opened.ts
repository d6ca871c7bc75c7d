import { parseJson } from '../../core/lib/json.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { version } from '../../version.js'

/** The values that `boot.ts` passes on: the JSON of the world, and the page as HTML. */
interface Handed {
  readonly world: string
  readonly html: string
}

/** The keys of a capsule that the page itself reads. */
interface Past {
  readonly past?: { readonly made_at?: string; readonly version?: string }
}

const { world, html } = (globalThis as unknown as { readonly mockmaker: Handed }).mockmaker // boot.ts sets it
const content = parseJson(world) as ScenarioInput & Past // createMock checks it

/** The file of the copy, as it was opened. */
export const opened = {
  content,
  /** When the copy was made, in ISO 8601. `undefined`: nobody knows. */
  madeAt: content.past?.made_at,
  /** The version of mockmaker that made it. */
  madeBy: content.past?.version ?? version,
  /** The file, with some world in it. */
  html,
}
