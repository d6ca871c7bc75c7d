import { clientClosedRequest, hasFailed } from '../core/contract/errors.js'
import type { FaultState } from '../core/contract/faults.js'
import type { JournalEntry, PendingRequest } from '../core/contract/journal.js'
import type { Warning } from '../core/control/warnings/warning.js'
import { after } from '../core/lib/after.js'
import { writeJson } from '../core/lib/json.js'
import { escapedLine, shortened } from '../core/lib/messages.js'
import { elapsedText } from '../core/lib/time.js'
import { describeFault } from '../core/pipeline/unused-faults.js'
import { evidenceLines, type PendingWait, waitTexts, wantedText } from '../core/pipeline/wait-report.js'
import type { ScenarioInput } from '../core/scenario/schema.js'
import { presentLoss, type TestedClient, type TestedMock } from './tested-mock.js'

/** A world for a failed test, with its faults and its journal. */
export interface FailedWorld {
  readonly world: ScenarioInput
  /** The newest failed request, or the newest one if none has failed. Absent without requests. */
  readonly request: JournalEntry | undefined
  /** `before`: the world right before the request, so a server of it answers the request as the mock did. */
  readonly moment: 'before' | 'now'
}

export interface ReportOptions {
  /** The result of `failedWorld`, and the name of its file. The report then says how to serve it. Default: no file. */
  readonly saved?: { readonly file: string; readonly failed: FailedWorld } | undefined
  /** The text for a mock without requests. Default: `No request has reached the mock.` */
  readonly noRequest?: string | undefined
  /** Describes the requests that reached others meanwhile. Default: there were none. */
  readonly strays?: string | undefined
}

export interface SummaryOptions extends Pick<ReportOptions, 'noRequest'> {
  /** In characters. */
  readonly longest: number
}

const mostRequests = 20

const longestBody = 400 // characters

/**
 * Describes the requests of a mock for a failed test: the calls that still wait for requests, the warnings, a line for each request
 * with its status and its time, the bodies, the faults that applied, and the requests that are still blocked. Returns a promise for a
 * client.
 */
export function reportRequests(mock: TestedMock, options?: ReportOptions): string
export function reportRequests(client: TestedClient, options?: ReportOptions): Promise<string>
export function reportRequests(mock: TestedMock | TestedClient, options?: ReportOptions): string | Promise<string>
export function reportRequests(mock: TestedMock | TestedClient, options: ReportOptions = {}): string | Promise<string> {
  return after(readMock(mock), reported => writeReport(reported, options))
}

function readMock(mock: TestedMock | TestedClient): Reported | Promise<Reported> {
  const { journal, faults, warnings } = mock
  const requests = [journal.find(), journal.pending(), journal.waits()] as const
  const parts = [...requests, faults.list(), warnings.list(), presentLoss(mock)] as const
  type Parts = [JournalEntry[], PendingRequest[], PendingWait[], FaultState[], Warning[], string | undefined]
  const isAtOnce = (all: readonly unknown[]): all is Parts => !all.some(part => part instanceof Promise)
  const all = isAtOnce(parts) ? parts : Promise.all(parts)
  return after(all, ([entries, pending, waits, faults, warned, loss]) => ({
    entries,
    pending,
    waits,
    faults,
    warnings: warned,
    loss,
  }))
}

/**
 * Describes the newest requests of a mock in at most `longest` characters, for output that cuts long texts. Prefers the calls that
 * still wait for requests, then the newest failed request, then blocked ones.
 */
export async function summarizeRequests(mock: TestedMock | TestedClient, options: SummaryOptions): Promise<string> {
  return writeSummary(await readMock(mock), options)
}

/**
 * Returns the world as it was right before the newest failed request, or before the newest request if none has failed. It is
 * the present world without requests, or if the history no longer has that moment.
 */
export async function failedWorld(mock: TestedMock | TestedClient): Promise<FailedWorld> {
  const request = newestFailed(await mock.journal.find())
  const take = (before?: number) => mock.snapshot({ with: ['faults', 'journal'], before })
  try {
    if (request) return { world: await take(request.id), request, moment: 'before' }
  } catch {
    // The history no longer has it.
  }
  return { world: await take(), request, moment: 'now' }
}

function newestFailed(entries: readonly JournalEntry[]): JournalEntry | undefined {
  return entries.findLast(hasFailed) ?? entries.at(-1)
}

const noneReached = 'No request has reached the mock.'

interface Reported {
  readonly entries: readonly JournalEntry[]
  readonly pending: readonly PendingRequest[]
  readonly waits: readonly PendingWait[]
  readonly faults: readonly FaultState[]
  readonly warnings: readonly Warning[]
  /** Why earlier requests of the test are missing. */
  readonly loss: string | undefined
}

function writeReport(
  { entries, pending, waits, faults, warnings, loss }: Reported,
  { saved, noRequest = noneReached, strays }: ReportOptions,
): string {
  const shown = entries.slice(-mostRequests)
  const earlier = entries.length - shown.length
  const lines = [
    ...(waits.length === 0 ? [] : ['These calls of the test still wait:']),
    ...waits.flatMap(waitLines),
    ...(loss === undefined ? [] : [`${loss.charAt(0).toUpperCase()}${loss.slice(1)}.`]),
    ...(warnings.length === 0 ? [] : ['The mock warns:']),
    ...warningLines(warnings),
    ...(entries.length === 0 && pending.length === 0 && loss === undefined ? [noRequest] : []),
    ...(entries.length === 0 ? [] : ['The requests to the mock, the oldest first:']),
    ...(earlier === 0 ? [] : [`  … ${earlier} earlier ${earlier === 1 ? 'request' : 'requests'}`]),
    ...shown.flatMap(entry => entryLines(entry, faults)),
    ...(pending.length === 0 ? [] : ['These requests still wait for their answers:']),
    ...pending.flatMap(request => pendingLines(request, faults)),
    ...(strays === undefined ? [] : [strays]),
    ...(saved ? [worldLine(saved)] : []),
  ]
  return lines.join('\n')
}

