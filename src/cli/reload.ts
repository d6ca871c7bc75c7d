import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { UsageError } from '../contract/usage-error.js'
import type { Mock } from '../mock.js'
import { scenarioText } from '../node/scenario.js'
import type { Tally } from '../store/merge.js'
import type { Console } from './console.js'
import { parsed, type ScenarioFile } from './load.js'
import { type WatchedFile, watchFile } from './watch-file.js'

/** What is loaded anew, and how that is told. */
interface Reloading {
  readonly file: ScenarioFile
  readonly mock: Pick<Mock, 'reload'>
  readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
  /** Default: `text`. `quiet` tells of mistakes only. */
  readonly tell?: 'text' | 'json' | 'quiet' | undefined
}

/** Loads a scenario file anew whenever it has been saved. One that is wrong is told of, and changes nothing. */
export async function reloadWhenSaved({ file, mock, console, tell = 'text' }: Reloading): Promise<WatchedFile> {
  const { path } = file
  let last = file.text
  const reload = async () => {
    const text = textThere(path)
    // An empty file is one that is just being written.
    if (text === undefined || text.trim() === '' || text === last) return
    last = text
    const tally = await mock.reload(await parsed({ path, text }))
    if (tell === 'quiet') return
    if (tell === 'json') console.printJson(reloadObject(path, tally))
    else console.print(reloadLine(path, tally))
  }
  let latest: Promise<unknown> = Promise.resolve()
  const onSaved = () => {
    const done = latest.then(reload).catch(error => {
      if (!(error instanceof UsageError)) throw error
      console.warn(`${error.message}\nthe world stays as it is until that is mended`)
    })
    // A bug is reported as such, and the next one is loaded all the same.
    latest = done.catch(() => {})
  }
  const onError = (error: Error) => console.warn(`${path} cannot be watched: ${error.message}`)
  return watchFile(path, { onSaved, onError })
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
