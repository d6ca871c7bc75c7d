// @ts-check
import { join } from 'node:path'
import { atMost, ratio } from '../aim.js'
import { crowdOf, seatBody, seatPath } from '../life/crowd.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { tokens, withFiles, withFolder } from '../scenario.js'
import { startServer } from '../server-process.js'
import { command, serving } from '../servers.js'

const rounds = 7
const lobbies = 10_000
const changeSets = 10_000
const path = '/healthz'

/**
 * From the spawn of the command to its first 200: with a scenario file, and with a folder that has its world and a history. The
 * clock is frozen, so that no job adds change sets.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureDataStart() {
  return withFiles(write =>
    withFolder(async folder => {
      const scenario = write('scenario.json', { ...crowdOf(lobbies), clock: 'frozen' })
      const subjects = []
      for (const [i, { commit, program }] of inEachCommit(command).entries()) {
        const data = join(folder, String(i))
        const inMemory = { name: `a file, ${commit}`, program, args: serving(scenario), path }
        const kept = { ...inMemory, name: `a folder, ${commit}`, args: servingFrom(scenario, data) }
        await fill(kept)
        subjects.push(inMemory, kept)
      }
      const runs = await alternate(subjects, { rounds, run: startOnce })
      const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
      const [file, ours, , other] = results
      return {
        title: `from spawn to the first answer, ${lobbies} lobbies, ${changeSets} change sets; medians of ${rounds} rounds`,
        rows: results.map(({ name, readyMs, cpuMs }) => ({
          'starts from': name,
          'ms to first 200': readyMs,
          '× a file': ratio(readyMs, file?.readyMs),
          'CPU ms': cpuMs,
          'CPU × a file': ratio(cpuMs, file?.cpuMs),
        })),
        aims: [
          atMost('a start with a folder, to one with the file', {
            most: 1.5,
            value: ratio(ours?.cpuMs, file?.cpuMs) ?? ratio(ours?.readyMs, file?.readyMs),
          }),
          ...toOtherCommit('CPU of a start with a folder', { ours: ours?.cpuMs, other: other?.cpuMs }),
        ],
      }
    }),
  )
}

/**
 * @param {string} scenario
 * @param {string} data
 */
function servingFrom(scenario, data) {
  return (/** @type {number} */ port) => [...serving(scenario)(port), '--data', data]
}

/** @param {import('../server-process.js').ServerOptions} options */
async function startOnce(options) {
  const server = await startServer(options)
  const cpuMs = server.cpuMs()
  await server.end()
  return { readyMs: server.readyMs, cpuMs }
}

/**
 * Fills a folder with a world and its change sets, one for each find.
 *
 * @param {import('../server-process.js').ServerOptions} options
 */
async function fill(options) {
  const server = await startServer(options)
  const headers = { authorization: `Bearer ${tokens.public}`, 'content-type': 'application/json' }
  for (let i = 0; i < changeSets; i++) {
    const response = await fetch(server.url + seatPath, { method: 'POST', headers, body: JSON.stringify(seatBody) })
    if (!response.ok) throw new Error(`find answers ${response.status}`)
    await response.arrayBuffer()
  }
  await server.end()
}
