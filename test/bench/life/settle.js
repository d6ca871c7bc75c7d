// @ts-check
import { atMost, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 3
const program = new URL('settle-process.js', import.meta.url)

/**
 * Players that lobbies only count become simulated players, one in each lobby: the time may grow as they do.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureSettling() {
  const run = (/** @type {number} */ lobbies) => runProgram(program, { args: [String(lobbies)] })
  const measured = await alternate([25_000, 100_000], { rounds, run })
  const results = [...measured].map(([lobbies, figures]) => ({ lobbies, ...medians(figures) }))
  const [few, many] = results
  return {
    title: `counted players settle, one in each lobby; medians of ${rounds} processes`,
    rows: results.map(({ lobbies, settleMs }) => ({ lobbies: lobbies.toLocaleString('en'), 'CPU ms': settleMs })),
    aims: [atMost('100,000 lobbies settle, to 25,000', { most: 5.5, value: ratio(many?.settleMs, few?.settleMs) })],
  }
}
