import type { PendingRequest, ShortenedEntry } from '../contract/journal.js'
import type { ScheduledJob } from '../control/schedule.js'
import { duration } from './format.js'
import type { Change } from './live-world.js'
import { statusKind } from './outcome.js'
import type { Span } from './page-state.js'

/** The time that the timeline shows, in ms since the epoch. */
export interface TimelineScale {
  readonly from: number
  readonly now: number
  readonly to: number
}

interface TimelineData {
  readonly scale: TimelineScale
  /** The oldest first. */
  readonly exchanges: readonly ShortenedEntry[]
  readonly pending: readonly PendingRequest[]
  /** The oldest first. */
  readonly changes: readonly Change[]
  readonly jobs: readonly ScheduledJob[]
  readonly brushed: Span | undefined
  /** The span that the user drags over. */
  readonly drag: Span | undefined
  /** The moment that the page shows instead of the present. */
  readonly travelAt: number | undefined
}

const lanes = { requests: 'Requests', watches: 'Watches', changes: 'World changes', jobs: 'Due next' } as const
const laneKeys = Object.keys(lanes) as (keyof typeof lanes)[]
const laneHeight = 20
const axisHeight = 18

/** The names of the lanes stand at the left, on a narrow screen in a line above each lane. */
const labelWidth = 96
const narrowest = 600
const labelHeight = 14

function isNarrow(width: number): boolean {
  return width <= narrowest
}

/** Returns the height of a lane with its name, in px. */
function lanePitch(width: number): number {
  return isNarrow(width) ? laneHeight + labelHeight : laneHeight
}

/** Returns the height of the whole drawing, in px. */
export function timelineHeight(width: number): number {
  return laneKeys.length * lanePitch(width) + axisHeight
}

/** Draws the timeline into a canvas, in the colours of the page. */
export function drawTimeline(canvas: HTMLCanvasElement, data: TimelineData): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const width = canvas.clientWidth
  const ratio = devicePixelRatio
  const height = timelineHeight(width)
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const style = getComputedStyle(canvas)
  const drawing: Drawing = {
    context,
    width,
    colour: name => style.getPropertyValue(`--${name}`),
    x: time => ((time - data.scale.from) / (data.scale.to - data.scale.from)) * width,
  }
  context.font = `11px ${style.fontFamily}`
  drawSpan(drawing, data.brushed)
  drawSpan(drawing, data.drag)
  const { from } = data.scale
  const exchanges = newestFirst(data.exchanges, ({ time }) => Date.parse(time) >= from)
  const changes = newestFirst(data.changes, ({ at }) => at >= from)
  drawRequests(drawing, exchanges)
  drawWatches(drawing, { ...data, exchanges })
  drawChanges(drawing, changes)
  drawJobs(drawing, data)
  drawAxis(drawing, data)
}

interface Drawing {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  colour(name: string): string
  /** Returns the place of a time, in px from the left. */
  x(time: number): number
}

function drawSpan({ context, colour, x, width }: Drawing, span: Span | undefined): void {
  if (!span) return
  context.fillStyle = colour('brush')
  context.fillRect(x(span.from), 0, Math.max(1, x(span.to) - x(span.from)), laneKeys.length * lanePitch(width))
}

/** Returns the top of the marks of a lane. */
function laneTop(lane: keyof typeof lanes, width: number): number {
  return laneKeys.indexOf(lane) * lanePitch(width) + lanePitch(width) - laneHeight
}

/** Returns the items at the end of a list that are visible, the newest first. The list may be long. */
function newestFirst<Item>(items: readonly Item[], isVisible: (item: Item) => boolean): Item[] {
  return items.slice(items.findLastIndex(item => !isVisible(item)) + 1).reverse()
}

/** Draws a mark for each px that has a request, red if one of them has failed. */
function drawRequests({ context, colour, x, width }: Drawing, exchanges: readonly ShortenedEntry[]): void {
  const marks = new Map<number, 'good' | 'bad'>()
  for (const entry of exchanges) {
    const at = Math.round(x(Date.parse(entry.time)))
    if (at <= width && marks.get(at) !== 'bad') marks.set(at, statusKind(entry))
  }
  for (const [at, kind] of marks) {
    context.fillStyle = colour(kind)
    context.fillRect(at - 2, laneTop('requests', width) + 4, 4, 11)
  }
}

