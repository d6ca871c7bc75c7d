import type { Coordinates } from '../contract/regions.js'

/** The ellipsoid of WGS84: its longer half axis in km, and its flattening. */
const equator = 6_378.137
const flattening = 1 / 298.257_223_563
const pole = equator * (1 - flattening)

const radians = Math.PI / 180
const mostRounds = 100

/** Returns the distance of two places in km, along the WGS84 ellipsoid as the mock computes it (Vincenty's formula). */
export function distance(from: Coordinates, to: Coordinates): number {
  const reduced = ({ latitude }: Coordinates) => Math.atan((1 - flattening) * Math.tan(latitude * radians))
  const [one, other] = [reduced(from), reduced(to)]
  const [sin1, cos1, sin2, cos2] = [Math.sin(one), Math.cos(one), Math.sin(other), Math.cos(other)]
  const difference = (to.longitude - from.longitude) * radians
  let lambda = difference
  for (let round = 0; ; round++) {
    const [sin, cos] = [Math.sin(lambda), Math.cos(lambda)]
    const sinSigma = Math.hypot(cos2 * sin, cos1 * sin2 - sin1 * cos2 * cos)
    if (sinSigma === 0) return 0
    const cosSigma = sin1 * sin2 + cos1 * cos2 * cos
    const sigma = Math.atan2(sinSigma, cosSigma)
    const sinAlpha = (cos1 * cos2 * sin) / sinSigma
    const cosSqAlpha = 1 - sinAlpha ** 2
    // On the equator the term is 0.
    const middle = cosSqAlpha === 0 ? 0 : cosSigma - (2 * sin1 * sin2) / cosSqAlpha
    const c = (flattening / 16) * cosSqAlpha * (4 + flattening * (4 - 3 * cosSqAlpha))
    const before = lambda
    lambda =
      difference +
      (1 - c) * flattening * sinAlpha * (sigma + c * sinSigma * (middle + c * cosSigma * (2 * middle ** 2 - 1)))
    // For places on opposite sides of the globe the rounds do not end. The last one is close enough.
    if (Math.abs(lambda - before) > 1e-12 && round < mostRounds) continue
    const u = cosSqAlpha * (equator ** 2 / pole ** 2 - 1)
    const a = 1 + (u / 16_384) * (4_096 + u * (u * (320 - 175 * u) - 768))
    const b = (u / 1_024) * (256 + u * (u * (74 - 47 * u) - 128))
    const last = (b / 6) * middle * (4 * sinSigma ** 2 - 3) * (4 * middle ** 2 - 3)
    const deltaSigma = b * sinSigma * (middle + (b / 4) * (cosSigma * (2 * middle ** 2 - 1) - last))
    return pole * a * (sigma - deltaSigma)
  }
}
