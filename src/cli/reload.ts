import { basename, dirname, resolve } from 'node:path'
import { Reloader, type ReloaderOptions, readIfThere, reloadText } from '../files/reloader.js'
import type { ScenarioFile } from '../files/scenario-file.js'
import type { Console } from './output.js'

/** A file watch or a reload that runs until it is closed. */
interface Closable {
  close(): Promise<void>
}

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
): Promise<Closable> {
  const { path } = file
  const reloader = new Reloader(file, () => readIfThere(path), {
    mock,
    onMistake: message => console.warn(message),
    onReload(summary) {
      if (format === 'text') console.print(reloadText(path, summary))
      if (format === 'json') console.printJson({ event: 'reload', file: path, ...summary })
    },
  })
  const watched = await watchFile(path, {
    onChange: () => reloader.checkSoon(),
    onError: error => console.warn(`cannot watch ${path} for changes: ${error.message}`),
  })
  return {
    async close() {
      reloader.close()
      await watched.close()
    },
  }
}

/** Calls `onChange` after each change of a file, and once at the start, so that no save is missed. */
async function watchFile(
  path: string,
  { onChange, onError }: { onChange(): void; onError(error: Error): void },
): Promise<Closable> {
  const { watch } = await import('chokidar')
  const file = resolve(path)
  const folder = dirname(file)
  // Watches the folder: a watch on the file would lose it when another file takes its place.
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    // chokidar passes paths with slashes, on Windows too.
    ignored: other => resolve(other) !== folder && basename(other) !== basename(file),
  })
  watcher.on('add', onChange).on('change', onChange).on('ready', onChange)
  watcher.on('error', error => onError(error as Error)) // chokidar types it as unknown
  return watcher
}
