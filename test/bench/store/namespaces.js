// @ts-check
import { atMost, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 3
const program = new URL('namespaces-process.js', import.meta.url)

/**
 * Many namespaces in one transaction: the time may grow as they do.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureNamespaces() {
  const run = (/** @type {number} */ namespaces) => runProgram(program, { args: [String(namespaces)] })
  const measured = await alternate([4_000, 8_000], { rounds, run })
  const results = [...measured].map(([namespaces, figures]) => ({ namespaces, ...medians(figures) }))
  const [few, many] = results
  return {
    title: `namespaces in one transaction; medians of ${rounds} processes`,
    rows: results.map(({ namespaces, ms }) => ({ namespaces: namespaces.toLocaleString('en'), 'CPU ms': ms })),
    aims: [atMost('8,000 namespaces in one transaction, to 4,000', { most: 2.2, value: ratio(many?.ms, few?.ms) })],
  }
}