/** Writes a line for each warning, with its advice. */
export function warningLines(warnings: readonly Warning[]): string[] {
  return warnings.map(({ rule, count, sentence, advice }) =>
    escapedLine(`  ${rule}${count === 1 ? '' : `, ${count} times`}: ${sentence} ${advice}`),
  )
}

const mostWarnings = 3

const longestLine = 90 // characters

function writeSummary(
  { entries, pending, waits, warnings, loss }: Reported,
  { longest, noRequest = noneReached }: SummaryOptions,
): string {
  const calls = [
    ...waits.map(wait => shortened(escapedLine(`${wait.call} still waits for ${wantedText(wait)}`), longestLine)),
    ...(loss === undefined ? [] : ['The mock was restarted, or the world was deleted, during this test']),
    ...warnings.slice(0, mostWarnings).map(({ sentence }) => escapedLine(`Warning: ${sentence}`)),
  ]
  const requests = [...entries.map(summaryOf), ...pending.map(request => `${lineStart(request)} still waits`)]
  const lines = [...calls, ...(requests.length === 0 && loss === undefined ? [noRequest] : requests)]
  const failed = newestFailed(entries)
  // The most important one first.
  const ranked = [...calls.keys(), ...[...lines.keys()].slice(calls.length).reverse()]
  if (failed) ranked.splice(calls.length, 0, calls.length + entries.indexOf(failed))
  const others = (count: number) => `… ${count} more ${count === 1 ? 'request' : 'requests'}`
  const shown = new Set<number>()
  let free = longest - others(lines.length).length
  for (const i of ranked) {
    free -= shown.has(i) ? 0 : (lines[i] ?? '').length + 1
    if (free < 0) break
    shown.add(i)
  }
  const left = lines.length - shown.size
  return [...(left > 0 ? [others(left)] : []), ...lines.filter((_, i) => shown.has(i))].join('\n')
}

function waitLines(wait: PendingWait): string[] {
  return [
    escapedLine(`  ${wait.call} waits for ${wantedText(wait)}`),
    ...evidenceLines(wait).map(line => escapedLine(`    ${line}`)),
  ]
}

function summaryOf(entry: JournalEntry): string {
  const because = entry.fault === undefined ? '' : ', by a fault'
  return `${lineStart(entry)} → ${statusText(entry)} (${elapsedText(entry.ms)})${because}`
}

function lineStart(request: Pick<PendingRequest, 'method' | 'path' | 'query'>): string {
  return shortened(targetOf(request), longestLine)
}

function entryLines(entry: JournalEntry, faults: readonly FaultState[]): string[] {
  const { ms, fault, body, answer } = entry
  const because = fault === undefined ? '' : `, by ${nameFault(fault, faults)}`
  return [
    `  ${targetOf(entry)} → ${statusText(entry)} (${elapsedText(ms)})${because}`,
    ...bodyLines('request', body),
    ...bodyLines('answer', answer),
  ]
}

function pendingLines(request: PendingRequest, faults: readonly FaultState[]): string[] {
  const { waits_for: reason, fault, body, since } = request
  const cause = reason === 'fault' && fault !== undefined ? ` ${nameFault(fault, faults)}` : ''
  return [`  ${targetOf(request)} ${waitTexts[reason]}${cause}, since ${since}`, ...bodyLines('request', body)]
}

function worldLine({ file, failed: { request, moment } }: NonNullable<ReportOptions['saved']>): string {
  const before = request && `before ${targetOf(request)} → ${statusText(request)}`
  const now = `as it is now${before ? `: its history no longer has the moment ${before}` : ''}`
  return `${file} has the world ${moment === 'before' ? `as it was ${before}` : now}. To look at it, run: npx mockmaker show ${file}. To serve it, run: npx mockmaker ${file}`
}

export function capsuleLine(file: string): string {
  return `${file} has the world with its past. Open it in a browser, or serve it: npx mockmaker ${file}`
}

function statusText({ status }: JournalEntry): string {
  if (status === clientClosedRequest) return 'no answer, because the client disconnected'
  return status === 0 ? 'no answer' : String(status)
}

function targetOf({ method, path, query }: Pick<PendingRequest, 'method' | 'path' | 'query'>): string {
  const fields = Object.entries(query).flatMap(([name, values]) => [values].flat().map(value => `${name}=${value}`))
  return escapedLine(`${method} ${path}${fields.length === 0 ? '' : `?${fields.join('&')}`}`)
}

function bodyLines(name: 'request' | 'answer', body: unknown): string[] {
  if (body === undefined) return []
  return [`    ${name}: ${escapedLine(shortened(typeof body === 'string' ? body : writeJson(body), longestBody))}`]
}

function nameFault(id: string, faults: readonly FaultState[]): string {
  const fault = faults.find(known => known.id === id)
  return fault ? describeFault(fault) : `fault ${id}`
}
