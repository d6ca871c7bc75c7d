import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Coordinates } from '../../core/contract/regions.js'
import { landRings, landScale } from '../../core/generated/land.js'
import { counted, playersText, shortened } from '../../core/lib/messages.js'
import { Button } from '../ui/controls.js'
import { seatCount } from '../ui/format.js'
import { textWidth, useSize } from '../ui/screen.js'
import type { RegionSums } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { landPath } from './land-path.js'
import {
  type Box,
  frameOf,
  type LabelledCircle,
  type LabelPlace,
  type MapFrame,
  type Point,
  placeLabels,
  pushApart,
  radiusOf,
  toFrame,
} from './map-layout.js'
import { PlayerPin } from './player-pin.js'
import { mapHeight, mapWidth, project } from './projection.js'
import { bringBack, openRegionMenu } from './region-menu.js'

/** A region as the map shows it. */
export interface MapRegion extends Omit<RegionSums, 'region'> {
  readonly id: string
  readonly name: string
  readonly place: Coordinates
  /**
   * `next`: a find goes there. `other`: it may go there, or has not. `bad`: something is wrong there. `down`: an outage has taken it
   * down.
   */
  readonly kind: 'plain' | 'next' | 'other' | 'bad' | 'down'
  /** The second line of its label. */
  readonly note?: string
  /** The difference in players between the shown past and now, with its sign. Absent if there is none. */
  readonly change?: string
}

/** The legend at the bottom left. A narrower map has none. */
const legend = { width: 232, height: 28, narrowest: 600 }

/** A longer name is cut. In characters. */
const longestName = 30

/** The height of a line of a label, and from its top to its baseline. */
const line = { height: 15, baseline: 11 }

/** The number of compared regions that the map does not show. */
export const beyond = signal(0)

/** The drawing of the map: land, regions, the player. */
export function MapDrawing({ regions }: { readonly regions: readonly MapRegion[] }) {
  const element = useRef<HTMLDivElement>(null)
  const { value: size } = useSize(element)
  /** The place while the user drags it. The frame stays meanwhile. */
  const dragged = useSignal<Coordinates | undefined>(undefined)
  const home = page.shown.value.tables.settings.get('settings')?.client
  const you = dragged.value ?? home
  const framed = page.framed.value
  const inFrame = framed ? regions.filter(({ id }) => framed.includes(id)) : regions
  const frame = frameOf([...inFrame.map(({ place }) => place), ...(home ? [home] : [])].map(project), size)
  const isInside = ({ place }: MapRegion) => {
    const { x, y } = toFrame(project(place), frame)
    return !framed || (x >= 0 && x <= size.width && y >= 0 && y <= size.height)
  }
  const shown = regions.filter(isInside).toSorted(byImportance)
  const outside = regions.filter(region => region.note !== undefined && !isInside(region)).length
  useEffect(() => void (beyond.value = outside), [outside])
  if (size.width === 0 || size.height === 0) return <div class="map" ref={element} />
  const pin = you && toFrame(project(you), frame)
  const radius = radiusOf(
    shown.map(({ players }) => players),
    size,
  )
  const placed = shown.map(region => ({
    region,
    center: toFrame(project(region.place), frame),
    // A cross needs room.
    radius: Math.max(radius(region.players), region.kind === 'down' ? 12 : 0),
    label: sizeOf(region),
    isImportant: region.kind !== 'plain' || page.region.value === region.id,
  }))
  const circles = pushApart(placed, size)
  const { width, height } = size
  const obstacles = [
    ...(width < legend.narrowest
      ? []
      : [{ left: 0, right: legend.width, top: height - legend.height, bottom: height }]),
    ...(pin ? [{ left: pin.x - 9, right: pin.x + 9, top: pin.y - 25, bottom: pin.y + 3 }] : []),
  ]
  const labels = placeLabels(pin ? [...circles, circleOfPin(pin)] : circles, { ...size, obstacles })
  const name = labels[circles.length]
  const next = circles[shown.findIndex(({ kind }) => kind === 'next')]
  return (
    <div class="map" ref={element}>
      <svg width={width} height={height} aria-hidden="true">
        <Land frame={frame} />
        {circles.map((circle, i) => (
          <RegionCircle key={circle.region.id} {...circle} labelPlace={labels[i]} />
        ))}
        {pin && next && <Route key={page.requestId.value} d={routeTo(pin, next)} />}
        {name?.isShown && (
          <text class="you-name" x={name.box.left} y={name.box.top + line.baseline}>
            You
          </text>
        )}
      </svg>
      {circles.map(({ region }, i) => (
        <BringBack key={region.id} region={region} label={labels[i]?.box} width={width} />
      ))}
      <PlayerPin place={you} at={pin} dragged={dragged} frame={frame} />
    </div>
  )
}

