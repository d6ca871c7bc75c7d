// @ts-check
import { atMost, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 3
const program = new URL('list-after-change-process.js', import.meta.url)
const sizes = [10, 1_000, 10_000]

/** @typedef {{ readonly name: string, readonly subject: string, readonly lobbies: number }} Run */
/** @type {readonly Run[]} */
const runs = sizes.flatMap(lobbies => [
  { name: 'JSON.stringify, to bytes', subject: 'stringify', lobbies },
  { name: 'answer of a mock', subject: 'mock', lobbies },
])

/** @typedef {Run & import('./list-after-change-process.js').Figures} Result */

/**
 * The list of lobbies when one of them has changed: what it costs to answer it, beside the bytes of the answer.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureListAfterChange() {
  const run = (/** @type {Run} */ { subject, lobbies }) => runProgram(program, { args: [subject, String(lobbies)] })
  const measured = await alternate(runs, { rounds, run })
  /** @type {Result[]} */
  const results = [...measured].map(([run, figures]) => ({ ...run, ...medians(figures) }))
  const ours = results.filter(({ subject }) => subject === 'mock')
  const stringify = (/** @type {Result} */ { lobbies }) => results.find(other => other.lobbies === lobbies)
  const smaller = (/** @type {Result} */ { subject, lobbies }) =>
    results.filter(other => other.subject === subject && other.lobbies < lobbies).at(-1)
  return {
    title: `lobbies.list after one lobby has changed; processor time, medians of ${rounds} processes each`,
    rows: results.map(result => rowOf(result, { bare: stringify(result), smaller: smaller(result) })),
    aims: ours.flatMap(result => aimsOf(result, smaller(result))),
  }
}

/**
 * @param {Result} result
 * @param {{ readonly bare: Result | undefined, readonly smaller: Result | undefined }} beside
 */
function rowOf({ name, lobbies, listUs, changeUs, bytes }, { bare, smaller }) {
  return {
    subject: name,
    lobbies: lobbies.toLocaleString('en'),
    bytes,
    'list µs': listUs,
    '× stringify': ratio(listUs, bare?.listUs),
    'list × fewer': ratio(listUs, smaller?.listUs),
    'bytes × fewer': ratio(bytes, smaller?.bytes),
    'change µs': changeUs,
  }
}

/**
 * The time may grow as the bytes do.
 *
 * @param {Result} result
 * @param {Result | undefined} smaller
 */
function aimsOf({ lobbies, listUs, bytes }, smaller) {
  if (!smaller) return []
  const most = Math.round((bytes / smaller.bytes) * 10) / 10
  const [from, to] = [smaller.lobbies, lobbies].map(count => count.toLocaleString('en'))
  return [
    atMost(`time of the list from ${from} to ${to} lobbies, as its bytes,`, { most, value: listUs / smaller.listUs }),
  ]
}
