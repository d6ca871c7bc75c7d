import type { FaultDelay } from '../contract/faults.js'
import { durationMs } from '../lib/time.js'
import type { Random } from '../store/random.js'

/** For how many whole ms a delay delays this time. One that is spread draws from chance. */
export function delayMs(delay: FaultDelay, random: () => Random): number {
  if (typeof delay === 'string') return durationMs(delay)
  if ('min' in delay) {
    const [min, max] = [durationMs(delay.min), durationMs(delay.max)]
    return min + Math.floor(random().float() * (max - min + 1))
  }
  const [median, p95] = [durationMs(delay.median), durationMs(delay.p95)]
  const spread = Math.log(p95 / median) / normalP95
  return Math.round(median * Math.exp(spread * normal(random())))
}

/** Below it are 95 of 100 values of the normal distribution. */
const normalP95 = 1.6448536269514722

/** A value of the normal distribution, by Box and Muller. */
function normal(random: Random): number {
  // Above 0, of which there is no logarithm.
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}
