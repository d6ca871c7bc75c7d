import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { systemReason } from '../../core/lib/messages.js'
import { isWindows } from './process-group.js'

/** Starts a command and its arguments. No shell reads them, except on Windows. */
export function spawnCommand([name = '', ...args]: readonly string[], options: SpawnOptions): ChildProcess {
  // On Windows npm and its like are batch files, and only a shell runs those.
  return isWindows
    ? spawn([name, ...args].map(windowsWord).join(' '), { ...options, shell: true })
    : spawn(name, args, options)
}

/** Explains why a command did not start. */
export function startFailure(name: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `command not found: ${JSON.stringify(name)}`
  const reason =
    error.code === 'EACCES' ? 'it is not a program, or you have no permission to run it' : systemReason(error)
  return `cannot run ${JSON.stringify(name)}: ${reason}`
}

/** Quotes a word for the shell of Windows, unless it is plain. The shell still expands `%NAME%` in it. */
export function windowsWord(word: string): string {
  return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`
}
