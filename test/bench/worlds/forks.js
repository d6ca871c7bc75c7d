// @ts-check
import { atMost } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { scenarioOf, withFiles } from '../scenario.js'

const rounds = 5
const program = new URL('forks-process.js', import.meta.url)
const lobbies = 10_000

/**
 * What a world takes beside others: a fork, against a copy of its lobbies, one that is made anew, and a reset.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureForks() {
  return withFiles(async write => {
    const file = write('large.json', scenarioOf({ lobbies }))
    /** @type {readonly { readonly name: string, readonly args: readonly string[] }[]} */
    const scenarios = [
      { name: 'default', args: [] },
      { name: `${lobbies.toLocaleString('en')} lobbies`, args: [file] },
    ]
    const subjects = inEachCommit(program).flatMap(commit => scenarios.map(scenario => ({ ...commit, ...scenario })))
    const run = (/** @type {(typeof subjects)[number]} */ { program, args }) =>
      runProgram(program, { args, nodeFlags: ['--expose-gc'] })
    const measured = await alternate(subjects, { rounds, run })
    const results = [...measured].map(([{ name, commit }, figures]) => ({ name, commit, ...medians(figures) }))
    const [small, large, ...others] = results
    return {
      title: `worlds beside others; medians of ${rounds} processes`,
      rows: results.map(rowOf),
      aims: [small, large].flatMap((result, i) => aimsOf(result, others[i])),
    }
  })
}

/** @param {any} result */
function rowOf({ name, commit, forkMs, forkKb, writtenMs, writtenKb, copyMs, copyKb, madeMs, madeMb, resetMs }) {
  return {
    world: name,
    commit,
    'fork ms': forkMs,
    'fork KB': forkKb,
    'fork and first write ms': writtenMs,
    'fork and first write KB': writtenKb,
    'structuredClone of the lobbies ms': copyMs,
    'structuredClone KB': copyKb,
    'made anew ms': madeMs,
    '1,000 made anew MB': madeMb,
    'reset after a change ms': resetMs,
  }
}

/**
 * @param {any} result
 * @param {any} other
 */
function aimsOf({ name, forkMs, forkKb, writtenMs, writtenKb, madeMb, resetMs }, other) {
  return [
    atMost(`a fork, ${name}`, { most: 1, value: forkMs, unit: 'ms' }),
    atMost(`a fork until it changes, ${name}`, { most: 10, value: forkKb, unit: 'KB' }),
    atMost(`a fork and its first write, ${name}`, { most: 0.3, value: writtenMs, unit: 'ms' }),
    atMost(`a fork and its first write, ${name}`, { most: 25, value: writtenKb, unit: 'KB' }),
    atMost(`1,000 worlds, ${name}`, { most: 20, value: madeMb, unit: 'MB' }),
    atMost(`a reset after a change, ${name}`, { most: 0.2, value: resetMs, unit: 'ms' }),
    ...toOtherCommit(`1,000 worlds, ${name}`, { ours: madeMb, other: other?.madeMb }),
    ...toOtherCommit(`a fork and its first write, ${name}`, { ours: writtenMs, other: other?.writtenMs }),
    ...toOtherCommit(`a reset after a change, ${name}`, { ours: resetMs, other: other?.resetMs }),
  ]
}