/** The space that the button has, in px. */
const bringBackWidth = 96

interface BringBackProps {
  readonly region: MapRegion
  readonly label: Box | undefined
  /** The width of the map. */
  readonly width: number
}

/** The button beside the label of a region that is down, or below it at the edge of the map. */
function BringBack({ region: { id, name, kind }, label, width }: BringBackProps) {
  if (kind !== 'down' || page.isReadOnly.value || !label) return null
  const farthest = width - bringBackWidth
  const isBeside = label.right < farthest
  return (
    <Button
      class="bring-back"
      aria-label={`Bring ${name} back`}
      style={{ left: `${Math.min(label.right + 8, farthest)}px`, top: `${isBeside ? label.top : label.bottom}px` }}
      onClick={() => bringBack(id)}
    >
      Bring back
    </Button>
  )
}

/** Sorts regions for labels: important ones first, the others in an order that stays when a player comes or goes. */
function byImportance(one: MapRegion, other: MapRegion): number {
  const rank = ({ id, kind, players }: MapRegion) =>
    kind !== 'plain' || page.region.value === id ? Number.POSITIVE_INFINITY : Math.floor(Math.log2(players + 1))
  const [first, second] = [rank(one), rank(other)]
  return first === second ? 0 : second - first
}

/** The pin stands above its place. It has a label as if it were a circle. */
function circleOfPin({ x, y }: Point): LabelledCircle {
  const label = { width: textWidth('You', 600), height: line.height }
  return { center: { x, y: y - 15 }, radius: 9, label, isImportant: false }
}

/** Returns the size of a label. All digits have one width, so the label keeps its width while the number grows. */
function sizeOf({ name, players, taken, change = '', note, kind }: MapRegion): LabelledCircle['label'] {
  const weight = kind === 'plain' ? 400 : 600
  const first =
    textWidth(`${cut(name)} `, weight) + textWidth(seatCount(players, taken - players)) + textWidth(` ${change}`, 600)
  const width = Math.max(first, note === undefined ? 0 : textWidth(note, 600))
  return { width: Math.ceil(width), height: note === undefined ? line.height : 2 * line.height }
}

const cut = (name: string) => shortened(name, longestName)

