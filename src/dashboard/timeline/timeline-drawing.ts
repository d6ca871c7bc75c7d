import { smallFont } from '../ui/screen.js'
import type { Span } from '../world/page-state.js'
import { playerStates } from '../world/player-state.js'
import { type Lanes, noteGap, type PlayerBar } from './timeline-lanes.js'
import { type TimelineScale, ticksOf, toPx } from './timeline-scale.js'

// Draws the shapes of the lanes into a canvas, in the colours of the page.

/** The lanes from top to bottom, with their heights in px. The first one is the axis. */
const laneHeights = { axis: 28, players: 44, requests: 26, changes: 26, rest: 26, last: 26 } as const

const timelineHeight = 176

type LaneName = keyof typeof laneHeights

/** The top of each lane. */
const tops = Object.fromEntries(
  (Object.keys(laneHeights) as LaneName[]).map((name, i, all) => [
    name,
    all.slice(0, i).reduce((sum, one) => sum + laneHeights[one], 0),
  ]),
) as { readonly [Name in LaneName]: number }

interface TimelinePicture {
  readonly lanes: Lanes
  readonly scale: TimelineScale
  /** The span that the user has chosen, or drags over. */
  readonly span: Span | undefined
}

interface Pen {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  colour(name: string): string
}

/** Draws the timeline. */
export function drawTimeline(canvas: HTMLCanvasElement, { lanes, scale, span }: TimelinePicture): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { width } = scale
  const ratio = devicePixelRatio
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(timelineHeight * ratio)]
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, timelineHeight)
  context.font = smallFont()
  const style = getComputedStyle(canvas)
  const pen: Pen = { context, width, colour: name => style.getPropertyValue(`--${name}`) }
  drawGround(pen, scale)
  if (span) {
    context.fillStyle = pen.colour('accent-tint')
    context.fillRect(
      toPx(scale, span.from),
      tops.players,
      Math.max(1, toPx(scale, span.to) - toPx(scale, span.from)),
      timelineHeight,
    )
  }
  drawTicks(pen, scale)
  for (const bar of lanes.players) drawPlayer(pen, bar)
  drawRequests(pen, lanes)
  drawChanges(pen, lanes)
  for (const [i, { spans, due = [] }] of lanes.rest.entries()) {
    const top = tops.rest + i * laneHeights.rest
    drawSpans(pen, spans, { top: top + 4, height: 18 })
    drawDue(pen, due, top)
  }
}

/** Draws the future, and the lines between the lanes. */
function drawGround({ context, width, colour }: Pen, scale: TimelineScale): void {
  context.fillStyle = colour('paper')
  context.fillRect(toPx(scale, scale.now), 0, width, timelineHeight)
  context.fillStyle = colour('line')
  for (const name of Object.keys(tops) as LaneName[]) if (name !== 'axis') context.fillRect(0, tops[name], width, 1)
}

/** A tick that is nearer to `now`, or to the right edge, has no text. In px. */
const nearNow = 72
const nearEdge = 20

function drawTicks({ context, width, colour }: Pen, scale: TimelineScale): void {
  const now = toPx(scale, scale.now)
  context.textAlign = 'center'
  for (const { x, text } of ticksOf(scale)) {
    context.fillStyle = colour('line')
    context.fillRect(Math.round(x), tops.players, 1, timelineHeight)
    if (Math.abs(x - now) < nearNow || x < nearEdge || x > width - nearEdge) continue
    context.fillStyle = colour('muted')
    context.fillText(text, x, 19)
  }
  context.textAlign = 'left'
}

const barHeight = 16

function drawPlayer(pen: Pen, { row, state, parts, text, note = '', isChosen }: PlayerBar): void {
  const { context, width, colour } = pen
  const top = tops.players + 5 + row * 20
  const [fill, mark, ink] = playerStates[state].colours
  for (const [i, [kind, left, right]] of parts.entries()) {
    const [begin, end] = [i === 0 ? 4 : 0, i === parts.length - 1 ? 4 : 0]
    const corners = [begin, end, end, begin]
    context.lineWidth = 1
    context.strokeStyle = colour(kind === 'due' ? 'seat' : mark)
    context.fillStyle = colour(kind === 'way' ? 'track' : fill)
    context.setLineDash(kind === 'due' ? [3, 2] : [])
    if (kind === 'way') {
      box(context, [left, top, right - left, barHeight], corners)
      context.fill()
      drawHatch(pen, { left, right, top })
      continue
    }
    box(context, [left + 0.5, top + 0.5, right - left - 1, barHeight - 1], corners)
    if (kind !== 'due') context.fill()
    context.stroke()
  }
  context.setLineDash([])
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return
  // The name of who is on the way is right of the hatch, and goes on over the future.
  const [, left, right] = parts.find(([kind]) => kind === state) ?? first
  const begin = Math.max(0, state === 'way' ? right : left)
  const end = state === 'way' ? width : Math.min(width, last[2])
  context.fillStyle = colour(ink)
  textIn(context, text, { left: begin + 6, right: end - 4, baseline: top + 12 })
  context.fillStyle = colour('bad')
  context.fillText(note, last[2] + noteGap, top + 12)
  if (!isChosen) return
  context.strokeStyle = colour('accent')
  context.lineWidth = 2
  box(context, [first[1], top, last[2] - first[1], barHeight], [4, 4, 4, 4])
  context.stroke()
}

