// @ts-check
import { atMost, ratio } from '../aim.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { startServer } from '../server-process.js'
import { command, onPort } from '../servers.js'

const rounds = 11
const path = '/matchmaker/lobbies/list'

/** @type {readonly import('../server-process.js').ServerOptions[]} */
const servers = [
  {
    name: 'bare Express',
    program: new URL('../yardsticks/express-server.js', import.meta.url),
    args: onPort(),
    path,
  },
]
const args = (/** @type {number} */ port) => ['--port', String(port)]

/**
 * From the spawn of a process to its first 200: the command with its default scenario, and bare Express.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureSpawn() {
  const commands = inEachCommit(command).map(({ commit, program }) => ({
    name: `the command, ${commit}`,
    program,
    args,
    path,
  }))
  const runs = await alternate([...servers, ...commands], { rounds, run: startOnce })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [express, ours, other] = results
  return {
    title: `from spawn to the first 200; medians of ${rounds} rounds`,
    rows: results.map(({ name, readyMs, cpuMs }) => ({
      server: name,
      'ms to first 200': readyMs,
      '× Express': ratio(readyMs, express?.readyMs),
      'CPU ms': cpuMs,
      'CPU × Express': ratio(cpuMs, express?.cpuMs),
    })),
    aims: [
      atMost('the command to its first 200, to bare Express', {
        most: 1.1,
        value: ratio(ours?.cpuMs, express?.cpuMs) ?? ratio(ours?.readyMs, express?.readyMs),
      }),
      ...toOtherCommit('CPU of the command to its first 200', { ours: ours?.cpuMs, other: other?.cpuMs }),
    ],
  }
}

/** @param {import('../server-process.js').ServerOptions} options */
async function startOnce(options) {
  const server = await startServer(options)
  const cpuMs = server.cpuMs()
  await server.end()
  return { readyMs: server.readyMs, cpuMs }
}
