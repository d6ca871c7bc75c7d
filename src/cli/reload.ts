import { unwatchFile, watchFile } from 'node:fs'
import { Reloader, type ReloaderOptions, reloadText } from '../files/reloader.js'
import { readScenarioIfThere, type ScenarioFile } from '../files/scenario-file.js'
import type { Console } from './output.js'

/** The time between two looks at a scenario file, in ms. */
const lookEveryMs = 200

/**
 * Reloads a scenario file whenever it is saved. A wrong or missing file is reported and changes nothing. The format `quiet` reports
 * only mistakes.
 */
export function reloadOnSave(
  file: ScenarioFile,
  {
    mock,
    console,
    format,
  }: Pick<ReloaderOptions, 'mock'> & {
    readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
    readonly format: 'text' | 'json' | 'quiet'
  },
): { close(): void } {
  const { path } = file
  const reloader = new Reloader(file, () => readScenarioIfThere(path), {
    mock,
    onMistake: message => console.warn(message),
    onReload(summary) {
      if (format === 'text') console.print(reloadText(path, summary))
      if (format === 'json') console.printJson({ event: 'reload', file: path, ...summary })
    },
  })
  const onChange = () => reloader.checkSoon()
  // Looks at the path again and again: a watch would lose it when another file, or another folder, takes its place.
  watchFile(path, { persistent: false, interval: lookEveryMs }, onChange)
  // For a save before the first look.
  onChange()
  return {
    close() {
      reloader.close()
      unwatchFile(path, onChange)
    },
  }
}
