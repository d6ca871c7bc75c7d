import type { LiveWorld, Reading } from '../store/world.js'
import { share } from './shared-output.js'

/** Outputs of reads that are kept until something that they depended on is touched. */
export interface Kept {
  /** The output under a key: the one that is kept, else what the read outputs now. It is shared: not to be changed. */
  output(key: string, read: () => Reading<unknown>): unknown
}

/** How many outputs are kept; then the oldest goes first. */
const most = 500

/** Keeps nothing that the clock alone may change. */
export function createKept(world: LiveWorld): Kept {
  const kept = new Map<string, { readonly output: unknown; forget(): void }>()
  return {
    output(key, read) {
      const known = kept.get(key)
      if (known) return known.output
      const { value, tags, until } = read()
      if (until !== undefined) return value
      const forget = () => {
        stop()
        kept.delete(key)
      }
      const stop = world.listen(tags, forget)
      kept.set(key, { output: value, forget })
      if (typeof value === 'object' && value !== null) share(value)
      const [oldest] = kept.values()
      if (kept.size > most) oldest?.forget()
      return value
    },
  }
}
