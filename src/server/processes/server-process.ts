import { spawn } from 'node:child_process'
import { type Environment, inheritedBy } from '../../core/control/environment.js'
import { systemReason } from '../../core/lib/messages.js'
import { real } from '../../core/lib/real-globals.js'
import { endGroup, isGroupAlive, isWindows, lateOutputMs, signalGroup } from './process-group.js'
import { ServerOutput } from './server-output.js'
import { graceMs as defaultGraceMs, watchdog } from './watchdog.js'

/** The end of a process: its exit code, the signal that ended it, or the reason why it did not start. */
export interface Exit {
  readonly code?: number | undefined
  readonly signal?: string | undefined
  readonly error?: string | undefined
}

/** A process with its children. */
export interface ServerProcess {
  readonly pid: number | undefined
  /** Resolves when the command has exited and its output is read. */
  readonly exited: Promise<Exit>
  /** The newest lines of its output, the oldest first. */
  lastLines(): readonly string[]
  /** Resolves when its children have ended, too. */
  readonly gone: Promise<void>
  /** Asks it to end, and kills it after a grace period. */
  stop(): void
  kill(): void
}

/** Starts a command of the shell. `graceMs`: between SIGTERM and SIGKILL. Default: 5 s. */
export type StartProcess = (
  command: string,
  env: Environment,
  onLine: (line: string) => void,
  graceMs?: number,
) => ServerProcess

/** A program in C would keep its output in memory. GNU can make it write each line, by a library that ASan would refuse. */
const script = `
if command -v stdbuf >/dev/null; then
  export ASAN_OPTIONS="verify_asan_link_order=0:$ASAN_OPTIONS"
  exec stdbuf -oL /bin/sh -c "$0"
fi
exec /bin/sh -c "$0"`

function spawnShell(command: string, env: Environment) {
  return spawn(isWindows ? command : '/bin/sh', isWindows ? [] : ['-c', script, command], {
    shell: isWindows,
    env: { ...inheritedBy(process.env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  })
}

/** Starts a process in a group of its own, so that signals reach its children. */
export const startProcess: StartProcess = (command, env, onLine, graceMs = defaultGraceMs) => {
  watchdog.start()
  let child: ReturnType<typeof spawnShell>
  try {
    child = spawnShell(command, env)
  } catch (error) {
    // Node throws what it does not emit, such as E2BIG.
    const exited = Promise.resolve({ error: systemReason(error as Error) })
    return { pid: undefined, exited, gone: Promise.resolve(), lastLines: () => [], stop() {}, kill() {} }
  }
  if (child.pid !== undefined) watchdog.add(-child.pid)
  const output = new ServerOutput([child.stdout, child.stderr], onLine)
  const exited = new Promise<Exit>(resolve => {
    child.once('error', error => resolve({ error: systemReason(error) }))
    child.once('exit', (code, signal) => {
      output.readRest()
      const end = () => resolve({ code: code ?? undefined, signal: signal ?? undefined })
      child.once('close', end)
      real.setTimeout(end, lateOutputMs)
    })
  })
  let stopped: Promise<void> | undefined
  const stopGroup = () => {
    stopped ??= endGroup(child, graceMs)
    return stopped
  }
  const gone = exited.then(async () => {
    output.end()
    // Children that outlive the command still hold its ports.
    if (isGroupAlive(child)) await stopGroup()
    if (child.pid !== undefined) watchdog.remove(-child.pid)
  })
  return {
    pid: child.pid,
    exited,
    gone,
    lastLines: () => output.lastLines,
    stop: () => void stopGroup(),
    kill: () => signalGroup(child, 'SIGKILL'),
  }
}
