// @ts-check
import { atMost, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 3
const program = new URL('by-id-process.js', import.meta.url)
/** Fewer lobbies than this take less memory than the noise. */
const weighable = 1_000

/** @typedef {{ readonly name: string, readonly subject: string, readonly lobbies: number }} Run */
/** @type {readonly Run[]} */
const runs = [
  ...[100, 10_000, 100_000].map(lobbies => ({ name: 'a world', subject: 'world', lobbies })),
  ...[100, 10_000, 100_000].map(lobbies => ({ name: 'a plain Map', subject: 'map', lobbies })),
  ...[100, 10_000].map(lobbies => ({ name: "the data library's Collection", subject: 'collection', lobbies })),
]

/** @typedef {Run & import('./by-id-process.js').Figures} Result */

/**
 * Look-up and update by id among few and many lobbies; seeding, and memory for each.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureById() {
  const run = (/** @type {Run} */ { subject, lobbies }) =>
    runProgram(program, { args: [subject, String(lobbies)], nodeFlags: ['--expose-gc'] })
  const measured = await alternate(runs, { rounds, run })
  /** @type {Result[]} */
  const results = [...measured].map(([run, figures]) => ({ ...run, ...medians(figures) }))
  const smallest = (/** @type {Result} */ { subject }) => results.find(other => other.subject === subject)
  return {
    title: `processor time by id, in an order of chance; medians of ${rounds} processes each`,
    rows: results.map(result => rowOf(result, smallest(result))),
    aims: results.filter(({ subject }) => subject === 'world').flatMap(result => aimsOf(result, smallest(result))),
  }
}

/**
 * @param {Result} result
 * @param {Result | undefined} small
 */
function rowOf(result, small) {
  return {
    store: result.name,
    lobbies: result.lobbies.toLocaleString('en'),
    'get µs': result.getUs,
    'find µs': result.findUs,
    'find × 100': ratio(result.findUs, small?.findUs),
    'update µs': result.updateUs,
    'update × 100': ratio(result.updateUs, small?.updateUs),
    'first update ms': result.firstUpdateMs,
    'seeded in ms': result.seedMs,
    'heap KB each': result.lobbies < weighable ? undefined : result.heapBytes / 1024,
  }
}

/**
 * @param {Result} result
 * @param {Result | undefined} small
 */
function aimsOf({ lobbies, findUs, updateUs, seedMs, heapBytes }, small) {
  if (lobbies !== 100_000) return []
  return [
    atMost('find among 100,000 lobbies, to among 100', { most: 2, value: ratio(findUs, small?.findUs) }),
    atMost('update among 100,000 lobbies, to among 100', { most: 2, value: ratio(updateUs, small?.updateUs) }),
    atMost('seeding 100,000 lobbies', { most: 3, value: seedMs / 1000, unit: 's' }),
    atMost('heap of each of them', { most: 0.6, value: heapBytes / 1024, unit: 'KB' }),
  ]
}
