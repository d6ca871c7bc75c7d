import { type Signal, untracked, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { counted } from '../../core/lib/messages.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { Button, Select } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { isDark, textWidth, useSize } from '../ui/screen.js'
import { copy } from '../world/copy.js'
import { placeName, regionName } from '../world/lobby-rows.js'
import { page, type Span } from '../world/page-state.js'
import { playerStates, seatState, stateNames } from '../world/player-state.js'
import { markedWarning } from '../world/warned.js'
import { drawTimeline } from './timeline-drawing.js'
import { layOutLanes, restRows } from './timeline-lanes.js'
import {
  firstZoom,
  nextZoom,
  scaleOf,
  type TimelineScale,
  toPx,
  toTime,
  type Zoom,
  zoomFor,
  zoomNames,
  zooms,
} from './timeline-scale.js'

/** The drawing is updated at most once in this time, in ms. */
const drawPauseMs = 100

/** A shorter drag is a click, in px. */
const shortestDrag = 4

/** The one time axis: what has happened, and what is due next. It is the only control of the time that the page shows. */
export function Timeline() {
  const chosen = useSignal<Zoom | undefined>(undefined)
  const more = useSignal(0)
  const rest: RestOfLanes = { names: useSignal([]), first: useSignal(0) }
  const { live, now, past } = page
  const first = chosen.value ?? (copy ? Number.POSITIVE_INFINITY : firstZoom(live.clock.value?.rate ?? 1))
  // The moment that the page shows is never outside.
  const zoom = past.value ? zoomFor(first, now.value - past.value.at) : first
  return (
    <section class="timeline" aria-labelledby="timeline" data-past={past.value ? '' : undefined}>
      <h2 id="timeline" class="hidden">
        Timeline
      </h2>
      <div class="lane-names">
        <Select
          label="Length of the timeline"
          value={String(zoom)}
          options={zooms.map((one, i) => [String(one), zoomText(one, zoomNames[i] ?? '')])}
          onChange={value => (chosen.value = zooms.find(one => String(one) === value))}
        />
        <span>Players {more.value > 0 && <b class="times">+{more.value}</b>}</span>
        <span>Requests</span>
        <span>Changes</span>
        <RestNames {...rest} />
      </div>
      <Axis zoom={zoom} chosen={chosen} more={more} rest={rest} />
      <DueList />
    </section>
  )
}

/** The lanes that scroll: the names of all, and the first one that is in sight. */
interface RestOfLanes {
  readonly names: Signal<readonly string[]>
  readonly first: Signal<number>
}

/** Returns the first lane in sight. There may be fewer lanes by now. */
function firstOf({ names, first }: RestOfLanes): number {
  return Math.max(0, Math.min(first.value, names.value.length - restRows))
}

/** The names of the lanes in sight. If there are more, a button scrolls them. */
function RestNames(rest: RestOfLanes) {
  const { names, first } = rest
  const [start, count] = [firstOf(rest), names.value.length]
  const more = count - restRows
  return (
    <>
      {names.value.slice(start, start + restRows).map((name, i) => (
        <span key={i} title={name}>
          <span class="cut" dir="auto">
            {name}
          </span>
          {i === restRows - 1 && more > 0 && (
            <Button
              class="times"
              aria-label={counted(more, 'more lane', 'more lanes')}
              onClick={() => (first.value = start === more ? 0 : start + 1)}
            >
              +{more}
            </Button>
          )}
        </span>
      ))}
    </>
  )
}

/** Names a zoom. The whole of a copy says how long it is. */
function zoomText(zoom: Zoom, name: string): string {
  const { now, live } = page
  return isEnd() && zoom === Number.POSITIVE_INFINITY ? `${name}, ${duration(now.value - live.oldestAt.value)}` : name
}

/** Tells whether the page shows the end of a copy, after which nothing comes while its clock stands still. */
function isEnd(): boolean {
  return copy !== undefined && page.live.clock.value?.mode === 'frozen'
}

/** The most jobs that a phone lists. */
const mostDue = 8

/** Lists the next jobs, for screens that are too narrow for words in the drawing. */
function DueList() {
  const { upcoming, now } = page
  return (
    <ol class="due">
      {upcoming.value.slice(0, mostDue).map(({ at, table, id, what }) => (
        <li key={`${table} ${id} ${what}`}>
          in {duration(Math.max(0, Date.parse(at) - now.value))}: {what}
        </li>
      ))}
    </ol>
  )
}

interface AxisProps {
  readonly zoom: Zoom
  readonly chosen: Signal<Zoom | undefined>
  readonly more: Signal<number>
  readonly rest: RestOfLanes
}

function Axis({ zoom, chosen, more, rest }: AxisProps) {
  const element = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(canvas)
  const scale = (): TimelineScale =>
    scaleOf({ now: page.now.peek(), oldest: page.live.oldestAt.peek(), zoom, width: size.peek().width, isEnd: isEnd() })
  const { drag, hovered, ...handlers } = usePointer(canvas, scale)
  const draw = () => {
    if (!canvas.current || size.peek().width === 0) return
    const lanes = layOutLanes(lanesData(), scale())
    const names = lanes.rest.map(({ name }) => name)
    more.value = lanes.morePlayers
    if (names.join('\n') !== rest.names.peek().join('\n')) rest.names.value = names
    const start = untracked(() => firstOf(rest))
    drawTimeline(canvas.current, {
      lanes: { ...lanes, rest: lanes.rest.slice(start, start + restRows) },
      scale: scale(),
      span: drag.peek() ? spanOf(drag.peek()) : page.brushed.peek(),
    })
  }
  useDrawing(draw, [size, drag, isDark, rest.first], zoom)
  useWheel(element, direction => (chosen.value = nextZoom(zoom, direction)))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a slider, if the world has a past
    <div
      class="axis"
      ref={element}
      aria-describedby="timeline-summary"
      {...sliderProps()}
      onKeyDown={event => {
        if (!moveByKey(event)) return
        event.preventDefault()
        event.stopPropagation()
      }}
      {...handlers}
    >
      <canvas ref={canvas} />
      {page.isInviting.value && <LaneHints />}
      <p id="timeline-summary" class="hidden">
        {summaryOf(page)}
      </p>
      {size.value.width > 0 && <Moments scale={scale} hovered={hovered} isDragged={drag.value !== undefined} />}
    </div>
  )
}

