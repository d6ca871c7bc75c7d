import { type MapPoint, mapHeight, mapWidth, wrapped } from './projection.js'

// The places of everything on the map: the frame first, then the circles, then the labels. All sizes are in px, and all places
// are in px from the top left corner of the frame, if not said otherwise. Nothing here depends on the number of players but the
// order of the labels, so that the map stays still while players come and go.

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
  /** The unit where the world ends in the west of this frame, far from all points. */
  readonly seam: number
}

/** The free edge around all circles and labels. */
const edge = 16

/** The largest scale shows 8 px for each degree. The land has no finer lines. */
const largestScale = (8 * 360) / mapWidth

/** The largest circle of a map with few regions, and of a map with many. */
const largestRadius = 17
const smallestSlot = 7

/** The radius of a region without players. */
const smallestRadius = 5

/** The part of the map that all circles may cover together. */
const mostCovered = 0.15

/** The space between two circles. */
const gap = 3

/** The farthest that a circle moves from its place. On a small map it moves less. */
const farthestMove = 60
const farthestShare = 0.05

/** The pin of the player stands on its place. */
const pin: Box = { left: -9, right: 9, top: -25, bottom: 3 }

/** Returns the box of the pin. */
export function pinBox({ x, y }: Point): Box {
  return { left: x + pin.left, right: x + pin.right, top: y + pin.top, bottom: y + pin.bottom }
}

/** Returns the radius that each circle may have. It depends on the number of regions and on the size of the map. */
export function slotRadius(count: number, { width, height }: Size): number {
  const fitting = Math.sqrt((width * height * mostCovered) / (Math.max(1, count) * Math.PI))
  return Math.max(smallestSlot, Math.min(largestRadius, Math.floor(fitting), Math.floor(Math.min(width, height) / 9)))
}

/** Returns the radius of a circle: its area grows with the players. */
export function radiusOf(
  players: number,
  { busiest, slot }: { readonly busiest: number; readonly slot: number },
): number {
  return Math.max(smallestRadius, Math.sqrt(players / Math.max(1, busiest)) * slot)
}

interface FrameOptions extends Size {
  readonly slot: number
  /** The height of the controls above the map. */
  readonly top: number
  /** More free space for labels at the left and at the right. Default: none. */
  readonly side?: number
}

/** Returns the box in which the centres of the circles lie. */
function innerBox({ width, height, slot, top, side = 0 }: FrameOptions): Box {
  const inset = edge + slot
  const [left, upper] = [Math.min(inset + side, width / 2), Math.min(Math.max(top + slot, inset), height / 2)]
  return { left, right: width - left, top: upper, bottom: Math.max(upper, height - inset) }
}

/** Finds the smallest frame that shows all points. The points are in units. Without points it shows the whole world. */
export function frameOf(
  points: readonly MapPoint[],
  options: FrameOptions & { readonly you?: MapPoint | undefined },
): MapFrame {
  const { you, width } = options
  const all = you ? [...points, you] : points
  if (all.length === 0) {
    const scale = Math.max(width / mapWidth, options.height / mapHeight)
    return { scale, x: (mapWidth - width / scale) / 2, y: 0, seam: 0 }
  }
  const { west, span } = shortestSpan(all.map(({ x }) => x))
  const inner = innerBox(options)
  // The pin stands above its place.
  const lift = you ? Math.max(0, -pin.top - options.slot) : 0
  const ys = all.map(({ y }) => y)
  const [north, south] = [Math.min(...ys), Math.max(...ys)]
  const scale = Math.min(
    largestScale,
    (inner.right - inner.left) / Math.max(span, 1e-9),
    (inner.bottom - inner.top - lift) / Math.max(south - north, 1e-9),
  )
  const center = { x: (inner.left + inner.right) / 2, y: (inner.top + inner.bottom + lift) / 2 }
  const x = west + span / 2 - center.x / scale
  // The frame shows no sea beyond the land, if the points let it. In a high frame, the points are in the middle.
  const wanted = (north + south) / 2 - center.y / scale
  const free = mapHeight - options.height / scale
  const onLand = Math.max(Math.min(0, free), Math.min(Math.max(0, free), wanted))
  const y = Math.max(south - inner.bottom / scale, Math.min(north - (inner.top + lift) / scale, onLand))
  return { scale, x, y, seam: west - (mapWidth - span) / 2 }
}

/** Finds the shortest way around the globe that passes all longitudes, in units. */
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

