import { counted, nearest, quoted, UsageError } from '../core/lib/messages.js'
import type { Sureness } from '../server/har/compare.js'
import { type Comparison, compareRecording, type RequestDrift } from '../server/har/replay.js'
import { readBaseline } from './checks.js'
import type { FlagsOf } from './flags.js'
import { loadHar } from './import.js'
import type { Console } from './output.js'

const order: readonly Sureness[] = ['certain', 'likely', 'possible']

interface Allowed {
  readonly text: string
  readonly line: number
}

/** Compares a HAR with the mock. Resolves with the exit code. Rejects with `UsageError`. */
export async function diffHar(file: string, { json, baseline }: FlagsOf<'diff'>, console: Console): Promise<number> {
  const allowed = baseline === undefined ? [] : await readAllowed(baseline)
  const comparison = await compareRecording(await loadHar(file))
  if (comparison.compared === 0)
    throw new UsageError(
      `${file} has no answered request that the mock can replay: mockmaker routes lists the requests`,
    )
  const drifts = order.flatMap(sure => comparison.drifts.filter(drift => drift.sure === sure))
  const texts = new Set(drifts.map(baselineText))
  const gone = allowed.filter(({ text }) => !texts.has(text))
  const isAllowed = (drift: RequestDrift) => allowed.some(({ text }) => text === baselineText(drift))
  const hasFailed = gone.length > 0 || drifts.some(drift => drift.sure !== 'possible' && !isAllowed(drift))
  if (json) {
    const marked = drifts.map(drift => (isAllowed(drift) ? { ...drift, allowed: true } : drift))
    const unexplained = comparison.unexplained.size
    const list = baseline === undefined ? {} : { gone: gone.map(({ text }) => text) }
    console.printJson({ ...comparison, unexplained, drifts: marked, ...list, passed: !hasFailed })
    return hasFailed ? 1 : 0
  }
  printDrifts(drifts, comparison, { isAllowed, console })
  for (const { text, line } of gone) {
    const near = nearest(text, texts)
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    console.print(
      `${console.style('red', '✗')} ${baseline}:${line}: ${text}: this difference is gone. Remove the line.${hint}`,
    )
  }
  return hasFailed ? 1 : 0
}

/** Names a difference in a baseline: as it is printed, without its values, which change from run to run. */
function baselineText({ request, kind, path, recorded, mock }: RequestDrift): string {
  const place = path === '' || path === kind ? kind : `${kind} ${path}`
  const hasValues = kind === 'status' || kind === 'code' || kind === 'type'
  return `${request}: ${place}${hasValues ? `: recorded ${recorded}, mock ${mock}` : ''}`
}

/** Reads the differences that may be there, one a line. A line with `#` at its start is a comment. */
async function readAllowed(file: string): Promise<Allowed[]> {
  return (await readBaseline(file)).flatMap((line, i) => {
    if (line === '' || line.startsWith('#')) return []
    if (/^[A-Z]+ \/\S*: [a-z]/.test(line)) return [{ text: line, line: i + 1 }]
    throw new UsageError(
      `${file}:${i + 1}: ${quoted(line)} is no difference: expected one such as "GET /matchmaker/lobbies/list: missing season"`,
    )
  })
}

function printDrifts(
  drifts: readonly RequestDrift[],
  { compared, leftOut, unexplained: { size } }: Comparison,
  { isAllowed, console }: { isAllowed(drift: RequestDrift): boolean; readonly console: Console },
): void {
  for (const drift of drifts) {
    const { request, kind, path, sure, recorded, mock, count } = drift
    const isQuiet = sure === 'possible' || isAllowed(drift)
    const mark = isQuiet ? console.style('dim', '·') : console.style('red', '✗')
    const times = count === 1 ? '' : ` ×${count}`
    const place = path === '' || path === kind ? kind : `${kind} ${path}`
    const sureness = isAllowed(drift) ? `${sure}, allowed` : sure
    console.print(`${mark} ${request}${times}: ${place}: recorded ${recorded}, mock ${mock} (${sureness})`)
  }
  const reasons = Object.entries(leftOut)
  const left = reasons.length === 0 ? '' : `. Left out: ${reasons.map(([why, count]) => `${count} ${why}`).join(', ')}`
  const unjudged = size === 0 ? '' : `. Not judged: ${counted(size, 'error', 'errors')} whose reason no answer shows`
  const counts = order.flatMap(sure => {
    const { length } = drifts.filter(drift => drift.sure === sure)
    return length === 0 ? [] : [`${length} ${sure}`]
  })
  const found = counts.length === 0 ? 'no difference' : `differences: ${counts.join(', ')}`
  console.print(`${counted(compared, 'request', 'requests')} compared, ${found}${unjudged}${left}`)
}