/** Says what the lanes will show, while they are empty. */
function LaneHints() {
  return (
    <div class="lane-hints">
      <p>
        Each find tells a story here:
        {stateNames.map(state => (
          <span key={state}>
            <i data-state={state} /> {playerStates[state].word}
          </span>
        ))}
      </p>
      <p>One mark for each request, green or red. Click one to see why.</p>
      <p>Click any moment to see the world then.</p>
    </div>
  )
}

/** Makes the axis a slider, unless the world has no past. */
function sliderProps(): JSX.IntrinsicElements['div'] {
  const { past, live } = page
  const { oldestRevision, revision } = live
  if (revision.value <= oldestRevision.value) return { role: 'img', 'aria-label': 'Timeline' }
  return {
    role: 'slider',
    tabIndex: 0,
    'aria-label': 'Revision',
    'aria-valuemin': oldestRevision.value,
    'aria-valuemax': revision.value,
    'aria-valuenow': past.value?.revision ?? revision.value,
    'aria-valuetext': past.value ? page.timeText(past.value.at) : 'now',
  }
}

/** Follows the pointer: it shows a time, a click goes there, and a drag chooses a span. */
function usePointer(canvas: { readonly current: HTMLElement | null }, scale: () => TimelineScale) {
  const drag: Signal<Span | undefined> = useSignal(undefined)
  /** The place at which the pointer went down, in px. It is no time, because the axis moves with the clock. */
  const pressedX = useRef(0)
  /** The time under the pointer. */
  const hovered: Signal<number | undefined> = useSignal(undefined)
  const timeAt = ({ clientX }: PointerEvent) =>
    toTime(scale(), clientX - (canvas.current?.getBoundingClientRect().left ?? 0))
  const past = (time: number) => Math.min(time, page.now.peek())
  return {
    drag,
    hovered,
    onPointerDown: (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.value = { from: timeAt(event), to: timeAt(event) }
      pressedX.current = event.clientX
    },
    onPointerMove: (event: PointerEvent) => {
      hovered.value = timeAt(event)
      if (drag.value) drag.value = { ...drag.value, to: past(timeAt(event)) }
    },
    onPointerUp: (event: PointerEvent) => {
      const { value } = drag
      drag.value = undefined
      if (!value) return
      const to = timeAt(event)
      const isClick = Math.abs(event.clientX - pressedX.current) < shortestDrag
      if (!isClick) page.brushed.value = spanOf({ ...value, to: past(to) })
      else if (to < page.now.peek()) page.travelToTime(to)
      else page.travelToNow()
    },
    onPointerCancel: () => (drag.value = undefined),
    onPointerLeave: () => (hovered.value = undefined),
  }
}

