import { hasFailed } from '../core/contract/errors.js'
import type { JournalEntry } from '../core/contract/journal.js'
import { isSeatOperation } from '../core/contract/operations.js'
import { defaultWorldId, isControlPath, pathInWorld, readinessPath } from '../core/contract/paths.js'
import type { NewWarning } from '../core/control/warnings/recorder.js'
import { writeJson } from '../core/lib/json.js'
import { counted, grouped, shortened } from '../core/lib/messages.js'
import { elapsedText, localTimeOfDay, timeOfDay } from '../core/lib/time.js'
import type { Mock } from '../core/mock/mock.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import { listedLobbies } from '../core/operations/lobbies.js'
import type { ExchangeRecord } from '../core/pipeline/log.js'
import type { World } from '../core/store/world.js'
import type { Console, CountedLine } from './output.js'

const maxMessage = 200 // characters

const maxName = 300 // characters of a path or an origin

const maxBody = 2_000 // characters

/** The requests of a mock since its start, without calls of the control API and successful visits of pages. */
export interface RequestCounts {
  requests: number
  failed: number
  /** True if someone has exported a world. */
  hasExport: boolean
}

/** Counts the requests of all worlds from now on. */
export function countRequests({ log }: Pick<Mock, 'log'>): RequestCounts {
  const counts: RequestCounts = { requests: 0, failed: 0, hasExport: false }
  log.subscribe(record => {
    const isFailure = hasFailed(record)
    if (record.operation === undefined) {
      const path = pathInWorld(record.path)
      if (isControlPath(path)) counts.hasExport ||= !isFailure && path.endsWith('/snapshot')
      if (isControlPath(path) || !isFailure) return
    }
    counts.requests += 1
    if (isFailure) counts.failed += 1
  })
  return counts
}

/** Writes the counts as the last line: `142 requests, 6 failed`. After failures it says how to keep a world next time. */
export function countsLine(
  { requests, failed, hasExport }: RequestCounts,
  {
    url,
    hasKeys,
    hasControl = true,
    isKept,
  }: {
    readonly url: string
    readonly hasKeys: boolean
    readonly hasControl?: boolean | undefined
    /** True if the worlds do not end with the process. */
    readonly isKept: boolean
  },
): string {
  const counts = [counted(requests, 'request', 'requests'), ...(failed > 0 ? [`${failed} failed`] : [])].join(', ')
  const ways = [
    ...(hasKeys ? ['press e'] : []),
    ...(hasControl ? [`run mockmaker export --url ${url} > world.yaml`] : []),
  ]
  if (failed === 0 || hasExport || isKept || ways.length === 0) return counts
  return `${counts}. To keep a world next time, ${ways.join(' or ')} before you stop the mock.`
}

/** Prints the newest failed request in the journal of the world `default`, with its body and its answer. */
export function printLastFailure(entries: readonly JournalEntry[], { print, style }: Pick<Console, 'print' | 'style'>) {
  const entry = entries.findLast(hasFailed)
  if (!entry) return print('  the journal has no failed request')
  const { id, time, method, path, query, status, ms, fault, body, answer } = entry
  const facts = [
    `request ${id}`,
    elapsedText(ms),
    `at ${timeOfDay(Date.parse(time))}`,
    ...(fault === undefined ? [] : [`fault ${fault}`]),
  ]
  const parts: readonly (readonly [label: string, value: unknown])[] = [
    ['query', Object.keys(query).length === 0 ? undefined : query],
    ['sent', body],
    ['answer', answer],
  ]
  print('')
  print(`  ${method}  ${shortened(path, maxName)}  ${style('red', String(status))}  ${style('dim', facts.join('  '))}`)
  for (const [label, value] of parts)
    if (value !== undefined)
      print(`  ${style('dim', label.padEnd('answer  '.length))}${shortened(writeJson(value), maxBody)}`)
  print('')
}

export function warningLine({ world, warning }: NewWarning, style: Console['style'] = (_, text) => text): string {
  const place = world === defaultWorldId ? '' : style('dim', ` [${world}]`)
  return `${style('yellow', 'warning')}  ${warning.rule}${place}: ${warning.sentence} ${warning.advice}`
}

/** Prints a line, or a JSON object, for each request of a mock. The same request again and again is one line with a count. */
export function logRequests(
  { log, warned, worlds }: Pick<Mock, 'log' | 'warned' | 'worlds'>,
  {
    format,
    failuresOnly,
    console,
  }: { readonly format: 'text' | 'json'; readonly failuresOnly?: boolean | undefined; readonly console: Console },
): void {
  const { print, printCounted, printJson, style } = console
  const printWarning = (one: NewWarning) => {
    const { world, warning } = one
    if (format === 'text') return print(warningLine(one, style))
    printJson({ event: 'warning', ...warning, world: world === defaultWorldId ? undefined : world })
  }
  if (!failuresOnly) worlds.follow(running => logOutages(running, { format, console }))
  // After the line of its request.
  warned.subscribe(one => queueMicrotask(() => printWarning(one)))
  log.subscribe(record => {
    if (failuresOnly && !hasFailed(record)) return
    if (record.status < 400 && isNoise(record)) return
    // The line is made when it is written, many in a row. Between two answers, each would take several times as long.
    if (format === 'json') printJson(() => requestObject(record))
    else {
      const endedAt = Date.now()
      printCounted(
        new RequestLine(record, count => {
          const world = record.world === undefined ? undefined : worlds.inMemory(record.world)?.world
          return requestLine(record, { endedAt, count, world, style })
        }),
      )
    }
  })
}

