import { type MapPoint, mapHeight, mapWidth, wrapped } from './projection.js'

// The places of everything on the map. All sizes are in px, and all places are in px from the top left corner of the map, if not
// said otherwise.

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The part of the world that the map shows. */
export interface MapFrame {
  /** In px for each unit. */
  readonly scale: number
  /** The unit at the left edge. It may lie west of the world's edge. */
  readonly x: number
  /** The unit at the top edge. */
  readonly y: number
  /** The unit at which the map is cut open: the western edge, far from all points. */
  readonly seam: number
}

/** The height of the controls above the map. */
const topHeight = 38

/** The free edge around all circles, and around all labels. */
const edge = { circle: 34, label: 8 }

/** The largest scale shows 8 px for each degree. The land has no finer lines. */
const largestScale = (8 * 360) / mapWidth

/** Finds the smallest frame that shows all points. The points are in units. Without points it shows the whole world. */
export function frameOf(points: readonly MapPoint[], { width, height }: Size): MapFrame {
  if (points.length === 0) {
    const scale = Math.max(width / mapWidth, height / mapHeight)
    return { scale, x: (mapWidth - width / scale) / 2, y: 0, seam: 0 }
  }
  const { west, span } = shortestSpan(points.map(({ x }) => x))
  const ys = points.map(({ y }) => y)
  const [north, south] = [Math.min(...ys), Math.max(...ys)]
  const upper = Math.min(topHeight + edge.circle, height / 2)
  const lower = Math.max(upper, height - edge.circle)
  const scale = Math.min(
    largestScale,
    Math.max(1, width - 2 * edge.circle) / Math.max(span, 1e-9),
    Math.max(1, lower - upper) / Math.max(south - north, 1e-9),
  )
  // The frame shows no sea beyond the land, if the points let it. In a high frame, the points are in the middle.
  const wanted = (north + south) / 2 - (upper + lower) / 2 / scale
  const free = mapHeight - height / scale
  const onLand = Math.max(Math.min(0, free), Math.min(Math.max(0, free), wanted))
  const y = Math.max(south - lower / scale, Math.min(north - upper / scale, onLand))
  return { scale, x: west + span / 2 - width / 2 / scale, y, seam: west - (mapWidth - span) / 2 }
}

function shortestSpan(xs: readonly number[]): { readonly west: number; readonly span: number } {
  const sorted = [...xs].sort((one, other) => one - other)
  let [west, widest] = [sorted[0] ?? 0, 0]
  for (const [i, x] of sorted.entries()) {
    const next = sorted[(i + 1) % sorted.length] ?? x
    const free = i === sorted.length - 1 ? next + mapWidth - x : next - x
    if (free > widest) [west, widest] = [next, free]
  }
  return { west, span: mapWidth - widest }
}

/** Returns the place of a point in a frame. */
export function toFrame({ x, y }: MapPoint, frame: MapFrame): Point {
  const east = frame.seam + wrapped(x - frame.seam, mapWidth)
  return { x: (east - frame.x) * frame.scale, y: (y - frame.y) * frame.scale }
}

/** Returns the point of a place in a frame, in units. It may lie east or west of the world's edge. */
export function fromFrame({ x, y }: Point, frame: MapFrame): MapPoint {
  return { x: x / frame.scale + frame.x, y: y / frame.scale + frame.y }
}

/** The radii of the circles: of a region without players, and of the busiest one of a map with many or with few regions. */
const radii = { empty: 5, many: 7, few: 17 }

/** The part of the map that all circles may cover together. */
const mostCovered = 0.15

/** Returns a function that tells the radius of a circle: its area grows with the players. */
export function radiusOf(counts: readonly number[], { width, height }: Size): (players: number) => number {
  const fitting = Math.sqrt((width * height * mostCovered) / (Math.max(1, counts.length) * Math.PI))
  const largest = Math.max(radii.many, Math.min(radii.few, fitting, Math.min(width, height) / 16))
  const busiest = Math.max(1, ...counts)
  return players => Math.max(radii.empty, Math.sqrt(players / busiest) * largest)
}

/** The sides of a circle at which its label may stand, in the order in which it tries them. */
const sides = ['right', 'left', 'below', 'above'] as const
type Side = (typeof sides)[number]

