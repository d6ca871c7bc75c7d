import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { counted } from '../lib/text.js'
import { timeOfDay } from '../lib/time.js'
import { Select } from './controls.js'
import { duration } from './format.js'
import { useWidth } from './hooks.js'
import { page, type Span } from './page-state.js'
import { drawTimeline, type TimelineScale, timelineHeight } from './timeline-drawing.js'

/** The spans of the timeline, in ms of the world's clock. */
const spans = [
  { name: '1 min', ms: 60_000 },
  { name: '10 min', ms: 600_000 },
  { name: '1 h', ms: 3_600_000 },
  { name: '1 d', ms: 86_400_000 },
] as const

/** The share of the width that shows the past. The rest shows what is due next. */
const pastShare = 0.86

/** The drawing is updated at most once in this time, in ms. */
const drawPauseMs = 100

/** A shorter drag is a click, in px. */
const shortestDrag = 4

/** The panel with what has happened, and what is due next. */
export function Timeline() {
  const span = useSignal<number | undefined>(undefined)
  const rate = page.live.clock.value?.rate ?? 1
  // A faster clock needs a longer span.
  const ms = span.value ?? spans.find(one => one.ms >= 60_000 * rate)?.ms ?? spans[3].ms
  return (
    <section class="panel timeline" aria-labelledby="timeline">
      <header>
        <h2 id="timeline">Timeline</h2>
        <TravelSlider />
        <div class="tools">
          <SpanSelect />
          <Select
            label="Length of the timeline"
            value={String(ms)}
            options={spans.map(one => [String(one.ms), one.name])}
            onChange={value => (span.value = Number(value))}
          />
        </div>
      </header>
      <Lanes spanMs={ms} />
      <DueList />
    </section>
  )
}

/** The most jobs that a phone lists. */
const mostDue = 8

/** Lists the next jobs, for screens that are too narrow for words in the drawing. */
function DueList() {
  const { upcoming, now } = page
  return (
    <ol class="due">
      {upcoming.value.slice(0, mostDue).map(({ at, table, id, what }) => (
        <li key={`${table} ${id}`}>
          in {duration(Math.max(0, Date.parse(at) - now.value))}: {what}
        </li>
      ))}
    </ol>
  )
}

/** The spans of requests: their lengths in ms, and their names. */
const requestSpans: readonly (readonly [ms: string, name: string])[] = [
  ['', 'All requests'],
  ['10000', 'Last 10 s'],
  ['60000', 'Last minute'],
  ['600000', 'Last 10 minutes'],
]

/** Shows only the requests of the last seconds or minutes, as brushing the timeline does. */
function SpanSelect() {
  const { brushed, time } = page
  const chosen = useSignal<{ readonly value: string; readonly span: Span } | undefined>(undefined)
  const isChosen = chosen.value !== undefined && chosen.value.span === brushed.value
  const choose = (value: string) => {
    const to = time.value
    const span = value === '' ? undefined : { from: to - Number(value), to }
    brushed.value = span
    chosen.value = span && { value, span }
  }
  return (
    <Select
      label="Requests of"
      value={!brushed.value ? '' : isChosen ? chosen.value?.value : 'brushed'}
      options={brushed.value && !isChosen ? [...requestSpans, ['brushed', 'The brushed span']] : requestSpans}
      onChange={choose}
    />
  )
}

/** Moves the page through the revisions of the world. */
function TravelSlider() {
  const { oldestRevision, oldestAt, revision } = page.live
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const newest = revision.value
  const value = page.past.value?.revision ?? newest
  if (newest === oldestRevision.value) return null
  const travel = (target: number) => {
    clearTimeout(timer.current)
    if (target >= newest) page.past.value = undefined
    else timer.current = setTimeout(() => void page.travelTo(target), drawPauseMs)
  }
  return (
    <div class="travel">
      <span class="muted" title="The mock has dropped the history before this time.">
        from {timeOfDay(oldestAt.value)}
      </span>
      <label>
        <span class="hidden">Revision</span>
        <input
          type="range"
          min={oldestRevision.value}
          max={newest}
          value={value}
          aria-valuetext={page.past.value ? `${timeOfDay(page.past.value.at)}, revision ${value}` : 'now'}
          onInput={event => travel(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  )
}

function Lanes({ spanMs }: { readonly spanMs: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const drag: Signal<{ readonly from: number; to: number; readonly isTravel: boolean } | undefined> =
    useSignal(undefined)
  // Read here, so that each move of the pointer renders, and draws.
  const dragged = drag.value
  const scaleOf = (): TimelineScale => {
    const end = page.now.peek()
    return { from: end - spanMs, now: end, to: end + (spanMs / pastShare) * (1 - pastShare) }
  }
  const draw = () => {
    if (!canvas.current || width.peek() === 0) return
    drawTimeline(canvas.current, {
      scale: scaleOf(),
      exchanges: page.live.exchanges.peek(),
      pending: page.live.pending.peek().pending,
      changes: page.live.changes.peek(),
      jobs: page.upcoming.peek(),
      brushed: page.brushed.peek(),
      drag: dragged && spanOf(dragged),
      travelAt: dragged?.isTravel ? dragged.to : page.past.value?.at,
    })
  }
  useDrawing(draw, width)
  const timeAt = (event: PointerEvent) => {
    const { from, to } = scaleOf()
    return from + (event.offsetX / Math.max(1, width.value)) * (to - from)
  }
  const pxOf = (ms: number) => {
    const { from, to } = scaleOf()
    return (ms / (to - from)) * width.value
  }
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={summaryOf(page)}
      style={{ height: `${timelineHeight(width.value)}px` }}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = timeAt(event)
        const grip = page.past.value?.at ?? page.now.value
        drag.value = { from: at, to: at, isTravel: Math.abs(pxOf(at - grip)) < 10 }
      }}
      onPointerMove={event => {
        if (drag.value) drag.value = { ...drag.value, to: Math.min(timeAt(event), page.now.value) }
      }}
      onPointerUp={() => {
        const { value } = drag
        drag.value = undefined
        if (!value) return
        const isClick = Math.abs(pxOf(value.to - value.from)) < shortestDrag
        if (value.isTravel && !isClick) void page.travelToTime(value.to)
        else if (isClick) page.brushed.value = undefined
        else page.brushed.value = spanOf(value)
      }}
    />
  )
}

function spanOf({ from, to }: Span): Span {
  return { from: Math.min(from, to), to: Math.max(from, to) }
}

/** Draws the lanes again whenever something has changed, but not more often than necessary. */
function useDrawing(draw: () => void, width: Signal<number>): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const newest = useRef(draw)
  newest.current = draw
  useSignalEffect(() => {
    const { exchanges, pending, changes } = page.live
    // The drawing depends on all of these.
    for (const signal of [exchanges, pending, changes, page.upcoming, page.now, page.past, page.brushed, width])
      signal.value
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      requestAnimationFrame(() => newest.current())
    }, drawPauseMs)
  })
  // The user sees a drag and a new span at once.
  useEffect(draw)
}

/** Describes the timeline for screen readers. */
function summaryOf({ live, now, upcoming }: typeof page): string {
  const [next] = upcoming.value
  const due = next
    ? `Due next in ${duration(Math.max(0, Date.parse(next.at) - now.peek()))}: ${next.what}.`
    : 'Nothing is due.'
  return `${counted(live.exchanges.value.length, 'request', 'requests')}, ${counted(live.changes.value.length, 'change', 'changes')} of the world. ${due}`
}