interface MomentsProps {
  scale(): TimelineScale
  readonly hovered: Signal<number | undefined>
  readonly isDragged: boolean
}

/** The lines of now, of the moment that the page shows, and of the pointer. */
function Moments({ scale, hovered, isDragged }: MomentsProps) {
  const { now, past, live } = page
  // `now` moves with it.
  const isFrozen = live.clock.value?.mode === 'frozen'
  const current = scale()
  const at = hovered.value
  const [end, shown] = [toPx(current, now.value), past.value && toPx(current, past.value.at)]
  const canTravel = at !== undefined && at < now.value && at >= live.oldestAt.value
  return (
    <>
      <Moment
        x={end}
        width={current.width}
        kind={past.value ? 'ghost' : isFrozen && !copy ? 'frozen' : 'now'}
        // The pill of the moment that the page shows would cover it.
        text={
          shown === undefined || end - shown > 110
            ? `${isEnd() ? 'end' : isFrozen ? 'frozen' : 'now'} ${page.timeText(now.value)}`
            : undefined
        }
      />
      {past.value && shown !== undefined && (
        <Moment x={shown} width={current.width} kind="at" text={page.timeText(past.value.at)} />
      )}
      {at !== undefined && (
        <Moment
          x={toPx(current, at)}
          width={current.width}
          kind="hovered"
          text={canTravel && !isDragged ? `${page.timeText(at)}, click to go there` : page.timeText(at)}
        />
      )}
    </>
  )
}

interface MomentProps {
  readonly x: number
  readonly width: number
  readonly kind: 'now' | 'frozen' | 'ghost' | 'at' | 'hovered'
  /** Absent: a line without a pill. */
  readonly text: string | undefined
}

function Moment({ x, width, kind, text }: MomentProps) {
  if (x < 0 || x > width) return null
  // A pill at an edge does not stand over it.
  const shift = x < 90 ? `-${Math.round(x)}px` : x > width - 90 ? `calc(-100% + ${Math.round(width - x)}px)` : '-50%'
  return (
    <div class="moment" data-kind={kind} style={{ transform: `translateX(${x}px)` }} aria-hidden="true">
      {text && <span style={{ transform: `translateX(${shift})` }}>{text}</span>}
    </div>
  )
}

function spanOf({ from, to }: Span = { from: 0, to: 0 }): Span {
  return { from: Math.min(from, to), to: Math.max(from, to) }
}

