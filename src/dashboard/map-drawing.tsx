import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { Coordinates } from '../contract/regions.js'
import { landRings, landScale } from '../generated/land.js'
import { counted, grouped } from '../lib/text.js'
import { useSize } from './hooks.js'
import { landPath } from './land-path.js'
import {
  type Box,
  type Circle,
  chooseFrame,
  labelBox,
  lineHeight,
  type MapFrame,
  type Point,
  pinBox,
  placeCircles,
  placeLabels,
  placeName,
  radiusOf,
  type Side,
  type Size,
  slotRadius,
  toFrame,
} from './map-layout.js'
import { page } from './page-state.js'
import { PlayerPin } from './player-pin.js'
import { mapWidth, project } from './projection.js'

/** A region as the map shows it. */
export interface MapRegion {
  readonly id: string
  readonly name: string
  readonly place: Coordinates
  readonly players: number
  readonly lobbies: number
  readonly taken: number
  readonly seats: number
  /** `next`: the next find goes there. `bad`: something is wrong there. */
  readonly kind: 'plain' | 'next' | 'bad'
  /** The second line of its label, and a shorter one for where the first has no room. */
  readonly notes?: readonly string[]
  /** The difference in players between the shown past and now, with its sign. Absent if there is none. */
  readonly change?: string
}

/** The height of the controls above the map. */
const topHeight = 38

/** The legend at the bottom left. */
const legend = { width: 200, height: 28 }
/** A narrower map has no legend. */
const narrowest = 600

/** A longer name is cut. In characters. */
const longestName = 30

/** The drawing of the map: land, regions, the player. */
export function MapDrawing({ regions }: { readonly regions: readonly MapRegion[] }) {
  const element = useRef<HTMLDivElement>(null)
  const { value: size } = useSize(element)
  /** The place while the user drags it. */
  const dragged = useSignal<Coordinates | undefined>(undefined)
  const settings = page.shown.value.tables.settings.get('settings')
  const framed = page.framed.value
  const shown = framed ? regions.filter(({ id }) => framed.includes(id)) : regions
  const layout = useLayout(shown, { size, home: settings?.client, you: dragged.value ?? settings?.client })
  return (
    <div class="map" ref={element}>
      {layout && (
        <>
          <svg width={size.width} height={size.height} aria-hidden="true">
            <Land frame={layout.frame} width={size.width} />
            {layout.circles.map(circle => (
              <RegionCircle key={circle.ids.join()} circle={circle} />
            ))}
            {layout.route && <path class="route" d={layout.route} />}
            {layout.name && (
              <text class="you-name" x={layout.name.left} y={layout.name.top + baseline}>
                You
              </text>
            )}
          </svg>
          <PlayerPin place={dragged.value ?? settings?.client} at={layout.you} dragged={dragged} frame={layout.frame} />
        </>
      )}
    </div>
  )
}

/** From the top of a line to its baseline. */
const baseline = 11

/** A circle with all that is drawn of it. */
interface DrawnCircle extends Circle {
  readonly members: readonly MapRegion[]
  readonly kind: MapRegion['kind']
  readonly radius: number
  readonly label: LabelText | undefined
  readonly side: Side | undefined
}

/** A text for a label. */
interface LabelText {
  readonly name: string
  readonly count: string
  readonly change: string | undefined
  readonly note: string | undefined
}

interface LayoutInput {
  readonly size: Size
  /** The place of the player in the world, which the frame holds. */
  readonly home: Coordinates | undefined
  /** The place of the pin. While the user drags it, it is elsewhere. */
  readonly you: Coordinates | undefined
}

/** Lays the map out. The circles are placed again only after a change of the regions, the size or the place of the player. */
function useLayout(regions: readonly MapRegion[], { size, home, you }: LayoutInput) {
  const { width, height } = size
  const obstaclesOf = (pin: Point | undefined): Box[] => [
    ...(pin ? [pinBox(pin)] : []),
    ...(width < narrowest ? [] : [{ left: 0, right: legend.width, top: height - legend.height, bottom: height }]),
  ]
  const options = { ...size, slot: slotRadius(regions.length, size), top: topHeight }
  const frame = useMemo(
    () =>
      chooseFrame(
        regions.map(({ id, name, place }) => ({
          id,
          point: project(place),
          labelWidth: textWidth(`${cut(name)} 0,000`, false),
        })),
        { ...options, you: home && project(home), obstaclesOf },
      ),
    [JSON.stringify([regions.map(({ id, name, place }) => [id, name, place]), home, size])],
  )
  const pin = you && toFrame(project(you), frame)
  const obstacles = obstaclesOf(pin)
  const circles = useMemo(
    () =>
      placeCircles(
        regions.map(({ id, place }) => ({ id, place: toFrame(project(place), frame) })),
        { ...options, obstacles },
      ),
    [frame, pin?.x, pin?.y],
  )
  if (width === 0 || height === 0) return undefined
  return drawnLayout(regions, { ...options, frame, circles, pin, obstacles })
}

