import type { FaultState } from '../../core/contract/faults.js'
import type { PendingRequest, ShortenedEntry } from '../../core/contract/journal.js'
import type { ScheduledJob } from '../../core/control/schedule.js'
import { isPlainRead } from '../../core/pipeline/outcome.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { duration } from '../ui/format.js'
import type { Change } from '../world/followed-world.js'
import { statusKind } from '../world/outcome.js'
import type { PlayerSpan } from '../world/player-spans.js'
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

/** The seat of a player: reserved, then connected, then expected. */
export interface PlayerBar {
  readonly row: number
  /** The parts that exist: from, and to. */
  readonly reserved?: readonly [left: number, right: number]
  readonly connected?: readonly [left: number, right: number]
  readonly expected?: readonly [left: number, right: number]
  readonly text: string
  readonly isChosen: boolean
}

interface RequestTick {
  readonly x: number
  /** `poll`: it only read, and succeeded. */
  readonly kind: 'poll' | 'good' | 'bad'
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
  readonly faultsAndServers: readonly Span[]
  readonly due: readonly DueMark[]
}

interface LanesData {
  readonly players: readonly PlayerSpan[]
  readonly chosenPlayer: string | undefined
  /** The oldest first. */
  readonly exchanges: readonly ShortenedEntry[]
  readonly chosenRequest: number | undefined
  readonly pending: readonly PendingRequest[]
  /** The oldest first. */
  readonly changes: readonly Change[]
  readonly faults: readonly FaultState[]
  readonly servers: readonly GameServerState[]
  /** Names the lobby of a server. */
  nameOf(server: GameServerState): string
  nameOfRegion(id: string): string
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
    requests: requestTicks(exchanges, scale),
    waits: waitSpans(data.pending, scale),
    chosenRequest: chosen && toPx(scale, Date.parse(chosen.time)),
    changes: changeColumns(
      newest(data.changes, ({ at }) => at >= from),
      scale,
    ),
    faultsAndServers: [...data.faults.flatMap(fault => faultSpans(fault, data, scale)), ...serverSpans(data, scale)],
    due: dueMarks(data, scale),
  }
}

function newest<Item>(items: readonly Item[], isVisible: (item: Item) => boolean): readonly Item[] {
  return items.slice(items.findLastIndex(item => !isVisible(item)) + 1)
}

/** Two rows of players have room. */
const playerRows = 2
const barGap = 4

/** Gives each visible player a row, the newest first. */
function playerBars(
  { players, chosenPlayer }: LanesData,
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
    const right = Math.max(...Object.values(parts).map(([, end]) => end))
    const row = taken.findIndex(left => right + barGap <= left)
    if (row === -1) continue
    taken[row] = Math.min(...Object.values(parts).map(([start]) => start))
    bars.push({ row, ...parts, text: player.text, isChosen: player.token === chosenPlayer })
  }
  return { players: bars, morePlayers: visible.length - bars.length }
}

function partsOf(player: PlayerSpan, scale: TimelineScale): Pick<PlayerBar, 'reserved' | 'connected' | 'expected'> {
  const { reservedAt, connectedAt, endedAt, nextAt } = player
  const x = (time: number) => toPx(scale, time)
  const end = endedAt ?? scale.now
  return {
    reserved: [x(reservedAt), Math.max(x(connectedAt ?? end), x(reservedAt) + 3)],
    ...(connectedAt !== undefined && { connected: [x(connectedAt), Math.max(x(end), x(connectedAt) + 3)] as const }),
    ...(endedAt === undefined &&
      nextAt !== undefined &&
      nextAt > end && { expected: [x(end), Math.min(x(nextAt), scale.width)] as const }),
  }
}

const tickRank = { poll: 0, good: 1, bad: 2 } as const

function requestTicks(exchanges: readonly ShortenedEntry[], scale: TimelineScale): RequestTick[] {
  const ticks = new Map<number, RequestTick['kind']>()
  for (const entry of exchanges) {
    const x = Math.round(toPx(scale, Date.parse(entry.time)))
    const kind = isPlainRead(entry) ? 'poll' : statusKind(entry)
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
  { nameOfRegion }: Pick<LanesData, 'nameOfRegion'>,
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
  const back = `back in ${duration(Math.max(0, end - scale.now))}`
  return now < span.right ? [down, { ...span, left: now, tone: 'bad', text: back, isExpected: true }] : [down]
}

function faultWords({ effect: { delay, error, reset, empty, hold } }: FaultState): string {
  if (hold) return 'held'
  if (delay !== undefined) return 'delayed'
  if (error) return `${error.status ?? error.code ?? 'fails'}`
  if (reset) return 'drops'
  return empty ? 'no answer' : 'wakes early'
}

/** The tones of servers, the most important one last. */
const serverTones: readonly Span['tone'][] = ['good', 'warn', 'bad']

/** Shows when a server starts, is ready, and has crashed. What runs goes on right of now, and a crash is seen until now. */
function serverSpans({ servers, nameOf }: LanesData, scale: TimelineScale): Span[] {
  const spans = servers.flatMap(server => {
    const { status, started_at, ready_at, ended_at } = server
    const name = nameOf(server)
    const [end, now] = [ended_at === undefined ? scale.to : Date.parse(ended_at), scale.now]
    const ready = ready_at === undefined ? Math.min(end, status === 'starting' ? now : end) : Date.parse(ready_at)
    const spans = [
      spanBetween(Date.parse(started_at), ready, { tone: 'warn', text: `starts: ${name}` }, scale),
      spanBetween(ready, status === 'starting' ? ready : end, { tone: 'good', text: `server: ${name}` }, scale),
    ]
    if (status === 'crashed') spans.push(spanBetween(end, now, { tone: 'bad', text: 'crashed' }, scale))
    return spans.filter(span => span !== undefined)
  })
  // What is drawn later covers what is there.
  return spans.sort((one, other) => serverTones.indexOf(one.tone) - serverTones.indexOf(other.tone))
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