/** Goes to another moment by a key of the axis. Returns false for other keys. */
function moveByKey({ key, shiftKey }: KeyboardEvent): boolean {
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const direction = key === 'ArrowLeft' ? -1 : 1
    if (shiftKey) page.stepToRequest(direction)
    else page.stepToChange(direction)
    return true
  }
  if (key === 'Home') page.travelTo(page.live.oldestRevision.peek())
  else if (key === 'End' || (key === 'Escape' && page.past.peek())) page.travelToNow()
  else return false
  return true
}

function useWheel(element: { readonly current: HTMLElement | null }, zoomTo: (direction: 'in' | 'out') => void): void {
  const newest = useRef(zoomTo)
  newest.current = zoomTo
  useEffect(() => {
    const { current } = element
    if (!current) return
    let turned = 0
    const turn = (event: WheelEvent) => {
      event.preventDefault()
      turned = Math.sign(turned) === Math.sign(event.deltaY) ? turned + event.deltaY : event.deltaY
      if (Math.abs(turned) < wheelStep) return
      newest.current(turned > 0 ? 'out' : 'in')
      turned = 0
    }
    current.addEventListener('wheel', turn, { passive: false })
    return () => current.removeEventListener('wheel', turn)
  }, [element])
}

/** The wheel turns this far for the next zoom, in px. */
const wheelStep = 80

function lanesData() {
  const { live } = page
  const hasEnded = isEnd()
  const marked = markedWarning.peek()
  const outages = new Set<number | undefined>(
    live.changes.peek().flatMap(({ at, cause }) => (cause.kind === 'fault' ? at : [])),
  )
  return {
    players: live.players.peek().map(({ text: lobby, ...span }) => {
      const isLost = outages.has(span.endedAt)
      const name = live.nameOf(span.token)
      const text = span.endedAt === undefined ? lobby : playerStates[seatState(span)].word
      return {
        ...span,
        text: name === undefined ? text : `${name} · ${text}`,
        ...(hasEnded && { nextAt: undefined }),
        ...(isLost && { note: 'seat lost' }),
      }
    }),
    chosenPlayer: page.playerKey.peek() ?? marked?.players?.[0],
    exchanges: live.exchanges.peek(),
    chosenRequest: page.requestId.peek() ?? marked?.requests.at(-1),
    pending: live.pending.peek().pending,
    changes: live.changes.peek(),
    faults: live.faults.peek(),
    servers: live.servers.peek(),
    warnings: live.warnings.peek().warnings,
    nameOf: (server: GameServerState) => placeName(server, live.tables),
    nameOfRegion: (id: string) => regionName(id, live.tables),
    timeText: (ms: number) => page.timeText(ms),
    jobs: hasEnded ? [] : page.upcoming.peek(),
    widthOf: textWidth,
  }
}

/** Draws again whenever something has changed, but not more often than necessary. */
function useDrawing(draw: () => void, own: readonly Signal<unknown>[], zoom: Zoom): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const newest = useRef(draw)
  newest.current = draw
  useSignalEffect(() => {
    const { live, upcoming, now, past, brushed, requestId, playerKey } = page
    const shown = [
      live.exchanges,
      live.pending,
      live.changes,
      live.players,
      live.stories,
      live.faults,
      live.servers,
      live.warnings,
    ]
    // The drawing depends on all of these.
    for (const one of [...shown, ...own, upcoming, now, past, brushed, requestId, playerKey, markedWarning]) one.value
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      requestAnimationFrame(() => newest.current())
    }, drawPauseMs)
  })
  // The user sees a new span at once.
  useEffect(() => newest.current(), [zoom, own[1]?.value])
}

function summaryOf({ live, now, upcoming }: typeof page): string {
  const [next] = upcoming.value
  const due = next
    ? `Due next in ${duration(Math.max(0, Date.parse(next.at) - now.peek()))}: ${next.what}.`
    : 'Nothing is due.'
  return `${counted(live.exchanges.value.length, 'request', 'requests')}, ${counted(live.changes.value.length, 'change', 'changes')} of the world. ${due}`
}
