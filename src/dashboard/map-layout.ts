import type { RegionSums } from './lobby-rows.js'
import type { MapPoint } from './projection.js'

// Places the circles and the labels of the map so that they can be read where regions are close together.

/** A region on the map. */
interface MapRegion {
  readonly sums: RegionSums
  readonly name: string
  readonly place: MapPoint
  readonly radius: number
  readonly label: string
}

/** A region and its place on the map. */
export interface PlacedRegion extends MapRegion {
  /** The centre of its circle, which may be beside its place. */
  readonly center: MapPoint
  /** `undefined`: there is no room for the label. */
  readonly labelAt: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'end' | 'middle' } | undefined
}

/** A box on the map. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The farthest that a circle moves from its place, in units of the map. */
const farthestMove = 60
const rounds = 40
const gap = 3

interface LayoutOptions {
  /** The height of the labels, in units of the map. */
  readonly textSize: number
  readonly width: number
  readonly height: number
  /** The boxes that no label may cover. */
  readonly obstacles: readonly Box[]
}

/** Lays the regions out. */
export function layOut(
  regions: readonly MapRegion[],
  { textSize, width, height, obstacles }: LayoutOptions,
): PlacedRegion[] {
  const centers = separate(regions)
  const circles = regions.map((region, i) => ({ region, center: centers[i] ?? region.place }))
  const taken = [...obstacles, ...circles.map(({ region, center }) => around(center, region.radius))]
  const labels = new Map<MapRegion, PlacedRegion['labelAt']>()
  // The largest regions choose first.
  for (const { region, center } of circles.toSorted((one, other) => other.region.radius - one.region.radius)) {
    const spot = labelSpots(region, center, textSize).find(
      ({ box }) =>
        box.left >= 0 &&
        box.right <= width &&
        box.top >= 0 &&
        box.bottom <= height &&
        !taken.some(other => overlap(box, other)),
    )
    if (!spot) continue
    taken.push(spot.box)
    labels.set(region, spot.at)
  }
  return circles.map(({ region, center }) => ({ ...region, center, labelAt: labels.get(region) }))
}

/** Moves overlapping circles apart, a little in each round. */
function separate(regions: readonly MapRegion[]): MapPoint[] {
  const points = regions.map(({ place }) => ({ ...place }))
  for (let round = 0; round < rounds; round++) {
    for (const [i, one] of points.entries()) {
      for (const [j, other] of points.slice(i + 1).entries()) {
        const wanted = (regions[i]?.radius ?? 0) + (regions[i + 1 + j]?.radius ?? 0) + gap
        // Two regions at the same place move apart sideways.
        const [dx, dy] = [other.x - one.x || 0.01, other.y - one.y]
        const distance = Math.hypot(dx, dy)
        if (distance >= wanted) continue
        const push = (wanted - distance) / 2 / distance
        one.x -= dx * push
        one.y -= dy * push
        other.x += dx * push
        other.y += dy * push
      }
    }
    for (const [i, point] of points.entries()) holdBack(point, regions[i]?.place ?? point)
  }
  return points
}

function holdBack(point: { x: number; y: number }, place: MapPoint): void {
  const distance = Math.hypot(point.x - place.x, point.y - place.y)
  if (distance <= farthestMove) return
  point.x = place.x + ((point.x - place.x) / distance) * farthestMove
  point.y = place.y + ((point.y - place.y) / distance) * farthestMove
}

function around({ x, y }: MapPoint, radius: number): Box {
  return { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

/** An average letter is this much wider than the text is high. */
const letterWidth = 0.52

function labelSpots({ radius, label }: MapRegion, { x, y }: MapPoint, textSize: number) {
  const width = label.length * letterWidth * textSize
  const half = textSize * 0.6
  const far = radius + textSize * 0.4
  const spot = (left: number, middle: number, anchor: 'start' | 'end' | 'middle') => {
    const start = anchor === 'start' ? left : anchor === 'end' ? left - width : left - width / 2
    return {
      at: { x: left, y: middle + textSize * 0.35, anchor },
      box: { left: start, right: start + width, top: middle - half, bottom: middle + half },
    }
  }
  return [
    spot(x + far, y, 'start'),
    spot(x - far, y, 'end'),
    spot(x, y - far - half, 'middle'),
    spot(x, y + far + half, 'middle'),
    spot(x + far, y - far, 'start'),
    spot(x - far, y - far, 'end'),
    spot(x + far, y + far, 'start'),
    spot(x - far, y + far, 'end'),
    ...[-1.1, 1.1, -2.2, 2.2].flatMap(lines => [
      spot(x + far, y + lines * textSize, 'start'),
      spot(x - far, y + lines * textSize, 'end'),
    ]),
  ]
}
