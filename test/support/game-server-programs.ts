import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Join } from '../../src/core/contract/lobbies.js'
import { processStat } from '../../src/server/processes/process-stat.js'
import { blockOf } from './docs.js'

/** Returns a file that a page of the docs shows. */
export const shown = (name: string, page = 'docs/guides/game-servers.md') => blockOf(page, name).text

/** Connects a player to the server of its seat, and returns the first line that the server says. */
export async function play({ ports, player }: Join): Promise<{ line: string; leave(): void }> {
  const { hostname = '', port = 0 } = ports.default ?? {}
  const socket = connect(port, hostname)
  socket.write(`${player.token}\n`)
  const line = await new Promise<string>((resolve, reject) => {
    socket.once('data', data => resolve(String(data).trim())).once('error', reject)
  })
  return { line, leave: () => void socket.end() }
}

/** Tells whether a process lives. A negative number means its group. A dead process that nobody has reaped does not live. */
export function isAlive(target: number): boolean {
  try {
    process.kill(target, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  const stats = (target > 0 ? [String(target)] : readdirSync('/proc')).map(processStat)
  return stats.some(stat => stat && !stat.isDead && (target > 0 || stat.group === -target))
}

/** Tells whether a process lives, or one of its children. */
export function isGroupAlive(pid = 0): boolean {
  return isAlive(-pid)
}

/** Waits until a check is true. Throws after 30 s. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_200; i += 1) {
    if (await check()) return
    await delay(25)
  }
  throw new Error('it did not happen within 30 s')
}
