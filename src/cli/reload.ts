import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { UsageError } from '../lib/usage-error.js'
import type { Mock } from '../mock.js'
import { hasContent } from '../scenario/yaml.js'
import { parseScenarioFile, readScenarioText, type ScenarioFile } from '../scenario-file.js'
import type { ReloadSummary } from '../store/reload.js'
import type { Console } from './output.js'

/** The mock to reload, and the console that gets the reports. */
interface ReloaderOptions {
  readonly mock: Pick<Mock, 'reload'>
  readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
  /** `quiet` reports only mistakes. */
  readonly format: 'text' | 'json' | 'quiet'
}

/** A file watch or a reload that runs until it is closed. */
interface Closable {
  close(): Promise<void>
}

/** Reloads a scenario file whenever it is saved. A wrong file is reported and changes nothing. */
export async function reloadOnSave(file: ScenarioFile, options: ReloaderOptions): Promise<Closable> {
  const { path } = file
  const reloader = new Reloader(file, () => readIfThere(path), options)
  const watched = await watchFile(path, {
    onSave: () => void reloader.check(),
    onError: error => options.console.warn(`cannot watch ${path} for changes: ${error.message}`),
  })
  return {
    async close() {
      reloader.close()
      await watched.close()
    },
  }
}

/** Reads a scenario file; `undefined` if it is gone, as during a replacement. Throws `UsageError`. */
function readIfThere(path: string): string | undefined {
  try {
    return readScenarioText(path)
  } catch (error) {
    if (!existsSync(path)) return undefined
    throw error
  }
}

/**
 * A file that deletes records must stay unchanged for this time before it is loaded, in ms. An editor, or a copy over a
 * network, may write a file in pieces, and each piece lacks the rest.
 */
export const confirmMs = 1_000

/** Reloads a file when its text has changed. Checks twice before it deletes anything. */
export class Reloader {
  readonly #path: string
  readonly #read: () => string | undefined
  readonly #options: ReloaderOptions
  /** The newest text that was loaded, or was wrong. */
  #last: string
  /** The newest check. The next one waits for it. */
  #checked: Promise<unknown> = Promise.resolve()
  /** A text that deletes something, and the timer of its second check. */
  #unconfirmed: { readonly text: string; readonly timer: ReturnType<typeof setTimeout> } | undefined
  #isClosed = false

  /** `read` returns the current text, or `undefined` if there is no file. It throws `UsageError` if it cannot. */
  constructor({ path, text }: ScenarioFile, read: () => string | undefined, options: ReloaderOptions) {
    this.#path = path
    this.#last = text
    this.#read = read
    this.#options = options
  }

  /** Checks the file, after all earlier checks. Resolves when this one is done; a second check may follow later. */
  check(): Promise<void> {
    return this.#enqueue(undefined)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#unconfirmed?.timer)
  }

  /** `confirmed` is the text of the first check, if this is the second one. */
  #enqueue(confirmed: string | undefined): Promise<void> {
    const done = this.#checked
      .then(() => this.#reloadIfChanged(confirmed))
      .catch(error => {
        if (!(error instanceof UsageError)) throw error
        this.#options.console.warn(`${error.message}\nthe world stays unchanged until you fix the file`)
      })
    // A bug is reported by the caller, and does not stop later checks.
    this.#checked = done.catch(() => {})
    return done
  }

  async #reloadIfChanged(confirmed: string | undefined): Promise<void> {
    if (this.#isClosed) return
    const text = this.#read()
    // An editor is still writing a file that has only comments.
    if (text === undefined || !hasContent(text)) return
    if (text === this.#unconfirmed?.text && confirmed === undefined) return
    clearTimeout(this.#unconfirmed?.timer)
    this.#unconfirmed = undefined
    if (text === this.#last) return
    const before = this.#last
    this.#last = text
    const { mock } = this.#options
    const scenario = await parseScenarioFile({ path: this.#path, text })
    const { deleted, cascaded } = await mock.reload(scenario, { dryRun: true })
    if (deleted + cascaded > 0 && text !== confirmed) {
      this.#last = before
      if (!this.#isClosed) this.#unconfirmed = { text, timer: setTimeout(() => void this.#enqueue(text), confirmMs) }
      return
    }
    this.#report(await mock.reload(scenario))
  }

  #report(summary: ReloadSummary): void {
    const { console, format } = this.#options
    if (format === 'text') console.print(`reloaded ${basename(this.#path)}: ${summaryText(summary)}`)
    if (format !== 'json') return
    console.printJson({ event: 'reload', file: this.#path, ...summary })
  }
}

/** Says how many records a reload has changed: `2 records created, 1 deleted`. */
function summaryText({ created, changed, deleted, cascaded }: ReloadSummary): string {
  const counts = [
    [created, 'created'],
    [changed, 'changed'],
    [deleted, 'deleted'],
    [cascaded, 'deleted by cascade'],
  ] as const
  const [first, ...others] = counts.filter(([count]) => count > 0)
  if (!first) return 'no record has changed'
  const [count, verb] = first
  const records = `${count} ${count === 1 ? 'record' : 'records'} ${verb}`
  return [records, ...others.map(([count, verb]) => `${count} ${verb}`)].join(', ')
}

/** A file that stays unchanged for this time counts as saved, in ms. */
const saveDelayMs = 60

/**
 * Calls `onSave` soon after a file has changed, and once at the start, so that no save is missed. It waits because an
 * editor may truncate a file and write it, or put another file in its place.
 */
async function watchFile(
  path: string,
  { onSave, onError }: { onSave(): void; onError(error: Error): void },
): Promise<Closable> {
  const { watch } = await import('chokidar')
  const file = resolve(path)
  const folder = dirname(file)
  let timer: ReturnType<typeof setTimeout> | undefined
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(onSave, saveDelayMs)
  }
  // Watches the folder: a watch on the file would lose it when another file takes its place.
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    // chokidar passes paths with slashes, on Windows too.
    ignored: other => resolve(other) !== folder && basename(other) !== basename(file),
  })
  watcher.on('add', restart).on('change', restart).on('ready', restart)
  watcher.on('error', error => onError(error as Error)) // chokidar types it as unknown
  return {
    close() {
      clearTimeout(timer)
      return watcher.close()
    },
  }
}