/** The space between a circle and a label at its side, and above or below it. */
const gaps = { beside: 6, near: 2 }

interface Circle {
  readonly center: Point
  readonly radius: number
}

/** A circle is at most this far from its true place, and a space between two. In px. */
const [farthest, space] = [60, 2]

/** Circles that still lie on each other after this number of rounds stay so. */
const mostRounds = 12

/** Pushes circles that lie on each other apart. `place`: the true place of each. */
export function pushApart<One extends Circle>(
  circles: readonly One[],
  { width, height }: Size,
): readonly (One & { readonly place: Point })[] {
  const centers = circles.map(({ center }) => center)
  const move = (i: number, { center, radius }: Circle, [dx, dy]: readonly [number, number]) => {
    const { x, y } = centers[i] ?? center
    const within = (moved: number, place: number, size: number) =>
      Math.max(radius, place - farthest, Math.min(size - radius, place + farthest, moved))
    centers[i] = { x: within(x + dx, center.x, width), y: within(y + dy, center.y, height) }
  }
  for (let round = 0, isChanged = true; isChanged && round < mostRounds; round++) {
    isChanged = false
    for (const [i, one] of circles.entries())
      for (const [j, other] of circles.slice(0, i).entries()) {
        const [from, to] = [centers[j] ?? other.center, centers[i] ?? one.center]
        const [dx, dy] = [to.x - from.x, to.y - from.y]
        const missing = one.radius + other.radius + space - Math.hypot(dx, dy)
        if (missing <= 0) continue
        isChanged = true
        // Circles at one place go into different directions, the same each time.
        const angle = dx === 0 && dy === 0 ? i : Math.atan2(dy, dx)
        const [x, y] = [(Math.cos(angle) * missing) / 2, (Math.sin(angle) * missing) / 2]
        move(i, one, [x, y])
        move(j, other, [-x, -y])
      }
  }
  return circles.map((circle, i) => ({ ...circle, center: centers[i] ?? circle.center, place: circle.center }))
}

/** A circle that wants a label. */
export interface LabelledCircle extends Circle {
  readonly label: Size
  /** Its label is always shown. */
  readonly isImportant: boolean
}

/** The place of a label. */
export interface LabelPlace {
  readonly side: Side
  readonly box: Box
  /** False: there is no room, so it is shown only while the pointer is over its circle. */
  readonly isShown: boolean
}

/**
 * Places the labels of circles, one after the other. No label covers an obstacle, another circle or an earlier label, but an
 * important one that finds no free place covers as few circles as possible.
 */
export function placeLabels(
  circles: readonly LabelledCircle[],
  { width, height, obstacles }: Size & { readonly obstacles: readonly Box[] },
): readonly LabelPlace[] {
  const taken = [...obstacles]
  const isInside = ({ left, right, top, bottom }: Box) =>
    left >= edge.label && right <= width - edge.label && top >= topHeight && bottom <= height - edge.label
  return circles.map(circle => {
    const places = sides.map(side => ({ side, box: boxAt(circle, side) }))
    const inside = places.filter(({ box }) => isInside(box))
    const apart = inside.filter(({ box }) => !taken.some(other => overlap(box, other)))
    const covered = ({ box }: Pick<LabelPlace, 'box'>) =>
      circles.filter(other => other !== circle && distanceTo(box, other.center) <= other.radius).length
    const [best] = apart.toSorted((one, other) => covered(one) - covered(other))
    const isShown = circle.isImportant || (best !== undefined && covered(best) === 0)
    const place = best ?? inside[0] ?? { side: 'right' as const, box: boxAt(circle, 'right') }
    if (isShown) taken.push(place.box)
    return { ...place, isShown }
  })
}

function boxAt({ center: { x, y }, radius, label: { width, height } }: LabelledCircle, side: Side): Box {
  const corners: { readonly [side in Side]: readonly [left: number, top: number] } = {
    right: [x + radius + gaps.beside, y - height / 2],
    left: [x - radius - gaps.beside - width, y - height / 2],
    below: [x - width / 2, y + radius + gaps.near],
    above: [x - width / 2, y - radius - gaps.near - height],
  }
  const [left, top] = corners[side]
  return { left, top, right: left + width, bottom: top + height }
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

function distanceTo({ left, right, top, bottom }: Box, { x, y }: Point): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))
}
