// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { withFiles } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'
import { livelyOf } from './lively.js'

const players = 1_000
const rounds = 3
const program = new URL('day-process.js', import.meta.url)

/**
 * A simulated day, as fast as it goes.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureDay() {
  const run = (/** @type {number} */ concurrent) => runProgram(program, { args: [String(concurrent)] })
  const measured = await alternate([players / 10, players], { rounds, run })
  const results = [...measured].map(([concurrent, figures]) => ({ concurrent, ...medians(figures) }))
  const large = results.find(({ concurrent }) => concurrent === players)
  return {
    title: `a day of players who come and go, sessions of 12 minutes; medians of ${rounds} processes`,
    rows: results.map(({ concurrent, seconds, cpuSeconds, sessions, changeSets }) => ({
      'players at once': concurrent.toLocaleString('en'),
      'real s': seconds,
      'CPU s': cpuSeconds,
      sessions: sessions.toLocaleString('en'),
      'change sets': changeSets.toLocaleString('en'),
      'CPU µs a session': (cpuSeconds * 1e6) / sessions,
    })),
    aims: [atMost('a simulated day of 1,000 players', { most: 5, value: large?.seconds, unit: 's' })],
  }
}

/** In s, before and while the command is looked at. */
const settling = 12
const looked = 30

/**
 * The same live, by the command, whose clock goes as fast as the real time.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureLive() {
  return withFiles(write =>
    withServers(async start => {
      const scenario = { ...livelyOf(players), lobbies: Array.from({ length: players / 40 }, () => crowded) }
      const args = serving(write('scenario.json', scenario))
      const server = await start({ name: 'the command', program: command, args, path: '/matchmaker/lobbies/list' })
      await sleep(settling * 1000)
      const before = server.cpuMs() ?? Number.NaN
      await sleep(looked * 1000)
      const share = ((server.cpuMs() ?? Number.NaN) - before) / looked / 10
      const list = await fetch(`${server.url}/matchmaker/lobbies/list`)
      const { lobbies } = /** @type {{ lobbies: { total_player_count: number }[] }} */ (await list.json())
      const playing = lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0)
      return {
        title: `players who come and go live, for ${looked} s`,
        rows: [{ 'players listed': playing, 'lobbies listed': lobbies.length, 'server CPU %': share }],
        aims: [atMost('1,000 players live, of a core', { most: 5, value: share, unit: '%' })],
      }
    }),
  )
}

const crowded = { game_mode_id: 'ffa', total_player_count: 40 }
