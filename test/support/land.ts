import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import land from 'world-atlas/land-110m.json' with { type: 'json' }
import { mapHeight, mapWidth, project } from '../../src/dashboard/projection.js'

/** The path has two units for each unit of the map, so that whole numbers are precise enough. */
const scale = 2

/** The module with the outline of the land, as an SVG path. It needs no library at run time. */
export function landModule(): string {
  return `// \`npm run generate\` writes this file from Natural Earth's outline of the land.

/** The land of the world as an SVG path, ${scale} units for each unit of the map (${mapWidth} × ${mapHeight}). */
export const landPath =
  '${landPath()}'

export const landScale = ${scale}
`
}

function landPath(): string {
  const topology = land as unknown as Topology<{ land: GeometryCollection }> // the package has no types
  const rings = feature(topology, topology.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : [],
  )
  return rings.flatMap(copiesOnMap).map(ringPath).join('')
}

type GridPoint = readonly [x: number, y: number]

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

/** Writes a ring with relative coordinates, which are shorter. Leaves out what is too small to see, and the Antarctic. */
function ringPath(ring: readonly GridPoint[]): string {
  const points = ring.filter(([x, y], i) => i === 0 || x !== ring[i - 1]?.[0] || y !== ring[i - 1]?.[1])
  const [first] = points
  const isVisible = points.length > 3 && points.some(([, y]) => y < mapHeight * scale)
  if (!first || !isVisible) return ''
  const steps = points.slice(1).map(([x, y], i) => {
    const [lastX, lastY] = points[i] ?? first
    return [x - lastX, y - lastY] as const
  })
  const numbers = steps.flat().map((step, i) => (step < 0 || i === 0 ? `${step}` : ` ${step}`))
  return `M${first.join(' ')}l${numbers.join('')}z`
}
