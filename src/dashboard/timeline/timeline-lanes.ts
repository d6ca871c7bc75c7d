import type { FaultState } from '../../core/contract/faults.js'
import type { PendingRequest, ShortenedEntry } from '../../core/contract/journal.js'
import type { ScheduledJob } from '../../core/control/schedule.js'
import type { Warning } from '../../core/control/warnings/warning.js'
import { grouped } from '../../core/lib/messages.js'
import { isPlainRead } from '../../core/pipeline/outcome.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { duration } from '../ui/format.js'
import type { Change } from '../world/followed-world.js'
import { statusKind } from '../world/outcome.js'
import type { PlayerSpan } from '../world/player-spans.js'
import { type BarPart, barParts, type PlayerState, seatState } from '../world/player-state.js'
import { type TimelineScale, toPx } from './timeline-scale.js'

// What the lanes of the timeline show, and where: shapes in px from the left of the axis. The drawing knows only these.

/** A part of a lane with a length, and a text in it. */
interface Span {
  readonly left: number
  readonly right: number
  readonly tone: 'neutral' | 'good' | 'warn' | 'bad'
  readonly text: string
  /** It is still to come. */
  readonly isExpected?: true
}

/** The seat of a player. */
export interface PlayerBar {
  readonly row: number
  readonly state: PlayerState
  readonly parts: readonly BarPart[]
  readonly text: string
  /** Beside its end. Absent: nothing. */
  readonly note?: string
  readonly isChosen: boolean
}

interface RequestTick {
  readonly x: number
  /** `poll`: it only read, and succeeded. `warn`: it proves a warning. */
  readonly kind: 'poll' | 'good' | 'warn' | 'bad'
}

interface DueMark {
  readonly x: number
  /** Absent: there is no room. */
  readonly text?: string
}

/** The shapes of all lanes. */
export interface Lanes {
  readonly players: readonly PlayerBar[]
  /** The number of players in this time that have no room. */
  readonly morePlayers: number
  readonly requests: readonly RequestTick[]
  readonly waits: readonly Span[]
  /** The place of the chosen request. */
  readonly chosenRequest: number | undefined
  /** Columns, with the number of changed rows. */
  readonly changes: readonly { readonly x: number; readonly rows: number }[]
  /** The lanes below, which scroll: warnings, faults, one for each game server, and what is due. */
  readonly rest: readonly RestLane[]
}

interface RestLane {
  readonly name: string
  readonly spans: readonly Span[]
  readonly due?: readonly DueMark[]
}

/** So many of the lanes that scroll have room. */
export const restRows = 2

interface LanesData {
  /** `note`: what stands beside the end of the bar. */
  readonly players: readonly (PlayerSpan & { readonly note?: string })[]
  readonly chosenPlayer: string | undefined
  /** The oldest first. */
  readonly exchanges: readonly ShortenedEntry[]
  readonly chosenRequest: number | undefined
  readonly pending: readonly PendingRequest[]
  /** The oldest first. */
  readonly changes: readonly Change[]
  readonly faults: readonly FaultState[]
  readonly servers: readonly GameServerState[]
  readonly warnings: readonly Warning[]
  /** Names the lobby of a server. */
  nameOf(server: GameServerState): string
  nameOfRegion(id: string): string
  timeText(ms: number): string
  readonly jobs: readonly ScheduledJob[]
  /** Returns the width of a text in px. */
  widthOf(text: string): number
}

/** Finds the shapes of all lanes. */
export function layOutLanes(data: LanesData, scale: TimelineScale): Lanes {
  const { from } = scale
  const exchanges = newest(data.exchanges, ({ time }) => Date.parse(time) >= from)
  const chosen = exchanges.find(({ id }) => id === data.chosenRequest)
  return {
    ...playerBars(data, scale),
    requests: requestTicks(exchanges, data.warnings, scale),
    waits: waitSpans(data.pending, scale),
    chosenRequest: chosen && toPx(scale, Date.parse(chosen.time)),
    changes: changeColumns(
      newest(data.changes, ({ at }) => at >= from),
      scale,
    ),
    rest: restLanes(data, scale),
  }
}

/** Lists the lanes that scroll. Warnings have one if there are any, faults and due jobs also if there is room. */
function restLanes(data: LanesData, scale: TimelineScale): readonly RestLane[] {
  const warnings = { name: 'Warnings', spans: warningSpans(data, scale) }
  const faults = { name: 'Faults', spans: data.faults.flatMap(fault => faultSpans(fault, data, scale)) }
  // Those that have ended as they should come last.
  const hasEnded = ({ status }: GameServerState) => Number(status === 'ended' || status === 'stopped')
  const servers = data.servers
    .toSorted((one, other) => hasEnded(one) - hasEnded(other))
    .flatMap(server => serverLane(server, data, scale) ?? [])
  const due = { name: 'Due next', spans: [], due: dueMarks(data, scale) }
  const hasRoom = servers.length < restRows
  return [
    ...(data.warnings.length > 0 ? [warnings] : []),
    ...(faults.spans.length > 0 || servers.length === 0 ? [faults] : []),
    ...servers,
    ...(due.due.length > 0 || hasRoom ? [due] : []),
  ]
}