interface Placed extends Size {
  readonly frame: MapFrame
  readonly slot: number
  readonly top: number
  readonly circles: readonly Circle[]
  readonly pin: Point | undefined
  readonly obstacles: readonly Box[]
}

/** Adds the sizes of the circles, the labels, and the way to the next find. */
function drawnLayout(regions: readonly MapRegion[], { circles, pin, obstacles, ...options }: Placed) {
  const { frame, slot } = options
  const byId = new Map(regions.map(region => [region.id, region]))
  const groups = circles.map(circle => circle.ids.flatMap(id => byId.get(id) ?? []))
  const counts = groups.map(members => members.reduce((sum, { players }) => sum + players, 0))
  const busiest = Math.max(1, ...counts)
  const texts = groups.map((members, i) => textsOf(members, counts[i] ?? 0))
  const centers = circles.map(({ center }) => center)
  const name = pin && placeName(pin, textWidth('You', true), { ...options, obstacles, centers })
  const labels = placeLabels(
    texts.map((all, i) => ({
      center: centers[i] ?? { x: 0, y: 0 },
      texts: all.map(text => widthsOf(text, isStrong(groups[i] ?? []))),
      players: counts[i] ?? 0,
    })),
    { ...options, obstacles: name ? [...obstacles, name] : obstacles },
  )
  const drawn = circles.map((circle, i): DrawnCircle => {
    const members = groups[i] ?? []
    return {
      ...circle,
      members,
      kind:
        members.find(({ kind }) => kind === 'bad')?.kind ??
        members.find(({ kind }) => kind === 'next')?.kind ??
        'plain',
      radius: radiusOf(counts[i] ?? 0, { busiest, slot }),
      label: texts[i]?.[labels[i]?.text ?? 0],
      side: labels[i]?.side,
    }
  })
  const next = drawn.find(({ members }) => members.some(({ kind }) => kind === 'next'))
  return { frame, circles: drawn, you: pin, name, route: pin && next && routeTo(pin, next) }
}

function isStrong(members: readonly MapRegion[]): boolean {
  return members.some(({ kind }) => kind !== 'plain')
}

/** Returns the texts for a label: with a second line, with a shorter one, and without. */
function textsOf(members: readonly MapRegion[], players: number): LabelText[] {
  const [only] = members
  const { notes = [] } = members.find(({ kind }) => kind === 'bad') ?? members.find(({ kind }) => kind === 'next') ?? {}
  const isOne = members.length === 1 && only !== undefined
  const text = {
    name: isOne ? cut(only.name) : counted(members.length, 'region', 'regions'),
    count: grouped(players),
    change: isOne ? only.change : undefined,
  }
  const plain = { ...text, note: undefined }
  // The name of the next find needs a place more than its number.
  return [...notes.map(note => ({ ...text, note })), plain, ...(notes.length > 0 ? [{ ...plain, count: '' }] : [])]
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name
}

function widthsOf({ name, count, change, note }: LabelText, isBold: boolean): number[] {
  // All digits have one width, so the label keeps its width while the number grows.
  const first = textWidth(`${name} `, isBold) + textWidth(count.replaceAll(/\d/g, '0'), false)
  const all = change === undefined ? first : first + textWidth(` ${change}`, true)
  return note === undefined ? [all] : [all, textWidth(note, true)]
}

const widths = new Map<string, number>()
const canvas = document.createElement('canvas').getContext('2d')

/** Measures a text in the font of the map. */
function textWidth(text: string, isBold: boolean): number {
  const key = `${isBold} ${text}`
  const known = widths.get(key)
  if (known !== undefined || !canvas) return known ?? text.length * 7
  canvas.font = `${isBold ? 600 : 400} 12px ${getComputedStyle(document.body).fontFamily}`
  // Names come and go with the worlds.
  if (widths.size > 5_000) widths.clear()
  const width = Math.ceil(canvas.measureText(text).width)
  widths.set(key, width)
  return width
}

