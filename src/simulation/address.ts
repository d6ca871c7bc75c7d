import { stepMs } from './session.js'

/**
 * An address of those that are kept for documentation: for each player who comes at a time another one, also of a
 * simulation that has begun anew. `now` in ms since the epoch, `nth` from 0 to 2^32 - 2.
 */
export function addressOf(now: number, nth: number): string {
  const step = Math.floor(now / stepMs)
  const groups = [step / 0x10000, step, (nth + 1) / 0x10000, nth + 1].map(part =>
    (Math.floor(part) & 0xffff).toString(16),
  )
  return `2001:db8::${groups.join(':')}`
}
