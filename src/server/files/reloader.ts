import { basename } from 'node:path'
import { ApiError } from '../../core/contract/errors.js'
import { UsageError } from '../../core/lib/messages.js'
import type { CheckedScenario } from '../../core/scenario/schema.js'
import { hasContent } from '../../core/scenario/yaml.js'
import type { ReloadSummary } from '../../core/store/reload.js'
import { parseScenarioFile, type ScenarioFile } from './scenario-file.js'

/**
 * A file that deletes records must stay unchanged for this time before it is loaded, in ms. An editor, or a copy over a
 * network, may write a file in pieces, and each piece lacks the rest. A missing file is reported after this time: editors and Git
 * may delete a file, and write it again.
 */
export const confirmMs = 1_000

/** A file that stays unchanged for this time counts as saved, in ms. */
const saveDelayMs = 60

/** A scenario file that deletes something or is missing, and the timer of its second check. */
interface Unconfirmed {
  /** Absent if the file is missing. */
  readonly text?: string
  readonly scenario?: CheckedScenario
  readonly timer: ReturnType<typeof setTimeout>
}

/** The mock to reload, and who is told about it. */
export interface ReloaderOptions {
  readonly mock: {
    /** Nothing changes if `accepts` refuses the summary. */
    reload(scenario: CheckedScenario, options: { accepts(summary: ReloadSummary): boolean }): Promise<ReloadSummary>
  }
  /** Called after a reload, with its numbers. */
  onReload(summary: ReloadSummary): void
  /** Called if the file is wrong, or stays missing. The world has not changed. */
  onMistake(message: string): void
}

/** Reloads a file when its text has changed. Checks twice before it deletes anything, or reports a missing file. */
export class Reloader {
  /** Runs after the newest change of the file. */
  #saved: ReturnType<typeof setTimeout> | undefined
  /** The newest text that was loaded, or was wrong. */
  #last: string
  /** The newest check. The next one waits for it. */
  #checked: Promise<unknown> = Promise.resolve()
  #unconfirmed: Unconfirmed | undefined
  #isClosed = false

  /** `read` returns the current text, or `undefined` if there is no file. It throws `UsageError` if it cannot. */
  constructor(
    private readonly file: ScenarioFile,
    private readonly read: () => string | undefined,
    private readonly options: ReloaderOptions,
  ) {
    this.#last = file.text
  }

  /**
   * Checks the file soon: an editor may truncate a file and write it, or put another file in its place. Call it after each
   * change of the file.
   */
  checkSoon(): void {
    clearTimeout(this.#saved)
    if (!this.#isClosed) this.#saved = setTimeout(() => void this.check(), saveDelayMs)
  }

  /** Checks the file, after all earlier checks. Resolves when this one is done; a second check may follow later. */
  check(): Promise<void> {
    return this.#enqueue(undefined)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#saved)
    clearTimeout(this.#unconfirmed?.timer)
  }

  /** `confirmed` is the file of the first check, if this is the second one. */
  #enqueue(confirmed: Unconfirmed | undefined): Promise<void> {
    const done = this.#checked
      .then(() => this.#reloadIfChanged(confirmed))
      .catch(error => {
        if (error instanceof UsageError)
          this.options.onMistake(`${error.message}\nthe world stays unchanged until you fix the file`)
        // The storage takes no changes.
        else if (error instanceof ApiError)
          this.options.onMistake(
            `${error.message}\nthe world stays unchanged: when the storage takes changes again, save the file again`,
          )
        else throw error
      })
    // A bug is reported by the caller, and does not stop later checks.
    this.#checked = done.catch(() => {})
    return done
  }

  async #reloadIfChanged(confirmed: Unconfirmed | undefined): Promise<void> {
    if (this.#isClosed) return
    const text = this.read()
    const first = this.#unconfirmed
    if (first !== undefined && first !== confirmed && first.text === text) return
    clearTimeout(first?.timer)
    this.#unconfirmed = undefined
    const isConfirmed = first !== undefined && first.text === text
    if (text === undefined) {
      if (!isConfirmed) return this.#confirmLater({})
      // Later checks find it, and report nothing until the file is back.
      this.#unconfirmed = first
      const message = `${this.file.path} does not exist any more\nthe world stays unchanged until the file is back`
      return this.options.onMistake(message)
    }
    // An editor is still writing a file that has only comments.
    if (!hasContent(text) || text === this.#last) return
    const before = this.#last
    this.#last = text
    const scenario = (isConfirmed && first.scenario) || (await parseScenarioFile({ ...this.file, text }))
    const accepts = ({ deleted, cascaded }: ReloadSummary) => isConfirmed || deleted + cascaded === 0
    const summary = await this.options.mock.reload(scenario, { accepts }).catch(error => {
      // A file with a mistake is told once. Anything else may go better with the next check.
      if (!(error instanceof UsageError)) this.#last = before
      throw error
    })
    if (accepts(summary)) return this.options.onReload(summary)
    this.#last = before
    this.#confirmLater({ text, scenario })
  }

  #confirmLater(file: Omit<Unconfirmed, 'timer'>): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => void this.#enqueue(unconfirmed), confirmMs)
    const unconfirmed: Unconfirmed = { ...file, timer }
    this.#unconfirmed = unconfirmed
  }
}

/** Reports a reload as a line: `reloaded scenario.mockmaker.yaml: 2 records created, 1 deleted`. */
export function reloadText(path: string, { created, changed, deleted, cascaded }: ReloadSummary): string {
  const counts = [
    [created, 'created'],
    [changed, 'changed'],
    [deleted, 'deleted'],
    [cascaded, 'deleted by cascade'],
  ] as const
  const start = `reloaded ${basename(path)}:`
  const [first, ...others] = counts.filter(([count]) => count > 0)
  if (!first) return `${start} no record has changed`
  const [count, verb] = first
  const records = `${start} ${count} ${count === 1 ? 'record' : 'records'} ${verb}`
  return [records, ...others.map(([count, verb]) => `${count} ${verb}`)].join(', ')
}