function newest<Item>(items: readonly Item[], isVisible: (item: Item) => boolean): readonly Item[] {
  return items.slice(items.findLastIndex(item => !isVisible(item)) + 1)
}

/** Two rows of players have room. */
const playerRows = 2
const barGap = 4

/** The space between the bar of a player and its note, in px. */
export const noteGap = 6

/** Gives each visible player a row, the newest first. */
function playerBars(
  { players, chosenPlayer, widthOf }: LanesData,
  scale: TimelineScale,
): Pick<Lanes, 'players' | 'morePlayers'> {
  const { now, from, to } = scale
  const visible = players
    .filter(({ reservedAt, endedAt }) => reservedAt <= to && (endedAt ?? now) >= from)
    .toSorted((one, other) => other.reservedAt - one.reservedAt)
  const bars: PlayerBar[] = []
  /** The left end of what each row has already. */
  const taken: number[] = Array.from({ length: playerRows }, () => Number.POSITIVE_INFINITY)
  for (const player of visible) {
    const parts = partsOf(player, scale)
    const { note } = player
    const right = Math.max(...parts.map(([, , end]) => end)) + (note === undefined ? 0 : noteGap + widthOf(note))
    const row = taken.findIndex(left => right + barGap <= left)
    if (row === -1) continue
    taken[row] = Math.min(...parts.map(([, start]) => start))
    bars.push({
      ...{ row, state: seatState(player), parts, text: player.text, isChosen: player.token === chosenPlayer },
      ...(note !== undefined && { note }),
    })
  }
  return { players: bars, morePlayers: visible.length - bars.length }
}

function partsOf(player: PlayerSpan, scale: TimelineScale): readonly BarPart[] {
  return barParts(player, scale.now).map(([kind, from, to]): BarPart => {
    const [left, right] = [toPx(scale, from), toPx(scale, to)]
    return [kind, left, kind === 'due' ? Math.min(right, scale.width) : Math.max(right, left + 3)]
  })
}

const tickRank = { poll: 0, good: 1, warn: 2, bad: 3 } as const

function requestTicks(
  exchanges: readonly ShortenedEntry[],
  warnings: readonly Warning[],
  scale: TimelineScale,
): RequestTick[] {
  const warned = new Set(warnings.flatMap(({ requests }) => requests))
  const ticks = new Map<number, RequestTick['kind']>()
  for (const entry of exchanges) {
    const x = Math.round(toPx(scale, Date.parse(entry.time)))
    const status = statusKind(entry)
    const kind = status !== 'bad' && warned.has(entry.id) ? 'warn' : isPlainRead(entry) ? 'poll' : status
    if (tickRank[kind] >= tickRank[ticks.get(x) ?? 'poll']) ticks.set(x, kind)
  }
  // The failed ones are drawn last, over the others.
  return [...ticks].map(([x, kind]) => ({ x, kind })).sort((one, other) => tickRank[one.kind] - tickRank[other.kind])
}

function waitSpans(pending: readonly PendingRequest[], scale: TimelineScale): Span[] {
  const right = toPx(scale, scale.now)
  return pending.map(({ since, waits_for }): Span => {
    const begin = Date.parse(since)
    const isHeld = waits_for === 'fault'
    const left = Math.max(0, Math.min(toPx(scale, begin), right - 3))
    return {
      left,
      right,
      tone: isHeld ? 'warn' : 'neutral',
      text: isHeld ? `held ${duration(Math.max(0, scale.now - begin))}` : '',
    }
  })
}

/** The width of a column of changes with the space beside it. */
const columnWidth = 5

function changeColumns(changes: readonly Change[], scale: TimelineScale): Lanes['changes'] {
  const rows = new Map<number, number>()
  for (const change of changes) {
    const column = Math.floor(toPx(scale, change.at) / columnWidth)
    rows.set(column, (rows.get(column) ?? 0) + Math.max(1, change.rows))
  }
  return [...rows].map(([column, count]) => ({ x: column * columnWidth, rows: count }))
}

