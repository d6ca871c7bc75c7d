import type { Coordinates } from '../contract/regions.js'

// The Miller projection. It keeps the shapes of Mercator, and the far north does not grow without limit.

/** A point on the map, in units of its view box. */
export interface MapPoint {
  readonly x: number
  readonly y: number
}

/** The size of the map's view box. */
export const mapWidth = 1000

/** The map ends at these latitudes, in degrees. No land south of it has a data centre. */
const north = 77
const south = -56

const unitsPerDegree = mapWidth / 360
const radians = Math.PI / 180

export const mapHeight = Math.round((miller(north) - miller(south)) * unitsPerDegree)

/** Returns the point of a place. Places beyond the edges get a point on the edge. */
export function project({ latitude, longitude }: Coordinates): MapPoint {
  const bounded = Math.min(north, Math.max(south, latitude))
  return { x: (wrapped(longitude) + 180) * unitsPerDegree, y: (miller(north) - miller(bounded)) * unitsPerDegree }
}

/** Returns the place of a point. */
export function unproject({ x, y }: MapPoint): Coordinates {
  const bounded = Math.min(mapHeight, Math.max(0, y))
  const latitude = inverseMiller(miller(north) - bounded / unitsPerDegree)
  return { latitude, longitude: Math.min(mapWidth, Math.max(0, x)) / unitsPerDegree - 180 }
}

/** Wraps a longitude into -180 to 180. */
function wrapped(longitude: number): number {
  return ((((longitude + 180) % 360) + 360) % 360) - 180
}

function miller(latitude: number): number {
  return (1.25 * Math.log(Math.tan(Math.PI / 4 + 0.4 * latitude * radians))) / radians
}

function inverseMiller(y: number): number {
  return (2.5 * (Math.atan(Math.exp(0.8 * y * radians)) - Math.PI / 4)) / radians
}
