// @ts-check
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
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
  const run = (/** @type {{ readonly program: URL }} */ { program }) => runProgram(program, { args: [String(players)] })
  const measured = await alternate(inEachCommit(program), { rounds, run })
  const results = [...measured].map(([{ commit }, figures]) => ({ commit, ...medians(figures) }))
  const [ours, other] = results
  return {
    title: `a day of ${players.toLocaleString('en')} players who come and go, sessions of 12 minutes; medians of ${rounds} processes`,
    rows: results.map(({ commit, seconds, cpuSeconds, sessions, changeSets }) => ({
      commit,
      'real s': seconds,
      'CPU s': cpuSeconds,
      sessions: sessions.toLocaleString('en'),
      'change sets': changeSets.toLocaleString('en'),
      'CPU µs a session': (cpuSeconds * 1e6) / sessions,
    })),
    aims: [
      atMost('a simulated day of 1,000 players', { most: 3.5, value: ours?.cpuSeconds, unit: 's of CPU' }),
      ...toOtherCommit('a simulated day of 1,000 players', {
        ours: ours?.cpuSeconds,
        other: other?.cpuSeconds,
        most: 0.7,
      }),
    ],
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
