import { feature } from 'topojson-client'
import { presimplify, simplify } from 'topojson-simplify'
import type { GeometryCollection, Topology } from 'topojson-specification'
import land from 'world-atlas/land-110m.json' with { type: 'json' }
import { middleX, mostStep, stepBase, zeroCode } from '../../src/dashboard/map/land-path.js'
import { mapHeight, mapWidth, project } from '../../src/dashboard/map/projection.js'

/** The outline has two units for each unit of the map, so that whole numbers are precise enough. */
const scale = 2

/** Points whose triangles with their neighbours have a smaller area, in square degrees, are left out. */
const smallestArea = 0.5

/** The module with the outline of the land. It needs no library at run time. */
export function landModule(): string {
  return `// \`npm run generate\` writes this file from Natural Earth's outline of the land.

/** The land of the world, for \`landPath\`: ${scale} units for each unit of the map (${mapWidth} × ${mapHeight}). */
export const landRings =
  '${landRings().replaceAll('\\', '\\\\')}'

export const landScale = ${scale}
`
}

function landRings(): string {
  const whole = land as unknown as Topology<{ land: GeometryCollection }> // the package has no types
  const topology = simplify(presimplify(whole), smallestArea)
  const rings = feature(topology, topology.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [],
  )
  return rings.flatMap(copiesOnMap).filter(isVisible).map(encodeRing).join(' ')
}

export type GridPoint = readonly [x: number, y: number]

const gridWidth = mapWidth * scale

/** Returns a ring as grid points. One that crosses the edge of the map is there twice, so that the map shows both parts. */
function copiesOnMap(ring: readonly (readonly number[])[]): GridPoint[][] {
  const points: GridPoint[] = []
  for (const [longitude = 0, latitude = 0] of ring) {
    const [last] = points.at(-1) ?? []
    const x = Math.round(((longitude + 180) / 360) * gridWidth)
    const y = Math.round(project({ latitude, longitude: 0 }).y * scale)
    // A jump across the map is the way around the globe.
    const turns = last === undefined ? 0 : Math.round((last - x) / gridWidth)
    points.push([x + turns * gridWidth, y])
  }
  const copies = [-gridWidth, 0, gridWidth].map(by => points.map(([x, y]): GridPoint => [x + by, y]))
  return copies.filter(copy => copy.some(([x]) => x > 0 && x < gridWidth))
}

/** Leaves out what is too small to see, and the Antarctic. */
function isVisible(ring: readonly GridPoint[]): boolean {
  return withoutRepeats(ring).length > 3 && ring.some(([, y]) => y < mapHeight * scale)
}

function withoutRepeats(ring: readonly GridPoint[]): readonly GridPoint[] {
  return ring.filter(([x, y], i) => i === 0 || x !== ring[i - 1]?.[0] || y !== ring[i - 1]?.[1])
}

/** Writes a ring as `landPath` reads it. A long step has several parts. */
export function encodeRing(ring: readonly GridPoint[]): string {
  const points = withoutRepeats(ring)
  const [first = [0, 0]] = points
  const start = [first[0] - middleX, first[1]].flatMap(number => {
    const high = Math.round(number / stepBase)
    return [high, number - high * stepBase]
  })
  const steps = points.slice(1).flatMap(([x, y], i) => {
    const [lastX, lastY] = points[i] ?? first
    return partsOf([x - lastX, y - lastY])
  })
  return String.fromCharCode(...[...start, ...steps].map(number => number + zeroCode))
}

/** Splits a step into parts that have one character each. */
function partsOf([x, y]: GridPoint): number[] {
  const count = Math.ceil(Math.max(Math.abs(x), Math.abs(y)) / mostStep)
  const at = (length: number, i: number) => Math.round((length * i) / count)
  return Array.from({ length: count }, (_, i) => [at(x, i + 1) - at(x, i), at(y, i + 1) - at(y, i)]).flat()
}