/** Draws a bar for each watch, from its request to its answer. */
function drawWatches({ context, colour, x, width }: Drawing, { exchanges, pending, scale }: TimelineData): void {
  context.fillStyle = colour('watch')
  const bar = (from: number, to: number) => {
    const start = Math.max(x(from), 0)
    context.fillRect(start, laneTop('watches', width) + 6, Math.max(3, x(to) - start), 8)
  }
  for (const { blocked_ms, since, time } of exchanges)
    if (blocked_ms > 0 && since !== undefined) bar(Date.parse(since), Date.parse(time))
  for (const { waits_for, since } of pending) if (waits_for === 'watch') bar(Date.parse(since), scale.now)
}

/** Draws a column for each px that has changes. Its height grows with their rows. */
function drawChanges({ context, colour, x, width }: Drawing, changes: readonly Change[]): void {
  const rows = new Map<number, number>()
  for (const change of changes) {
    const at = Math.round(x(change.at))
    rows.set(at, (rows.get(at) ?? 0) + change.rows)
  }
  context.fillStyle = colour('accent')
  for (const [at, count] of rows) {
    const height = Math.min(laneHeight - 6, 3 + Math.log2(1 + count) * 2)
    context.fillRect(at - 1, laneTop('changes', width) + laneHeight - 3 - height, 2, height)
  }
}

/** Draws a circle for each job, and the words of the first ones. */
function drawJobs({ context, colour, x, width }: Drawing, { jobs, scale }: TimelineData): void {
  const y = laneTop('jobs', width) + laneHeight / 2
  context.strokeStyle = colour('ink')
  context.lineWidth = 1
  const drawn = new Set<number>()
  for (const { at } of jobs) {
    const place = Math.round(x(Math.max(Date.parse(at), scale.now)))
    if (place > width || drawn.has(place)) continue
    drawn.add(place)
    context.beginPath()
    context.arc(place + 4, y, 3, 0, 2 * Math.PI)
    context.stroke()
  }
  const [next] = jobs
  if (!next || isNarrow(width)) return
  context.fillStyle = colour('muted')
  context.textAlign = 'right'
  const text = `+${duration(Math.max(0, Date.parse(next.at) - scale.now))} ${next.what}`
  context.fillText(text, x(scale.now) - 6, y + 4)
}

function drawAxis(drawing: Drawing, { scale, travelAt }: TimelineData): void {
  const { context, colour, x, width } = drawing
  context.textAlign = 'center'
  const pitch = lanePitch(width)
  const bottom = laneKeys.length * pitch
  context.strokeStyle = colour('line')
  for (let i = 1; i <= laneKeys.length; i++) {
    context.beginPath()
    context.moveTo(0, i * pitch - 1.5)
    context.lineTo(width, i * pitch - 1.5)
    context.stroke()
  }
  context.fillStyle = colour('muted')
  const marks = isNarrow(width) ? 3 : 6
  for (let i = 1; i < marks; i++) {
    const ms = ((scale.now - scale.from) / marks) * i
    context.fillText(`−${duration(ms)}`, x(scale.now - ms), bottom + 13)
  }
  drawNames(drawing)
  drawMoment(drawing, scale.now, travelAt === undefined ? 'ink' : 'muted', 'now')
  if (travelAt !== undefined) drawMoment(drawing, travelAt, 'accent', '')
}

function drawNames({ context, colour, width }: Drawing): void {
  context.textAlign = 'left'
  for (const lane of laneKeys) {
    const top = laneTop(lane, width)
    if (!isNarrow(width)) {
      // The marks go on behind the name.
      context.fillStyle = colour('card')
      context.globalAlpha = 0.8
      context.fillRect(0, top, labelWidth, laneHeight - 3)
      context.globalAlpha = 1
    }
    context.fillStyle = colour('muted')
    context.fillText(lanes[lane], 2, isNarrow(width) ? top - 3 : top + 13)
  }
}

function drawMoment({ context, colour, x, width }: Drawing, time: number, name: string, text: string): void {
  const at = x(time)
  const bottom = laneKeys.length * lanePitch(width)
  context.strokeStyle = colour(name)
  context.fillStyle = colour(name)
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(at, 0)
  context.lineTo(at, bottom + 3)
  context.stroke()
  context.beginPath()
  context.arc(at, 4, 4, 0, 2 * Math.PI)
  context.fill()
  context.textAlign = 'center'
  context.fillText(text, at, bottom + 14)
}