/** The stripes of a seat whose player is on the way. */
function drawHatch({ context, width, colour }: Pen, at: { left: number; right: number; top: number }): void {
  const [left, right] = [Math.max(0, at.left), Math.min(width, at.right)]
  context.save()
  context.beginPath()
  context.rect(left, at.top, right - left, barHeight)
  context.clip()
  context.strokeStyle = colour('seat')
  context.lineWidth = 2
  context.beginPath()
  for (let x = left - barHeight; x < right; x += 8.5) {
    context.moveTo(x, at.top + barHeight)
    context.lineTo(x + barHeight, at.top)
  }
  context.stroke()
  context.restore()
}

function box(context: CanvasRenderingContext2D, rect: [number, number, number, number], corners: number[]): void {
  context.beginPath()
  context.roundRect(...rect, corners)
}

/** Writes as much of a text as has room, if at least a few letters have. */
function textIn(
  context: CanvasRenderingContext2D,
  text: string,
  { left, right, baseline }: { readonly left: number; readonly right: number; readonly baseline: number },
): void {
  if (text === '' || right - left < 24) return
  context.save()
  context.beginPath()
  context.rect(left, baseline - 14, right - left, 20)
  context.clip()
  context.fillText(text, left, baseline)
  context.restore()
}

function drawRequests(pen: Pen, { requests, waits, chosenRequest }: Lanes): void {
  const { context, colour } = pen
  const top = tops.requests + 6
  // Watches are thin.
  for (const { left, right, tone } of waits)
    if (tone === 'neutral') {
      context.fillStyle = colour('track')
      context.fillRect(left, top + 5, right - left, 4)
    }
  for (const { x, kind } of requests) {
    context.fillStyle = colour(kind === 'poll' ? 'seat-soft' : `${kind}-mark`)
    const width = kind === 'poll' ? 2 : 4
    context.fillRect(x - width / 2, top, width, 14)
  }
  drawSpans(
    pen,
    waits.filter(({ tone }) => tone !== 'neutral'),
    { top: tops.requests + 4, height: 18 },
  )
  if (chosenRequest === undefined) return
  context.strokeStyle = colour('accent')
  context.lineWidth = 2
  box(context, [chosenRequest - 4, top - 2, 8, 18], [3, 3, 3, 3])
  context.stroke()
}

function drawChanges({ context, colour }: Pen, { changes }: Lanes): void {
  context.fillStyle = colour('seat-soft')
  const bottom = tops.changes + laneHeights.changes
  for (const { x, rows } of changes) {
    const height = Math.min(laneHeights.changes - 4, 2 + Math.log2(rows) * 3)
    context.fillRect(x, bottom - height, 4, height)
  }
}

const toneColours = {
  neutral: ['track', 'muted'],
  good: ['good-tint', 'good'],
  warn: ['warn-tint', 'warn'],
  bad: ['bad-tint', 'bad'],
} as const

function drawSpans(
  { context, width, colour }: Pen,
  spans: Lanes['waits'],
  { top, height }: { readonly top: number; readonly height: number },
): void {
  for (const { left, right, tone, isExpected } of spans) {
    const [tint, ink] = toneColours[tone]
    context.fillStyle = colour(tint)
    context.strokeStyle = colour(ink)
    context.setLineDash([3, 2])
    box(context, [left, top, Math.min(width, right) - left, height], [4, 4, 4, 4])
    if (isExpected) context.stroke()
    else context.fill()
    context.setLineDash([])
  }
  // The later spans cover what is between these places. Each text is written beside it.
  let [from, to] = [width, 0]
  for (const { left, right, tone, text } of spans.toReversed()) {
    const isBefore = left < from
    context.fillStyle = colour(toneColours[tone][1])
    textIn(context, text, {
      left: (isBefore ? left : Math.max(left, to)) + 6,
      right: Math.min(isBefore ? from : width, right) - 4,
      baseline: top + 13,
    })
    from = Math.min(from, left)
    to = Math.max(to, right)
  }
}

function drawDue({ context, colour }: Pen, due: NonNullable<Lanes['rest'][number]['due']>, top: number): void {
  const middle = top + 13
  context.lineWidth = 1.5
  for (const { x, text } of due) {
    context.strokeStyle = colour('seat')
    context.beginPath()
    context.arc(x, middle, 3.5, 0, 2 * Math.PI)
    context.stroke()
    context.fillStyle = colour('muted')
    if (text !== undefined) context.fillText(text, x + 9, middle + 4)
  }
}
