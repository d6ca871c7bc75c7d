import { basename, dirname, resolve } from 'node:path'
import { Reloader, type ReloaderOptions, readIfThere, reloadText } from '../files/reloader.js'
import type { ScenarioFile } from '../files/scenario-file.js'
import type { Console } from './output.js'

/**
 * Reloads a scenario file whenever it is saved. A wrong file is reported and changes nothing. The format `quiet` reports
 * only mistakes.
 */
export async function reloadOnSave(
  file: ScenarioFile,
  {
    mock,
    console,
    format,
  }: Pick<ReloaderOptions, 'mock'> & {
    readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
    readonly format: 'text' | 'json' | 'quiet'
  },
): Promise<{ close(): Promise<void> }> {
  const { path } = file
  const reloader = new Reloader(file, () => readIfThere(path), {
    mock,
    onMistake: message => console.warn(message),
    onReload(summary) {
      if (format === 'text') console.print(reloadText(path, summary))
      if (format === 'json') console.printJson({ event: 'reload', file: path, ...summary })
    },
  })
  const { watch } = await import('chokidar')
  const folder = dirname(resolve(path))
  // Watches the folder: a watch on the file would lose it when another file takes its place.
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    // chokidar passes paths with slashes, on Windows too.
    ignored: other => resolve(other) !== folder && basename(other) !== basename(path),
  })
  const onChange = () => reloader.checkSoon()
  // `ready` too, so that no save is missed before it.
  watcher.on('add', onChange).on('change', onChange).on('ready', onChange)
  // chokidar types the error as unknown.
  watcher.on('error', error => console.warn(`cannot watch ${path} for changes: ${(error as Error).message}`))
  return {
    async close() {
      reloader.close()
      await watcher.close()
    },
  }
}
