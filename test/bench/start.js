// @ts-check
import { alternate, medians } from './rounds.js'
import { startServer } from './server-process.js'
import { figure } from './table.js'

const rounds = 11
const path = '/matchmaker/lobbies/list'

/** @type {readonly import('./server-process.js').ServerOptions[]} */
const servers = [
  {
    name: 'bare Express',
    program: new URL('yardsticks/express-server.js', import.meta.url),
    args: port => [String(port)],
    path,
  },
  {
    name: 'the command',
    program: new URL('../../dist/cli.js', import.meta.url),
    args: port => ['--port', String(port)],
    path,
  },
]

/**
 * From the spawn of a process to its first 200: the command with its default scenario, and bare Express.
 *
 * @returns {Promise<import('./table.js').Table>}
 */
export async function measureStart() {
  const runs = await alternate(servers, { rounds, run: startOnce })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const express = results[0]?.readyMs ?? 0
  const rows = results.map(({ name, readyMs, cpuMs }) => ({
    server: name,
    'ms to first 200': readyMs,
    'to Express': readyMs / express,
    'CPU ms': cpuMs,
  }))
  const ratio = rows[1]?.['to Express'] ?? 0
  return {
    title: `start: from spawn to the first 200; medians of ${rounds} rounds`,
    rows,
    aims: [{ aim: 'within twice of bare Express', met: ratio <= 2, measured: `${figure(ratio)} times its time` }],
  }
}

/** @param {import('./server-process.js').ServerOptions} options */
async function startOnce(options) {
  const server = await startServer(options)
  const cpuMs = server.cpuMs()
  await server.end()
  return { readyMs: server.readyMs, cpuMs }
}