/** Draws the way from the pin to the edge of a circle, as a bow. */
function routeTo(pin: Point, { center, radius }: DrawnCircle): string {
  const from = { x: pin.x, y: pin.y - 6 }
  const [dx, dy] = [center.x - from.x, center.y - from.y]
  const length = Math.hypot(dx, dy)
  // The bow is above the straight line.
  const bow = Math.min(60, length * 0.16) * (dx >= 0 ? 1 : -1)
  const middle = { x: (from.x + center.x) / 2 + (dy / length) * bow, y: (from.y + center.y) / 2 - (dx / length) * bow }
  const start = onWay(from, middle, 12)
  const end = onWay(center, middle, radius + 4)
  if (length < radius + 16) return ''
  return `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`
}

/** Returns the point at a distance from another, on the way to a third. */
function onWay(from: Point, to: Point, distance: number): Point {
  const share = distance / Math.max(1e-6, Math.hypot(to.x - from.x, to.y - from.y))
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

const land = landPath(landRings)

/** The land, as often as the frame shows the world. */
function Land({ frame: { x, y, scale }, width }: { readonly frame: MapFrame; readonly width: number }) {
  const first = Math.floor(x / mapWidth)
  const last = Math.floor((x + width / scale) / mapWidth)
  const copies = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return (
    <g class="land" style={{ transform: `translate(${-x * scale}px, ${-y * scale}px) scale(${scale / landScale})` }}>
      {copies.map(copy => (
        <path key={copy} d={land} transform={`translate(${copy * mapWidth * landScale} 0)`} />
      ))}
    </g>
  )
}

function RegionCircle({ circle }: { readonly circle: DrawnCircle }) {
  const { ids, members, center, place, radius, side, label, kind } = circle
  const [taken, seats] = (['taken', 'seats'] as const).map(key => members.reduce((sum, one) => sum + one[key], 0))
  const share = seats ? Math.min(1, (taken ?? 0) / seats) : 0
  const [id] = ids
  const isSelected = members.length === 1 && page.region.value === id
  const select = () => {
    if (members.length > 1) page.framed.value = ids
    else page.filter({ region: isSelected ? undefined : id })
  }
  const spot = { x: place.x - center.x, y: place.y - center.y }
  const away = Math.hypot(spot.x, spot.y)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table does the same for the keyboard
    <g
      class="region"
      data-kind={kind}
      data-selected={isSelected || undefined}
      style={{ transform: `translate(${center.x}px, ${center.y}px)` }}
      onClick={select}
    >
      <title>{members.map(member => titleOf(member)).join('\n')}</title>
      {members.length === 1 && away > radius + 2 && (
        <>
          <line class="leader" x1={spot.x} y1={spot.y} x2={(spot.x / away) * radius} y2={(spot.y / away) * radius} />
          <circle class="spot" cx={spot.x} cy={spot.y} r="2" />
        </>
      )}
      <circle class="disc" style={{ r: `${radius}px` }} />
      <circle class="ring" style={{ r: `${radius}px` }} />
      <circle
        class="arc"
        style={{ r: `${radius}px`, strokeDasharray: `${share * 100} 100` }}
        pathLength={100}
        transform="rotate(-90)"
      />
      {label && side && <RegionLabel label={label} side={side} radius={radius} isBold={isStrong(members)} />}
    </g>
  )
}

function titleOf({ name, players, lobbies, taken, seats }: MapRegion): string {
  const share = seats > 0 ? Math.round(Math.min(1, taken / seats) * 100) : 0
  return `${name}: ${counted(players, 'player', 'players')} in ${counted(lobbies, 'lobby', 'lobbies')}, ${share} % of the seats taken`
}

interface RegionLabelProps {
  readonly label: LabelText
  readonly side: Side
  readonly radius: number
  readonly isBold: boolean
}

/** Tells at which edge or middle of its box a label is held, so that it stays there when it is drawn narrower. */
function anchorOf(side: Side): 'start' | 'end' | 'middle' {
  return side.endsWith('right') ? 'start' : side.endsWith('left') ? 'end' : 'middle'
}

function RegionLabel({ label, side, radius, isBold }: RegionLabelProps) {
  const { left, right, top } = labelBox({ center: { x: 0, y: 0 }, lines: widthsOf(label, isBold) }, side, radius)
  const anchor = anchorOf(side)
  const x = { start: left, end: right, middle: 0 }[anchor]
  return (
    <text x={x} y={top + baseline} text-anchor={anchor} class={isBold ? 'strong' : undefined}>
      {label.name} <tspan class="count">{label.count}</tspan>
      {label.change !== undefined && (
        <>
          {' '}
          <tspan class="change">{label.change}</tspan>
        </>
      )}
      {label.note !== undefined && (
        <tspan class="note" x={x} dy={lineHeight}>
          {label.note}
        </tspan>
      )}
    </text>
  )
}
