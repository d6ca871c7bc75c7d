import { readFile, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { type CheckResult, checkLines, junitOf } from '../core/lib/check-report.js'
import { asUsageError, asWriteError } from '../core/lib/messages.js'
import { decodeText } from '../server/files/scenario-file.js'
import type { Console } from './output.js'

// Shared by `lab`, `check-server` and `mcp`: the results of checks, and the signals that end a command.

/** Prints a check, and what proves a failure. */
export function printCheck(result: CheckResult, console: Console): void {
  const mark = (text: string, { passed }: CheckResult) => console.style(passed ? 'green' : 'red', text)
  for (const line of checkLines(result, mark)) console.print(line)
}

/** Runs checks, and writes their results to `junit`. Resolves with the exit code. Rejects with `UsageError`. */
export async function runChecks(
  suite: string,
  junit: string | undefined,
  run: (signal: AbortSignal) => Promise<{ readonly passed: boolean; readonly checks: readonly CheckResult[] }>,
): Promise<number> {
  const write = async (checks: readonly CheckResult[]) => {
    if (junit === undefined) return
    await writeFile(junit, junitOf(suite, checks)).catch(error => {
      throw asWriteError(error, `the JUnit report ${junit}`)
    })
  }
  // Report a file that cannot be written before the checks run.
  await write([])
  const { signal, release } = abortOnSignals()
  try {
    const { passed, checks } = await run(signal)
    await write(checks)
    return passed ? 0 : 1
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode
    throw error
  } finally {
    release()
  }
}

/** A signal has ended the checks. */
export class Interrupted {
  constructor(readonly signal: NodeJS.Signals) {}

  /** As in shells. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal]
  }
}

/** Aborts on the signals that would end this process. A second one ends it at once. */
export function abortOnSignals(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const abort = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal)
    if (controller.signal.aborted) process.exit(interrupted.exitCode)
    controller.abort(interrupted)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, abort)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, abort)
    },
  }
}

/** Reads the lines of a baseline, without the spaces around them. Rejects with `UsageError`. */
export async function readBaseline(file: string): Promise<string[]> {
  const bytes = await readFile(file).catch(error => {
    throw asUsageError(error, `cannot read the baseline ${file}`)
  })
  return decodeText(bytes)
    .split('\n')
    .map(line => line.trim())
}
