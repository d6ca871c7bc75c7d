import type { Random } from '../store/random.js'

/** A larger mean is split, because its exponential would be 0. */
const largestMean = 30

/** Draws how many of something happen that happens so often on average. */
export function poisson(mean: number, random: Random): number {
  let [left, count] = [mean, 0]
  for (; left > largestMean; left -= largestMean) count += fewOf(largestMean, random)
  return count + fewOf(left, random)
}

function fewOf(mean: number, random: Random): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random.float(); product > limit; product *= random.float()) count += 1
  return count
}

/** The standard deviation of the logarithms of sessions. */
const sigma = 0.75

/** Draws a log-normal value with that mean. */
export function logNormal(mean: number, random: Random): number {
  return mean * Math.exp(sigma * normal(random) - (sigma * sigma) / 2)
}

function normal(random: Random): number {
  // Never 0, whose logarithm has no end.
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}

/** Draws one of several by their weights; `undefined` where all weigh nothing. */
export function weighted<T extends { readonly weight: number }>(choices: readonly T[], random: Random): T | undefined {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = random.float() * total
  return choices.find(({ weight }) => {
    left -= weight
    return left < 0
  })
}

/** How many play in each hour of the local day, relative to the mean: few at five in the morning, most at nine in the evening. */
const byHour = [
  0.98, 0.72, 0.51, 0.38, 0.31, 0.29, 0.33, 0.43, 0.56, 0.69, 0.81, 0.92, 1.02, 1.08, 1.14, 1.22, 1.32, 1.44, 1.56,
  1.67, 1.75, 1.77, 1.68, 1.42,
] as const

const hourMs = 3_600_000
const degreesPerHour = 15

/** Returns how many play at a time and a longitude in degrees, relative to the mean of a day. `now` in ms since the epoch. */
export function activityAt(now: number, longitude: number): number {
  const hour = modulo(now / hourMs + longitude / degreesPerHour, byHour.length)
  const [before, part] = [Math.floor(hour), hour % 1]
  const [from = 1, to = 1] = [byHour[before], byHour[(before + 1) % byHour.length]]
  return from + (to - from) * part
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
