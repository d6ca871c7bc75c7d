import type { Random } from '../store/random.js'

/** A larger mean is split, because its exponential would be 0. */
const largestMean = 30

/** How many of what happens so often on average. */
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

/** How far the logarithms of sessions spread. */
const sigma = 0.75

/** One of values that spread log-normally, with that mean. */
export function logNormal(mean: number, random: Random): number {
  return mean * Math.exp(sigma * normal(random) - (sigma * sigma) / 2)
}

function normal(random: Random): number {
  // Never 0, whose logarithm has no end.
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}

/** One of several, as often as it weighs; `undefined` where nothing does. */
export function weighted<T extends { readonly weight: number }>(choices: readonly T[], random: Random): T | undefined {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = random.float() * total
  return choices.find(({ weight }) => {
    left -= weight
    return left < 0
  })
}