/** One circle on the map. It stands for one region, or for several that are too close together. */
export interface Circle {
  readonly ids: readonly string[]
  /** The true place, or the middle of the true places. */
  readonly place: Point
  /** The centre of the circle. */
  readonly center: Point
}

interface PlaceOptions extends FrameOptions {
  /** No circle covers these: the pin, and the controls on the map. */
  readonly obstacles: readonly Box[]
}

const rounds = 40

/** Places the circles. They move apart, and those that have no room become one. */
export function placeCircles(
  regions: readonly { readonly id: string; readonly place: Point }[],
  options: PlaceOptions,
): readonly Circle[] {
  const ordered = regions.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  let groups = ordered.map(region => [region])
  for (;;) {
    const circles = groups.map((group): Circle => {
      const place = middleOf(group.map(one => one.place))
      return { ids: group.map(({ id }) => id), place, center: place }
    })
    const centers = moveApart(circles, options)
    const moved = circles.map((circle, i) => ({ ...circle, center: at(centers, i) }))
    const merged = mergeTouching(groups, moved, options)
    if (merged.length === groups.length) return moved
    groups = merged
  }
}

function middleOf(points: readonly Point[]): Point {
  const sum = points.reduce((one, other) => ({ x: one.x + other.x, y: one.y + other.y }), { x: 0, y: 0 })
  return { x: sum.x / points.length, y: sum.y / points.length }
}

/** Moves circles apart, a little in each round, and away from the obstacles. */
function moveApart(circles: readonly Circle[], options: PlaceOptions): readonly Point[] {
  const { slot, obstacles, width, height } = options
  const inner = innerBox(options)
  const reach = Math.min(farthestMove, farthestShare * Math.sqrt(width * height))
  const wanted = 2 * slot + gap
  const points = circles.map(({ place }) => ({ ...place }))
  for (let round = 0; round < rounds; round++) {
    let hasMoved = false
    for (const [i, one] of points.entries())
      for (let j = i + 1; j < points.length; j++) {
        const other = at(points, j)
        let dx = other.x - one.x
        let dy = other.y - one.y
        if (dx >= wanted || -dx >= wanted || dx * dx + dy * dy >= wanted * wanted) continue
        // Each pair at one place moves in its own direction.
        if (Math.abs(dx) + Math.abs(dy) < 0.01) {
          dx = Math.cos(i + 2.4 * j) / 100
          dy = Math.sin(i + 2.4 * j) / 100
        }
        const apart = Math.hypot(dx, dy)
        const push = (wanted + 0.1 - apart) / 2 / apart
        one.x -= dx * push
        one.y -= dy * push
        other.x += dx * push
        other.y += dy * push
        hasMoved = true
      }
    for (const [i, point] of points.entries()) {
      const { place } = at(circles, i)
      Object.assign(point, within(pulledBack(point, place, reach), inner))
      if (obstacles.every(box => distanceTo(box, point) >= slot + gap)) continue
      const free = nearestFree(point, place, options)
      if (free) Object.assign(point, free)
      hasMoved = true
    }
    if (!hasMoved) break
  }
  return points
}

function pulledBack(point: Point, place: Point, reach: number): Point {
  const share = reach / distance(point, place)
  if (share >= 1) return point
  return { x: place.x + (point.x - place.x) * share, y: place.y + (point.y - place.y) * share }
}

function within({ x, y }: Point, { left, right, top, bottom }: Box): Point {
  return { x: Math.min(right, Math.max(left, x)), y: Math.min(bottom, Math.max(top, y)) }
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y)
}

/** Returns the distance of a point from a box. */
function distanceTo({ left, right, top, bottom }: Box, { x, y }: Point): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))
}

/** Finds the place without obstacles that is nearest to a point: first as near to the true place as a circle may be. */
function nearestFree(point: Point, place: Point, options: PlaceOptions): Point | undefined {
  const { slot, obstacles } = options
  const inner = innerBox(options)
  const reaches = [farthestMove, Number.POSITIVE_INFINITY]
  for (const reach of reaches)
    for (let radius = 1; radius < options.width + options.height; radius += 2)
      for (let step = 0; step < 24; step++) {
        // Below first.
        const angle = Math.PI / 2 + (step % 2 === 0 ? step : -step - 1) * (Math.PI / 24)
        const candidate = { x: point.x + radius * Math.cos(angle), y: point.y + radius * Math.sin(angle) }
        const isInside = distanceTo(inner, candidate) === 0
        const isNear = distance(candidate, place) <= reach
        if (isInside && isNear && obstacles.every(box => distanceTo(box, candidate) >= slot + gap)) return candidate
      }
  return undefined
}

