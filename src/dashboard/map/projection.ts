import type { Coordinates } from '../../core/contract/regions.js'

// The Miller projection. It keeps the shapes of Mercator, and the far north does not grow without limit.

/** A point on the map of the whole world, in units. */
export interface MapPoint {
  readonly x: number
  readonly y: number
}

/** The width of the whole world, in units. East of it, the world begins anew. */
export const mapWidth = 1000

/** The drawn land lies between these latitudes, in degrees. The Antarctic is not drawn. */
const north = 84
const south = -60

/** Places beyond these latitudes are shown at them. */
const northernmost = 85
const southernmost = -75

const unitsPerDegree = mapWidth / 360
const radians = Math.PI / 180

export const mapHeight = Math.round((miller(north) - miller(south)) * unitsPerDegree)

/** Returns the point of a place. */
export function project({ latitude, longitude }: Coordinates): MapPoint {
  const bounded = Math.min(northernmost, Math.max(southernmost, latitude))
  return { x: wrapped(longitude + 180, 360) * unitsPerDegree, y: (miller(north) - miller(bounded)) * unitsPerDegree }
}

/** Returns the place of a point, which may lie east or west of the map. */
export function unproject({ x, y }: MapPoint): Coordinates {
  const latitude = inverseMiller(miller(north) - y / unitsPerDegree)
  return {
    latitude: Math.min(northernmost, Math.max(southernmost, latitude)),
    longitude: wrapped(x, mapWidth) / unitsPerDegree - 180,
  }
}

/** Wraps a number into the range from 0 to a length. */
export function wrapped(value: number, length: number): number {
  return ((value % length) + length) % length
}

function miller(latitude: number): number {
  return (1.25 * Math.log(Math.tan(Math.PI / 4 + 0.4 * latitude * radians))) / radians
}

function inverseMiller(y: number): number {
  return (2.5 * (Math.atan(Math.exp(0.8 * y * radians)) - Math.PI / 4)) / radians
}
