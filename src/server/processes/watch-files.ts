import { existsSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { systemReason, UsageError } from '../../core/lib/messages.js'
import type { ScenarioCommands } from '../../core/scenario/commands.js'

/** Watches a file or a folder with all that is in it. Calls `onChange` with one changed path once it is quiet. */
export type WatchFiles = (
  path: string,
  listener: { onChange(file: string): void; onError(reason: string): void },
) => { close(): Promise<void> }

/** Editors and compilers write several files in a row. Without a change for this time they are done, in ms. */
const quietMs = 100

/** Files that tools write for themselves: hidden ones, backups of editors, packages, and what Python compiles. */
const ignoredName = /^\.|^(?:node_modules|__pycache__)$|~$|\.pyc$/

export const watchFiles: WatchFiles = (path, { onChange, onError }) => {
  const root = resolve(path)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  // Imported here, because few mocks watch anything.
  const opened = import('chokidar').then(({ watch }) => {
    if (isClosed) return undefined
    const ignored = (file: string) => resolve(file) !== root && ignoredName.test(basename(file))
    const watcher = watch(root, { ignoreInitial: true, ignored })
    watcher.on('all', (_event, file) => {
      clearTimeout(timer)
      timer = setTimeout(() => onChange(relative('', file)), quietMs)
    })
    watcher.on('error', error => onError(systemReason(error as Error))) // chokidar types it as unknown
    return watcher
  })
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await (await opened)?.close()
    },
  }
}

export function watchedPaths({ all, modes }: ScenarioCommands): Set<string> {
  return new Set([...(all ? [all] : []), ...modes.values()].flatMap(({ watch }) => watch))
}

/** Throws `UsageError` if a watched path does not exist. */
export function checkWatchedPaths(commands: ScenarioCommands): void {
  const missing = [...watchedPaths(commands)].find(path => !existsSync(path))
  if (missing === undefined) return
  throw new UsageError(
    `servers.watch: there is no file or folder ${missing} in ${resolve('')}. Create it, or correct the path: it starts at the folder of the mock`,
  )
}