/** Joins pairs of circles that still touch, the nearest first. Each joins one other, so that as many as possible stay. */
function mergeTouching<Item>(groups: readonly Item[][], circles: readonly Circle[], { slot }: PlaceOptions): Item[][] {
  const touching: { readonly i: number; readonly j: number; readonly apart: number }[] = []
  for (const [i, one] of circles.entries())
    for (let j = i + 1; j < circles.length; j++) {
      const other = at(circles, j)
      if (distance(one.center, other.center) < 2 * slot + 1)
        touching.push({ i, j, apart: distance(one.place, other.place) })
    }
  touching.sort((one, other) => one.apart - other.apart || one.i - other.i || one.j - other.j)
  const joined = groups.map((group): Item[] | undefined => group)
  const taken = new Set<number>()
  for (const { i, j } of touching) {
    if (taken.has(i) || taken.has(j)) continue
    taken.add(i).add(j)
    joined[i] = [...at(groups, i), ...at(groups, j)]
    joined[j] = undefined
  }
  return joined.filter(group => group !== undefined)
}

/** The side of a circle at which its label stands. */
export type Side = (typeof sides)[number]

/** In the order in which a label tries them. */
const sides = ['right', 'left', 'below', 'above', 'below right', 'above right', 'below left', 'above left'] as const

/** The height of a line of a label, and the space between a circle and its label. */
export const lineHeight = 15
const labelGap = 6

/** The widths of the lines of a label. */
type Lines = readonly number[]

/** The place of a label: its side, and which of its texts has room there. */
export interface LabelPlace {
  readonly side: Side
  readonly text: number
}

/** A label that wants a place. */
interface Label {
  readonly center: Point
  /** The widths of its lines, in each of its texts: the best text first. */
  readonly texts: readonly Lines[]
  /** Larger ones choose first. */
  readonly players: number
}

interface LabelOptions extends Size {
  readonly slot: number
  readonly top: number
  /** No label covers these: the pin with its name, and the controls on the map. */
  readonly obstacles: readonly Box[]
}

/**
 * Places the labels of the circles. `undefined`: there is no room. A label has room for each radius of its circle, so it keeps
 * its side while players come and go. Labels with two lines choose first, and move no others without need.
 */
export function placeLabels(labels: readonly Label[], options: LabelOptions): readonly (LabelPlace | undefined)[] {
  // Neighbours with about as many players choose in their own order, which stays.
  const rank = ({ players }: Label) => Math.floor(Math.log2(players + 1))
  const order = labels
    .map((_, i) => i)
    .sort((one, other) => rank(at(labels, other)) - rank(at(labels, one)) || one - other)
  const isLong = (i: number) => at(labels, i).texts.length > 1
  const short = labels.map(label => ({ ...label, texts: label.texts.slice(-1) }))
  const plain = choose(short, { ...options, order, first: [] })
  const long = order.filter(isLong)
  if (long.length === 0) return plain
  return choose(labels, { ...options, order: [...long, ...order.filter(i => !isLong(i))], first: plain })
}

function at<Item>(items: readonly Item[], i: number): Item {
  return items[i] as Item // the indices come from the items
}

interface ChooseOptions extends LabelOptions {
  readonly order: readonly number[]
  /** The places that the labels try first. */
  readonly first: readonly (LabelPlace | undefined)[]
}

function choose(labels: readonly Label[], { order, first, ...options }: ChooseOptions): (LabelPlace | undefined)[] {
  const { slot, obstacles } = options
  const placed: Box[] = []
  const chosen: (LabelPlace | undefined)[] = labels.map(() => undefined)
  for (const i of order) {
    const { center, texts } = at(labels, i)
    const preferred = first[i]?.side
    const tried = preferred ? [preferred, ...sides] : sides
    const places = texts.flatMap((lines, text) =>
      tried.map(side => ({ side, text, box: labelRoom({ center, lines }, side, slot) })),
    )
    const place = places.find(
      ({ side, box }) =>
        isInside(box, options) &&
        !placed.some(other => overlap(box, other)) &&
        !obstacles.some(other => overlap(box, other)) &&
        labels.every((other, j) => j === i || distanceTo(box, other.center) >= slot + distanceOf(side)),
    )
    if (!place) continue
    placed.push(place.box)
    chosen[i] = { side: place.side, text: place.text }
  }
  return chosen
}

