import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** A process has this time to end after SIGTERM, in ms. */
export const graceMs = 5_000

/**
 * Reads the groups that run from its input, as `+ 12` and `- 12`. Its input ends with the mock, in whatever way that ends. Then
 * it ends the groups that are left.
 */
const watchdogScript = `trap '' INT TERM HUP
groups=
while read -r sign group; do
  kept=
  for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done
  groups=$kept
  [ "$sign" = - ] || groups="$groups $group"
done
[ -n "$groups" ] || exit 0
for one in $groups; do kill -TERM "-$one"; done 2>/dev/null
sleep ${graceMs / 1000}
for one in $groups; do kill -KILL "-$one"; done 2>/dev/null`

/** Ends the game servers if the mock is killed. Windows has no such shell. */
class Watchdog {
  #shell: ChildProcess | undefined

  add(pid: number): void {
    if (process.platform === 'win32') return
    if (!this.#shell) {
      this.#shell = spawn('/bin/sh', ['-c', watchdogScript], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
      // Without a shell, processes may outlive a killed mock.
      this.#shell.on('error', () => {}).unref()
      // The mock does not wait for it.
      ;(this.#shell.stdin as Socket | null)?.on('error', () => {}).unref()
    }
    this.#shell.stdin?.write(`+ ${pid}\n`)
  }

  remove(pid: number): void {
    this.#shell?.stdin?.write(`- ${pid}\n`)
  }
}

export const watchdog = new Watchdog()
