import { duration } from '../ui/format.js'

// The one time axis: which time it shows, and where a time stands on it.

/** The time that the timeline shows, in ms since the epoch, and its width in px. */
export interface TimelineScale {
  readonly from: number
  readonly now: number
  readonly to: number
  readonly width: number
}

/** The spans of the past that the timeline can show, in ms of the world's clock. The last one is all that is kept. */
export const zooms = [15_000, 60_000, 600_000, Number.POSITIVE_INFINITY] as const
export type Zoom = (typeof zooms)[number]

export const zoomNames = ['Last 15 s', 'Last 1 min', 'Last 10 min', 'All'] as const

/** The share of the width that shows the past. The rest shows what is due next. */
const pastShare = 2 / 3
const endShare = 0.9

/** The shortest past that the timeline shows, in ms. */
const shortest = 5_000

interface ScaleOptions {
  /** Nothing is to come: the past has almost the whole width. */
  readonly isEnd?: boolean
  readonly now: number
  /** The time of the oldest revision. */
  readonly oldest: number
  readonly zoom: Zoom
  readonly width: number
}

/** Returns the scale of a zoom. `now` stands at two thirds, or near the right edge. */
export function scaleOf({ now, oldest, zoom, width, isEnd = false }: ScaleOptions): TimelineScale {
  const span = Math.max(shortest, zoom === Number.POSITIVE_INFINITY ? now - oldest : zoom)
  const share = isEnd ? endShare : pastShare
  return { from: now - span, now, to: now + (span / share) * (1 - share), width }
}

/** Returns the zoom that the timeline begins with. A faster clock needs a longer span. */
export function firstZoom(rate: number): Zoom {
  return zooms.find(span => span >= 60_000 * Math.max(1, rate)) ?? Number.POSITIVE_INFINITY
}

/** Returns the first zoom, from a chosen one on, that shows a moment. */
export function zoomFor(chosen: Zoom, age: number): Zoom {
  return zooms.find(span => span >= chosen && span >= age) ?? Number.POSITIVE_INFINITY
}

/** Returns the next zoom: a longer span, or a shorter one. */
export function nextZoom(zoom: Zoom, direction: 'out' | 'in'): Zoom {
  const index = zooms.indexOf(zoom) + (direction === 'out' ? 1 : -1)
  return zooms[Math.min(zooms.length - 1, Math.max(0, index))] ?? zoom
}

/** Returns the place of a time, in px from the left. */
export function toPx({ from, to, width }: TimelineScale, time: number): number {
  return ((time - from) / (to - from)) * width
}

/** Returns the time at a place. */
export function toTime({ from, to, width }: TimelineScale, px: number): number {
  return from + (px / Math.max(1, width)) * (to - from)
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000]
const steps = [
  ...[1, 2, 5, 10, 30].map(one => one * second),
  ...[1, 2, 5, 10, 30].map(one => one * minute),
  ...[1, 2, 6, 12].map(one => one * hour),
  ...[1, 2, 7, 30, 90, 365].map(one => one * day),
]

/** The least space between two ticks, in px. */
const tickSpace = 88

interface Tick {
  readonly x: number
  /** The time from now: `−50 s`, `+10 s`. */
  readonly text: string
}

/** Lists the ticks of the axis, as times from now. */
export function ticksOf(scale: TimelineScale): readonly Tick[] {
  const { from, to, now, width } = scale
  const perPx = (to - from) / Math.max(1, width)
  const step = steps.find(one => one / perPx >= tickSpace) ?? Math.ceil((tickSpace * perPx) / (365 * day)) * 365 * day
  const [first, last] = [Math.ceil((from - now) / step), Math.floor((to - now) / step)]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i).flatMap(count =>
    count === 0
      ? []
      : [{ x: toPx(scale, now + count * step), text: `${count < 0 ? '−' : '+'}${duration(count * step)}` }],
  )
}
