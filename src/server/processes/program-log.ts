import { sameJson } from '../../core/lib/json.js'
import { escapedLine } from '../../core/lib/messages.js'
import { longestTail, tailOf } from './exit-report.js'
import type { ServerProcess } from './server-process.js'

/** A report on a game server or a bot: an event for programs, and text for people. */
export interface ServerReport {
  readonly event: object
  readonly text: string
  readonly isFailure: boolean
  /** The end of its output, which explains a failure. */
  readonly tail: readonly string[]
  /** True if the reports just before are the lines of the tail. */
  readonly isTailAbove: boolean
}

/** Writes reports on game servers. */
export interface ServerLog {
  report(report: ServerReport): void
}

/** Returns the lines of a report. A log that does not show the output of game servers needs the tail in any case. */
export function linesOf(
  { text, tail, isTailAbove }: ServerReport,
  { showsOutput }: { readonly showsOutput: boolean },
): string[] {
  if (tail.length === 0) return [text]
  if (isTailAbove && showsOutput) return [`${text}: see its output above`]
  return [`${text}. Its last output:`, ...tail.map(line => `  ${line}`)]
}

/** Writes to standard error, for game servers that code starts. */
export const standardError: ServerLog = {
  report: report =>
    void process.stderr.write(`${linesOf(report, { showsOutput: true }).map(escapedLine).join('\n')}\n`),
}

interface Program {
  /** Begins the lines about it: `bot 3`. */
  readonly name: string
  /** Names it in events. */
  readonly id: object
  readonly process: Pick<ServerProcess, 'lastLines'> | undefined
}

/** Reports on all programs of a kind. `fields` are more of the event. */
export class ProgramReports {
  readonly #log: ServerLog
  readonly #kind: 'server' | 'bot'
  /** The newest lines of output that no other report has interrupted, and whose they are. */
  #above: { readonly program: Program; readonly lines: string[] } | undefined

  constructor(log: ServerLog, kind: 'server' | 'bot') {
    this.#log = log
    this.#kind = kind
  }

  addLine(program: Program, line: string): void {
    if (this.#above?.program !== program) this.#above = { program, lines: [] }
    const { lines } = this.#above
    lines.push(line)
    if (lines.length > longestTail) lines.shift()
    this.write({ event: { event: `${this.#kind}-output`, ...program.id, line }, text: `${program.name} | ${line}` })
  }

  add(program: Program, event: string, text: string, fields: object): void {
    this.#above = undefined
    this.write({
      event: { event: `${this.#kind}-${event}`, ...program.id, ...fields },
      text: `${program.name}: ${text}`,
    })
  }

  addFailure(program: Program, message: string, fields: object): void {
    const tail = tailOf(program.process?.lastLines() ?? [])
    const above = this.#above?.program === program ? this.#above.lines.slice(-tail.length) : []
    this.#above = undefined
    this.write({
      event: { event: `${this.#kind}-failed`, ...program.id, ...fields, message, output: tail },
      text: `${program.name}: ${message}`,
      isFailure: true,
      tail,
      isTailAbove: sameJson(above, tail),
    })
  }

  write(report: Pick<ServerReport, 'event' | 'text'> & Partial<ServerReport>): void {
    this.#log.report({ isFailure: false, tail: [], isTailAbove: false, ...report })
  }
}
