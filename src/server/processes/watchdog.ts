import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** A process has this time to end after SIGTERM, in ms. */
export const graceMs = 5_000

/** Reads what runs: `+ 12` and `- 12` for a process, `+ -12` for a group. When its input ends, it ends what is left. */
const watchdogScript = `trap '' INT TERM HUP
all=
while read -r sign target; do
  kept=
  for one in $all; do [ "$one" = "$target" ] || kept="$kept $one"; done
  all=$kept
  [ "$sign" = - ] || all="$all $target"
done
[ -n "$all" ] || exit 0
for one in $all; do kill -TERM "$one"; done 2>/dev/null
sleep ${graceMs / 1000}
for one in $all; do kill -KILL "$one"; done 2>/dev/null`

/** Ends processes if the mock is killed. A negative number is a group, as in `kill`. Windows has no such shell. */
class Watchdog {
  #shell: ChildProcess | undefined

  /** Starts the shell. Call it before a process starts, because the mock may be killed as soon as that runs. */
  start(): void {
    if (this.#shell || process.platform === 'win32') return
    this.#shell = spawn('/bin/sh', ['-c', watchdogScript], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    // Without a shell, processes may outlive a killed mock.
    this.#shell.on('error', () => {}).unref()
    // The mock does not wait for it.
    ;(this.#shell.stdin as Socket | null)?.on('error', () => {}).unref()
  }

  add(target: number): void {
    this.#shell?.stdin?.write(`+ ${target}\n`)
  }

  remove(target: number): void {
    this.#shell?.stdin?.write(`- ${target}\n`)
  }
}

export const watchdog = new Watchdog()
