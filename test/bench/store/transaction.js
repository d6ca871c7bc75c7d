// @ts-check
import { atMost } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 5
const lobbies = 10_000
const program = new URL('transaction-process.js', import.meta.url)

/**
 * A transaction that puts a player, and with it counts its lobby.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureTransaction() {
  const run = (/** @type {{ readonly program: URL }} */ { program }) => runProgram(program, { args: [String(lobbies)] })
  const measured = await alternate(inEachCommit(program), { rounds, run })
  const results = [...measured].map(([{ commit }, figures]) => ({ commit, ...medians(figures) }))
  const [ours, other] = results
  return {
    title: `a transaction of two puts among ${lobbies.toLocaleString('en')} lobbies; medians of ${rounds} processes`,
    rows: results.map(({ commit, transactionUs }) => ({ commit, 'CPU µs': transactionUs })),
    aims: [
      atMost('a transaction of two puts', { most: 8, value: ours?.transactionUs, unit: 'µs' }),
      ...toOtherCommit('a transaction of two puts', {
        ours: ours?.transactionUs,
        other: other?.transactionUs,
        most: 0.59,
      }),
    ],
  }
}
