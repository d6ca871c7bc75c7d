// @ts-check
import { createMockmaker } from '../../../dist/index.js'
import { atLeast, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { scenarioOf, withFiles } from '../scenario.js'
import { figure } from '../table.js'
import { answersOf } from './call.js'

const rounds = 4
const lobbies = 20
/** More than are completed in the time that a process measures: each can be only once. */
const links = 20_000
const program = new URL('fetch-process.js', import.meta.url)

/** @typedef {{ readonly name: string, readonly subject: string, readonly call: import('./call.js').CallName }} Run */
/** @type {readonly Run[]} */
const runs = [
  { name: 'one static http.get', subject: 'static', call: 'list' },
  { name: 'all operations', subject: 'mock', call: 'list' },
  { name: 'all operations, the list last', subject: 'reversed', call: 'list' },
  { name: 'one static http.post', subject: 'static', call: 'validate' },
  { name: 'all operations', subject: 'mock', call: 'validate' },
  { name: 'one static http.post', subject: 'static', call: 'complete' },
  { name: 'all operations', subject: 'mock', call: 'complete' },
]

/**
 * `fetch` in the process of the mock, under setupServer of msw/node with all of its handlers, and with one static handler
 * alone that answers the same.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureFetch() {
  return withFiles(async write => {
    const small = scenarioOf({ lobbies, links: 1 })
    const answers = write('answers.json', await answersOf(createMockmaker({ scenario: small })))
    const scenario = write('scenario.json', small)
    const scenarioOfLinks = write('links.json', scenarioOf({ lobbies, links }))
    const filesOf = (/** @type {string} */ call) => [call === 'complete' ? scenarioOfLinks : scenario, answers]
    const measured = await alternate(runs, {
      rounds,
      run: ({ subject, call }) => runProgram(program, { args: [subject, call, ...filesOf(call)] }),
    })
    const results = [...measured].map(([run, figures]) => ({ ...run, ...medians(figures) }))
    return {
      title: `fetch under MSW in one process, one call after the other; ${lobbies} lobbies; medians of ${rounds} processes`,
      rows: results.map(result => rowOf(result, yardstickOf(result, results))),
      aims: results
        // Nothing is promised of a write: a static handler writes nothing.
        .filter(({ subject, call }) => subject !== 'static' && call !== 'complete')
        .map(result => aimOf(result, yardstickOf(result, results))),
    }
  })
}

/** @typedef {Run & { readonly perSecond: number, readonly cpuUs: number }} Result */

/** What the calls are called in the table. */
const titles = {
  list: 'lobbies.list',
  validate: 'validateGameNamespace',
  complete: 'devices.links.complete, a write',
}

/**
 * @param {Result} result
 * @param {Result | undefined} yardstick
 */
function rowOf({ name, call, perSecond, cpuUs }, yardstick) {
  return {
    call: `${titles[call]}: ${name}`,
    'calls/s': perSecond,
    '× static': ratio(perSecond, yardstick?.perSecond),
    'CPU µs/call': cpuUs,
    'CPU × static': ratio(cpuUs, yardstick?.cpuUs),
  }
}

/**
 * @param {Result} result
 * @param {Result | undefined} yardstick
 */
function aimOf({ name, call, perSecond, cpuUs }, yardstick) {
  const beside = `calls/s; CPU a call ${figure(ratio(cpuUs, yardstick?.cpuUs) ?? Number.NaN)} ×`
  const value = ratio(perSecond, yardstick?.perSecond)
  return atLeast(`${titles[call]}: ${name}, to a static handler`, { least: 0.8, value, beside })
}

/**
 * @param {Result} result
 * @param {readonly Result[]} results
 */
function yardstickOf({ call }, results) {
  return results.find(other => other.call === call && other.subject === 'static')
}
