// @ts-check
import { atMost, ratio } from '../aim.js'
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
  { name: 'the command', program: command, args: port => ['--port', String(port)], path },
]

/**
 * From the spawn of a process to its first 200: the command with its default scenario, and bare Express.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureSpawn() {
  const runs = await alternate(servers, { rounds, run: startOnce })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [express, ours] = results
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
        most: 1,
        value: ratio(ours?.readyMs, express?.readyMs),
      }),
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