/** Returns how far a label stays away from other circles. At a corner of its circle, it must not look like that of another one. */
function distanceOf(side: Side): number {
  return side.includes(' ') ? 2 * labelGap : 1
}

function isInside({ left, right, top, bottom }: Box, options: LabelOptions): boolean {
  const free = edge / 2
  return left >= free && right <= options.width - free && top >= options.top && bottom <= options.height - free
}

/** Places the name of the player beside the pin. `undefined`: a circle is there. */
export function placeName(
  place: Point,
  width: number,
  options: LabelOptions & { readonly centers: readonly Point[] },
): Box | undefined {
  const { top, bottom } = { top: place.y - 23, bottom: place.y - 23 + lineHeight }
  const away = pin.right + 3
  const boxes = [
    { top, bottom, left: place.x + away, right: place.x + away + width },
    { top, bottom, left: place.x - away - width, right: place.x - away },
  ]
  const isFree = (box: Box) => options.centers.every(center => distanceTo(box, center) >= options.slot)
  return boxes.find(box => isInside(box, { ...options, top: 0 }) && isFree(box))
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

interface LabelLines {
  readonly center: Point
  readonly lines: Lines
}

/** Returns the box of a label at a circle with a radius. */
export function labelBox({ center: { x, y }, lines }: LabelLines, side: Side, radius: number): Box {
  const [width, height] = [Math.max(...lines), lines.length * lineHeight]
  const away = radius + labelGap
  const beside = { top: y - height / 2, bottom: y + height / 2 }
  if (side === 'right') return { ...beside, left: x + away, right: x + away + width }
  if (side === 'left') return { ...beside, left: x - away - width, right: x - away }
  const near = radius + labelGap / 3
  const start = side.endsWith('right') ? x - labelGap : side.endsWith('left') ? x + labelGap - width : x - width / 2
  const middle = { left: start, right: start + width }
  if (side.startsWith('below')) return { ...middle, top: y + near, bottom: y + near + height }
  return { ...middle, top: y - near - height, bottom: y - near }
}

/** Returns the box that a label needs, whatever radius its circle has. */
function labelRoom(label: LabelLines, side: Side, slot: number): Box {
  const [near, far] = [labelBox(label, side, smallestRadius), labelBox(label, side, slot)]
  return {
    left: Math.min(near.left, far.left),
    right: Math.max(near.right, far.right),
    top: Math.min(near.top, far.top),
    bottom: Math.max(near.bottom, far.bottom),
  }
}

interface RegionInput {
  readonly id: string
  /** In units. */
  readonly point: MapPoint
  /** The width of its label, whatever number stands in it. */
  readonly labelWidth: number
}

interface ChooseFrameOptions extends Size {
  readonly slot: number
  readonly top: number
  readonly you: MapPoint | undefined
  obstaclesOf(pin: Point | undefined): readonly Box[]
}

/** The free space for labels at the left and at the right that a map may have. With many regions, most have no label anyway. */
const sideSpaces = [0, 40, 80, 120]
const mostTried = 40

/** Chooses the smallest frame in which the most regions have a label. */
export function chooseFrame(
  regions: readonly RegionInput[],
  { obstaclesOf, ...options }: ChooseFrameOptions,
): MapFrame {
  const widthOf = new Map(regions.map(({ id, labelWidth }) => [id, labelWidth]))
  const points = regions.map(({ point }) => point)
  const tried = sideSpaces
    .filter(side => side < options.width / 5 && (side === 0 || regions.length <= mostTried))
    .map(side => {
      const frame = frameOf(points, { ...options, side })
      const obstacles = obstaclesOf(options.you && toFrame(options.you, frame))
      const circles = placeCircles(
        regions.map(({ id, point }) => ({ id, place: toFrame(point, frame) })),
        { ...options, obstacles },
      )
      const labels = circles.map(({ ids, center }) => ({
        center,
        texts: [[widthOf.get(ids[0] ?? '') ?? 0]],
        players: 0,
      }))
      const sides = placeLabels(labels, { ...options, obstacles })
      const named = circles.filter((_, i) => sides[i] !== undefined)
      return { frame, labelled: named.reduce((sum, { ids }) => sum + ids.length, 0) }
    })
  const most = Math.max(...tried.map(({ labelled }) => labelled))
  return tried.find(({ labelled }) => labelled === most)?.frame ?? frameOf(points, options)
}
