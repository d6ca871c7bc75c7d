import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { UsageError } from '../lib/usage-error.js'
import type { Mock } from '../mock.js'
import { scenarioText } from '../node/scenario.js'
import { hasContent } from '../scenario/yaml.js'
import type { Tally } from '../store/merge.js'
import type { Console } from './console.js'
import { parsed, type ScenarioFile } from './load.js'
import { type WatchedFile, watchFile } from './watch-file.js'

/** What to reload, and how to report it. */
interface Reloading {
  readonly file: ScenarioFile
  readonly mock: Pick<Mock, 'reload'>
  readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
  /** Default: `text`. `quiet` tells of mistakes only. */
  readonly tell?: 'text' | 'json' | 'quiet' | undefined
}

/**
 * How long a text that deletes something must stay unchanged before it is loaded, in ms. An editor, or a copy over a network,
 * may write a file in pieces, and each piece lacks the rest.
 */
export const secondLookMs = 1_000

/** Reloads a scenario file whenever it is saved. A wrong one is reported, and changes nothing. */
export async function reloadWhenSaved(reloading: Reloading): Promise<WatchedFile> {
  const { file, console } = reloading
  const { path } = file
  const reloader = new Reloader(reloading, () => textThere(path))
  const onError = (error: Error) => console.warn(`${path} cannot be watched: ${error.message}`)
  const watched = await watchFile(path, { onSaved: () => void reloader.look(), onError })
  return {
    async close() {
      reloader.close()
      await watched.close()
    },
  }
}

/** Reloads a text when it has changed, and looks twice at one that deletes something. */
export class Reloader {
  readonly #reloading: Reloading
  readonly #read: () => string | undefined
  /** The newest text that was loaded, or was wrong. */
  #last: string
  #latest: Promise<unknown> = Promise.resolve()
  /** The text that waits for its second look, and the timer of that. */
  #waiting: { readonly text: string; readonly timer: ReturnType<typeof setTimeout> } | undefined
  #closed = false

  /** `read` answers the text as it is now, `undefined` where there is none. Throws `UsageError` where it cannot be read. */
  constructor(reloading: Reloading, read: () => string | undefined) {
    this.#reloading = reloading
    this.#read = read
    this.#last = reloading.file.text
  }

  /** Looks at the text, after all earlier looks. Resolves when this look is done; a second one may follow. */
  look(): Promise<void> {
    return this.#next(undefined)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#waiting?.timer)
  }

  /** `seen` is the text that the first look saw, for a second one. */
  #next(seen: string | undefined): Promise<void> {
    const { console } = this.#reloading
    const done = this.#latest
      .then(() => this.#reload(seen))
      .catch(error => {
        if (!(error instanceof UsageError)) throw error
        console.warn(`${error.message}\nthe world stays as it is until that is mended`)
      })
    // A bug is reported as such, and the next text is loaded all the same.
    this.#latest = done.catch(() => {})
    return done
  }

  async #reload(seen: string | undefined): Promise<void> {
    const { file, mock, console, tell = 'text' } = this.#reloading
    const { path } = file
    if (this.#closed) return
    const text = this.#read()
    // A file with nothing but comments is still being written.
    if (text === undefined || !hasContent(text)) return
    if (text === this.#waiting?.text && seen === undefined) return
    clearTimeout(this.#waiting?.timer)
    this.#waiting = undefined
    if (text === this.#last) return
    const before = this.#last
    this.#last = text
    const scenario = await parsed({ path, text })
    const { deleted, takenAlong } = await mock.reload(scenario, { dryRun: true })
    if (deleted + takenAlong > 0 && text !== seen) {
      this.#last = before
      if (!this.#closed) this.#waiting = { text, timer: setTimeout(() => void this.#next(text), secondLookMs) }
      return
    }
    const tally = await mock.reload(scenario)
    if (tell === 'quiet') return
    if (tell === 'json') console.printJson(reloadObject(path, tally))
    else console.print(reloadLine(path, tally))
  }
}

/** The text of a file; `undefined` where it is gone, as it is for a moment while it is replaced. Throws `UsageError`. */
function textThere(path: string): string | undefined {
  try {
    return scenarioText(path)
  } catch (error) {
    if (!existsSync(path)) return undefined
    throw error
  }
}

/** What a reload has done, as a line: `reloaded scenario.yaml: 2 records made, 1 changed`. */
function reloadLine(path: string, { made, changed, deleted, takenAlong }: Tally): string {
  const counts = [
    [made, 'made'],
    [changed, 'changed'],
    [deleted, 'deleted'],
    [takenAlong, 'of the run taken along'],
  ] as const
  const [first, ...others] = counts.filter(([count]) => count > 0)
  if (!first) return `reloaded ${basename(path)}: no record has changed`
  const [count, done] = first
  const records = `${count} ${count === 1 ? 'record' : 'records'} ${done}`
  return `reloaded ${basename(path)}: ${[records, ...others.map(([count, done]) => `${count} ${done}`)].join(', ')}`
}

function reloadObject(path: string, { takenAlong, ...tally }: Tally): object {
  return { event: 'reload', file: path, ...tally, taken_along: takenAlong }
}
