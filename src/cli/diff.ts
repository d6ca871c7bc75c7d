import { counted, UsageError } from '../core/lib/messages.js'
import type { Sureness } from '../server/har/compare.js'
import { type Comparison, compareRecording, type RequestDrift } from '../server/har/replay.js'
import type { FlagsOf } from './flags.js'
import { loadHar } from './import.js'
import type { Console } from './output.js'

const order: readonly Sureness[] = ['certain', 'likely', 'possible']

/**
 * Prints how the answers of the mock differ from those of a HAR. Resolves with the exit code: 1 if a difference is certain or
 * likely. Rejects with `UsageError`.
 */
export async function diffHar(file: string, { json }: FlagsOf<'diff'>, console: Console): Promise<number> {
  const comparison = await compareRecording(await loadHar(file))
  if (comparison.compared === 0)
    throw new UsageError(
      `${file} has no answered request that the mock can replay: mockmaker routes lists the requests`,
    )
  const drifts = order.flatMap(sure => comparison.drifts.filter(drift => drift.sure === sure))
  const hasFailed = drifts.some(({ sure }) => sure !== 'possible')
  if (json) console.printJson({ ...comparison, drifts, passed: !hasFailed })
  else printDrifts(drifts, comparison, console)
  return hasFailed ? 1 : 0
}

function printDrifts(drifts: readonly RequestDrift[], { compared, leftOut }: Comparison, console: Console): void {
  for (const drift of drifts) {
    const { request, kind, path, sure, recorded, mock, count } = drift
    const mark = sure === 'possible' ? console.style('dim', '·') : console.style('red', '✗')
    const times = count === 1 ? '' : ` ×${count}`
    const place = path === '' || path === kind ? kind : `${kind} ${path}`
    console.print(`${mark} ${request}${times}: ${place}: recorded ${recorded}, mock ${mock} (${sure})`)
  }
  const reasons = Object.entries(leftOut)
  const left = reasons.length === 0 ? '' : `. Left out: ${reasons.map(([why, count]) => `${count} ${why}`).join(', ')}`
  const counts = order.flatMap(sure => {
    const { length } = drifts.filter(drift => drift.sure === sure)
    return length === 0 ? [] : [`${length} ${sure}`]
  })
  const found = counts.length === 0 ? 'no difference' : `differences: ${counts.join(', ')}`
  console.print(`${counted(compared, 'request', 'requests')} compared, ${found}${left}`)
}
