// @ts-check
import { join } from 'node:path'
import { atMost, ratio } from '../aim.js'
import { loadRow, loadText, measureLoad } from '../http/load.js'
import { crowdOf, seatBody, seatPath } from '../life/crowd.js'
import { inEachCommit, toOtherCommit } from '../program.js'
import { scenarioOf, tokens, withFiles, withFolder } from '../scenario.js'
import { command, serving, withServers } from '../servers.js'

const path = '/matchmaker/lobbies/list'

/**
 * A seat by the command with a folder, beside the same without one. Its clock is frozen, so that no job writes.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureKeptFind() {
  const request = { path: seatPath, token: tokens.public, body: seatBody, isSameEachTime: false }
  return measureKept('find', { scenario: { ...crowdOf(100), clock: 'frozen' }, request, most: 1.5 })
}

/**
 * The list by the command with a folder, beside the same without one.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureKeptList() {
  return measureKept('list', {
    scenario: scenarioOf({ lobbies: 20 }),
    request: { path, token: tokens.public },
    most: 1.02,
  })
}

/**
 * @param {string} name
 * @param {object} options
 * @param {import('../../../src/core/scenario/schema.js').ScenarioInput} options.scenario
 * @param {Omit<import('../http/load.js').Target, 'name' | 'server'>} options.request
 * @param {number} options.most The most CPU of a request, to that without a folder.
 * @returns {Promise<import('../table.js').Table>}
 */
function measureKept(name, { scenario, request, most }) {
  return withFolder(folder =>
    withFiles(write =>
      withServers(async start => {
        const args = serving(write('scenario.json', scenario))
        const targets = []
        for (const [i, { commit, program }] of inEachCommit(command).entries()) {
          const isOtherCommit = i > 0
          const data = (/** @type {number} */ port) => [...args(port), '--data', join(folder, String(i))]
          const memory = { name: `in memory, ${commit}`, server: await start({ name, program, args, path }) }
          const kept = { name: `in a folder, ${commit}`, server: await start({ name, program, args: data, path }) }
          targets.push({ ...memory, ...request, isOtherCommit }, { ...kept, ...request, isOtherCommit })
        }
        const results = await measureLoad(targets)
        const [memory, kept, , other] = results
        return {
          title: `${name} with --data and without; ${loadText}`,
          rows: results.map(result => loadRow(result, { memory })),
          aims: [
            atMost(`CPU of a ${name} with a folder, to without`, { most, value: ratio(kept?.cpuUs, memory?.cpuUs) }),
            ...toOtherCommit(`CPU of a ${name} with a folder`, { ours: kept?.cpuUs, other: other?.cpuUs }),
          ],
        }
      }),
    ),
  )
}
