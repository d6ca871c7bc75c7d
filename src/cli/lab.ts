import { type CheckResult, countsText } from '../core/lib/check-report.js'
import { didYouMean, quoted, UsageError } from '../core/lib/messages.js'
import { checkNames, isCheckName } from '../lab/checks.js'
import { commandClient } from '../lab/command-client.js'
import type { LabCheckName, LabReport } from '../lab/lab.js'
import { runLab } from '../lab/laboratory.js'
import { printCheck, readBaseline, runChecks } from './checks.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'

/** Checks a command as a client of a device link. Resolves with the exit code. Rejects with `UsageError`. */
export async function runLabCommand(
  command: readonly string[],
  { flags, console }: { readonly flags: FlagsOf<'lab'>; readonly console: Console },
): Promise<number> {
  const { only, quick, json, junit } = flags
  const baseline = flags.baseline === undefined ? undefined : await readNames(flags.baseline)
  const onResult = (result: CheckResult) => {
    if (!json) printCheck(result, console)
  }
  return runChecks('mockmaker lab', junit, async signal => {
    const report = await runLab(commandClient(command), { only, quick, baseline, onResult, signal })
    if (json) console.printJson(report)
    else console.print(summaryOf(report, { isQuick: quick === true }))
    return report
  })
}

function summaryOf({ checks, grade, notRun }: LabReport, { isQuick }: { readonly isQuick: boolean }): string {
  if (notRun) return `${countsText(checks)}, ${notRun.length} not run: the client sent no request`
  if (grade === undefined) return countsText(checks)
  return `${countsText(checks)}. Grade ${grade}${isQuick ? ', without patience' : ''}`
}

async function readNames(file: string): Promise<LabCheckName[]> {
  return (await readBaseline(file)).flatMap((line, i) => {
    const name = line.replace(/\s*#.*/, '')
    if (name === '') return []
    if (isCheckName(name)) return [name]
    throw new UsageError(`${file}:${i + 1}: ${quoted(name)} is no check.${didYouMean(name, checkNames)}`)
  })
}