/** Prints a line when a region goes down, with the number of lobbies that it stopped. */
function logOutages(
  { id, world }: RunningWorld,
  { format, console: { print, printJson, style } }: { readonly format: 'text' | 'json'; readonly console: Console },
): void {
  world.subscribe(({ cause, changes }) => {
    if (cause.kind !== 'fault') return
    const { region } = world.faults.records.find(record => record.id === cause.fault)?.fault ?? {}
    if (region === undefined) return
    const stopped = changes.filter(({ table }) => table === 'lobbies').length
    const shownWorld = id === defaultWorldId ? undefined : id
    if (format === 'json')
      return printJson({ event: 'outage', region_id: region, stopped, fault: cause.fault, world: shownWorld })
    const place = shownWorld === undefined ? '' : style('dim', ` [${id}]`)
    const end = counted(stopped, 'lobby has', 'lobbies have')
    print(`${style('yellow', 'outage')}  ${region} is down${place}: ${end} stopped (fault ${cause.fault})`)
  })
}

class RequestLine implements CountedLine {
  constructor(
    readonly record: ExchangeRecord,
    readonly text: CountedLine['text'],
  ) {}

  repeats(earlier: CountedLine): boolean {
    return earlier instanceof RequestLine && isSame(this.record, earlier.record)
  }
}

/** Compares all facts of two requests, except those that differ each time. */
function isSame(one: ExchangeRecord, other: ExchangeRecord): boolean {
  let name: keyof ExchangeRecord
  for (name in one)
    if (name !== 'rayId' && name !== 'ms' && name !== 'caller' && one[name] !== other[name]) return false
  return one.caller?.kind === other.caller?.kind
}

function isNoise({ fromOwnPage, method, path }: ExchangeRecord): boolean {
  // A browser sends a preflight by itself. A container asks for readiness each few seconds.
  if (method === 'OPTIONS' || path === readinessPath) return true
  // The dashboard reads the world each second.
  return fromOwnPage && method === 'GET' && isControlPath(pathInWorld(path))
}

/** The least widths of the columns method, path and duration. Every method and nearly all paths fit. */
const widths = {
  method: 'DELETE'.length,
  path: '/matchmaker/players/disconnected'.length,
  duration: '5 min 2 s'.length,
}

/** Describes a request in one line. `endedAt` is in real ms since the epoch. `world` is undefined if it has been deleted. */
export function requestLine(
  record: ExchangeRecord,
  {
    endedAt,
    count,
    world,
    style,
  }: Pick<Console, 'style'> & {
    readonly endedAt: number
    readonly count: number
    readonly world: World | undefined
  },
): string {
  const { status, player, outcome, ms, blocked, authorizationIgnored, fault, faultEffect } = record
  const path = shortened(record.path, maxName)
  const refusedOrigin = record.refusedOrigin && shortened(record.refusedOrigin, maxName)
  const isDim = status < 400 && isControlPath(pathInWorld(path))
  const colour = status === 0 ? 'red' : status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const inWorld = record.world === undefined || record.world === defaultWorldId ? '' : ` [${record.world}]`
  const times = count === 1 ? '' : ` ×${grouped(count)}`
  const padding = ' '.repeat(Math.max(0, widths.path - path.length - inWorld.length - times.length))
  const styled: typeof style = (format, text) => (isDim || text === '' ? text : style(format, text))
  const columns = [
    styled('dim', localTimeOfDay(endedAt)),
    styled(colour, String(status).padStart('200'.length)),
    record.method.padEnd(widths.method),
    `${path}${styled('dim', inWorld)}${styled('bold', times)}${padding}`,
    styled('dim', elapsedText(ms).padStart(widths.duration)),
  ]
  const line = columns.join('  ')
  const notes = [
    blocked && 'blocked',
    [player, outcome && `→ ${outcome}`].filter(Boolean).join(' '),
    failureNote(record),
    fault && `fault ${fault}: ${faultEffect}`,
    cannedNote(record, world),
    authorizationIgnored && 'Authorization is not "Bearer <token>", so it was ignored',
    refusedOrigin && `pages of ${refusedOrigin} cannot read this: allow them with --cors-origin ${refusedOrigin}`,
  ]
  return notes.reduce<string>((text, note) => (note ? `${text}  ${note}` : text), isDim ? style('dim', line) : line)
}

/** Describes a request as an object for `--json`. It has a `world` unless that is `default`. */
export function requestObject({ caller, world, fromOwnPage: _fromOwnPage, ...record }: ExchangeRecord): object {
  return {
    event: 'exchange',
    ...record,
    world: world === defaultWorldId ? undefined : world,
    caller: caller?.kind,
    ms: Math.round(record.ms * 1000) / 1000,
  }
}

/** The error code if there is one, and the first line of the message: the control API may list several problems. */
function failureNote({ code, message }: ExchangeRecord): string | undefined {
  const shownCode = code && shortened(code, maxMessage)
  if (message === undefined) return shownCode
  const [first = '', ...others] = message.split('\n')
  const shown = `${shortened(first, maxMessage)}${others.length > 0 ? ' …' : ''}`
  return shownCode === undefined ? shown : `${shownCode}: ${shown}`
}

function cannedNote({ operation, caller, status }: ExchangeRecord, world: World | undefined): string | undefined {
  if (caller?.kind !== 'development' || status !== 200) return undefined
  if (isSeatOperation(operation)) return 'canned seat: a public token gets one in a lobby of the world'
  if (operation !== 'lobbies.list') return undefined
  if (!world) return 'canned list'
  return `canned list: a public token sees ${listedLobbies(caller.namespaceId, world).length}`
}