/** Shows when a fault is on: from its begin to its end, or to now. A staged one begins right of now. */
function faultSpans(
  fault: FaultState,
  { nameOfRegion, timeText }: Pick<LanesData, 'nameOfRegion' | 'timeText'>,
  scale: TimelineScale,
): Span[] {
  const { begins_at, ends_at, operation, region } = fault
  // It waits for a number of requests.
  if (begins_at === undefined) return []
  const begin = Date.parse(begins_at)
  const end = ends_at === undefined ? Math.max(begin, scale.now) : Date.parse(ends_at)
  if (end < scale.from || begin > scale.to) return []
  const left = toPx(scale, begin)
  const span = { left: Math.max(0, left), right: Math.max(left + 4, toPx(scale, end)) }
  if (region === undefined)
    return [{ ...span, tone: 'warn', text: `${operation ?? 'every request'}: ${faultWords(fault)}` }]
  const now = Math.min(Math.max(span.left, toPx(scale, scale.now)), span.right)
  const down: Span = { ...span, right: now, tone: 'bad', text: `${nameOfRegion(region)} down` }
  const back = `back at ${timeText(end)}, in ${duration(Math.max(0, end - scale.now))}`
  return now < span.right ? [down, { ...span, left: now, tone: 'bad', text: back, isExpected: true }] : [down]
}

function faultWords({ effect: { delay, error, reset, empty, hold, truncate, index, date } }: FaultState): string {
  if (hold) return 'held'
  if (delay !== undefined) return 'delayed'
  if (error) return `${error.status ?? error.code ?? 'fails'}`
  if (reset) return 'drops'
  if (empty) return 'no answer'
  if (truncate) return 'half an answer'
  if (index) return `index ${index.offset}`
  return date === undefined ? 'wakes early' : `date ${date}`
}

/**
 * Shows when a server starts, is ready, and has crashed. What runs goes on right of now, and a crash is seen until now. `undefined`:
 * nothing of it is in this time.
 */
function serverLane(server: GameServerState, { nameOf }: LanesData, scale: TimelineScale): RestLane | undefined {
  const { status, started_at, ready_at, ended_at, pid } = server
  const [end, now] = [ended_at === undefined ? scale.to : Date.parse(ended_at), scale.now]
  const ready = ready_at === undefined ? Math.min(end, status === 'starting' ? now : end) : Date.parse(ready_at)
  const process = pid === undefined ? '' : `, process ${pid}`
  const spans = [
    spanBetween(Date.parse(started_at), ready, { tone: 'warn', text: 'starts' }, scale),
    spanBetween(ready, status === 'starting' ? ready : end, { tone: 'good', text: `ready${process}` }, scale),
    status === 'crashed' ? spanBetween(end, now, { tone: 'bad', text: 'crashed' }, scale) : undefined,
  ].filter(span => span !== undefined)
  return spans.length === 0 ? undefined : { name: nameOf(server), spans }
}

/** The space around the text of a warning, in px. */
const warningGap = 12

/** Shows from when to when each mistake happened. Its text has room after it. */
function warningSpans({ warnings, widthOf }: LanesData, scale: TimelineScale): Span[] {
  return warnings.flatMap(({ rule, count, first_at, last_at }) => {
    const text = count > 1 ? `${rule} ×${grouped(count)}` : rule
    const span = spanBetween(Date.parse(first_at), Date.parse(last_at) + 1, { tone: 'warn', text }, scale)
    return span ? [{ ...span, right: Math.max(span.right, span.left + widthOf(text) + warningGap) }] : []
  })
}

function spanBetween(
  from: number,
  to: number,
  { tone, text }: Pick<Span, 'tone' | 'text'>,
  scale: TimelineScale,
): Span | undefined {
  if (to <= from || to < scale.from || from > scale.to) return undefined
  const left = Math.max(0, toPx(scale, from))
  return { left, right: Math.min(scale.width, Math.max(left + 3, toPx(scale, to))), tone, text }
}

/** The space from a mark to its text, and after the text. */
const dueText = { before: 13, after: 12 }

/** Shows the next jobs right of now. The first ones have words, as far as there is room. */
function dueMarks({ jobs, widthOf }: LanesData, scale: TimelineScale): DueMark[] {
  const marks: DueMark[] = []
  let free = toPx(scale, scale.now)
  for (const { at, what } of jobs) {
    const time = Math.max(Date.parse(at), scale.now)
    const x = Math.round(toPx(scale, time))
    if (x > scale.width) break
    const previous = marks.at(-1)
    // Marks that would touch, or stand in a text, are left out.
    if (previous && (x - previous.x < dueText.after || x < free - dueText.after)) continue
    const text = `+${duration(time - scale.now)} ${what}`
    const width = dueText.before + widthOf(text)
    const hasRoom = x >= free && x + width <= scale.width
    if (hasRoom) free = x + width + dueText.after
    marks.push(hasRoom ? { x, text } : { x })
  }
  return marks
}
