import * as z from 'zod'

const index = /^\d{1,19}$/

/** `watch.index` is the version of the data answered; sent back as `watch_index` it blocks until the next one (PROTOCOL.md B7). */
export const Watch = z.object({ index: z.string() }).meta({
  id: 'Watch',
  description: 'The version of the data answered. Sent back as `watch_index`, it blocks until the next one.',
})

/** The query parameter: a decimal integer of 1 to 19 digits, compared as a bigint, never as a float. */
export const WatchIndex = z
  .string()
  .regex(index, 'expected the watch.index of an earlier answer, a decimal integer of 1 to 19 digits')
  .transform(BigInt)
  .meta({ description: 'The `watch.index` of an earlier answer: the call then blocks until there is another one.' })