function routeTo(pin: Point, { center, radius }: LabelledCircle): string {
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

/** The way to the region of a find. That of an opened find is drawn from the pin on. */
function Route({ d }: { readonly d: string }) {
  if (!page.framed.value) return <path class="route" d={d} />
  return (
    <>
      <mask id="drawn" maskUnits="userSpaceOnUse">
        <path d={d} pathLength={1} />
      </mask>
      <path class="route" d={d} mask="url(#drawn)" />
    </>
  )
}

/** Returns the point at a distance from another, on the way to a third. */
function onWay(from: Point, to: Point, distance: number): Point {
  const share = distance / Math.max(1e-6, Math.hypot(to.x - from.x, to.y - from.y))
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

const land = landPath(landRings)

/** The land. A frame across the edge of the world shows parts of two copies. No frame shows a place twice. */
function Land({ frame: { x, y, scale, seam } }: { readonly frame: MapFrame }) {
  const first = Math.floor(seam / mapWidth)
  const [width, height] = [mapWidth * landScale, mapHeight * landScale]
  return (
    <g class="land" style={{ transform: `translate(${-x * scale}px, ${-y * scale}px) scale(${scale / landScale})` }}>
      <clipPath id="one-world">
        <rect x={seam * landScale} y={-height} width={width} height={3 * height} />
      </clipPath>
      <g clip-path="url(#one-world)">
        {[first, first + 1].map(copy => (
          <path key={copy} d={land} transform={`translate(${copy * width} 0)`} />
        ))}
      </g>
    </g>
  )
}

interface RegionCircleProps extends Pick<LabelledCircle, 'center' | 'radius'> {
  readonly region: MapRegion
  /** The place of the region. */
  readonly place: Point
  readonly labelPlace: LabelPlace | undefined
}

function RegionCircle({ region, center, radius, place, labelPlace }: RegionCircleProps) {
  const { id, taken, seats, kind } = region
  const isSelected = page.region.value === id
  const away = { x: place.x - center.x, y: place.y - center.y }
  const edge = onWay({ x: 0, y: 0 }, away, radius)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table does the same for the keyboard
    <g
      class="region"
      data-kind={kind}
      data-region={id}
      data-selected={isSelected || page.pointed.value === id || undefined}
      style={{ transform: `translate(${center.x}px, ${center.y}px)` }}
      onClick={() => openRegionMenu(id)}
      onContextMenu={event => {
        event.preventDefault()
        openRegionMenu(id)
      }}
    >
      <title>{titleOf(region)}</title>
      <circle class="disc" style={{ r: `${radius}px` }} />
      <circle class="ring" style={{ r: `${radius}px` }} />
      <circle
        class="arc"
        style={{ r: `${radius}px`, strokeDasharray: `${seats ? Math.min(1, taken / seats) * 100 : 0} 100` }}
        pathLength={100}
        transform="rotate(-90)"
      />
      {kind === 'down' && <path class="ring" d="M-4-4 4 4M4-4-4 4" />}
      {Math.hypot(away.x, away.y) > radius && <path class="leader" d={`M${away.x} ${away.y}h0L${edge.x} ${edge.y}`} />}
      {labelPlace && <RegionLabel region={region} center={center} place={labelPlace} />}
    </g>
  )
}

interface RegionLabelProps {
  readonly region: MapRegion
  readonly center: Point
  readonly place: LabelPlace
}

/** The label is held at the edge of its circle, so that it stays there when it is drawn narrower. */
function RegionLabel({ region, center, place: { side, box, isShown } }: RegionLabelProps) {
  const { name, players, taken, change, note, kind } = region
  const [x, anchor] =
    side === 'left'
      ? [box.right, 'end']
      : side === 'right'
        ? [box.left, 'start']
        : [(box.left + box.right) / 2, 'middle']
  return (
    <text
      x={x - center.x}
      y={box.top + line.baseline - center.y}
      text-anchor={anchor}
      class={kind === 'plain' ? undefined : 'strong'}
      data-hidden={isShown ? undefined : ''}
    >
      {cut(name)} <tspan class="count">{seatCount(players, taken - players)}</tspan>
      {change !== undefined && <tspan class="change"> {change}</tspan>}
      {note !== undefined && (
        <tspan class="note" x={x - center.x} dy={line.height}>
          {note}
        </tspan>
      )}
    </text>
  )
}

function titleOf({ name, players, lobbies, taken, seats }: MapRegion): string {
  const share = seats > 0 ? Math.round(Math.min(1, taken / seats) * 100) : 0
  return `${name}: ${playersText({ players: taken, reserved: taken - players })} in ${counted(lobbies, 'lobby', 'lobbies')}, ${share} % of the seats taken`
}
