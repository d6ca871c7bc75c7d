// @ts-check
import { atMost } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 7
const program = new URL('make-process.js', import.meta.url)
const steps = [
  { name: 'createMockmaker(), the first of its process', step: 'firstMake', most: 10 },
  { name: 'createMockmaker(), later ones', step: 'laterMake', most: 5 },
  { name: 'reset() after a change, the first of its process', step: 'firstReset', most: 1 },
  { name: 'reset() after a change, later ones', step: 'laterReset', most: 0.05 },
]

/**
 * How long a mock of the default scenario takes to be made, and to be reset.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureMake() {
  const run = (/** @type {{ readonly program: URL }} */ { program }) => runProgram(program, { args: [] })
  const runs = await alternate(inEachCommit(program), { rounds, run })
  const results = [...runs].map(([{ commit }, figures]) => ({ commit, ...medians(figures) }))
  const [figures = {}, other = {}] = results
  return {
    title: `a mock of the default scenario; medians of ${rounds} processes`,
    rows: results.flatMap(result =>
      steps.map(({ name, step }) => ({
        step: name,
        commit: result.commit,
        ms: result[`${step}Ms`],
        'CPU ms': result[`${step}CpuMs`],
      })),
    ),
    aims: steps.flatMap(({ name, step, most }) => {
      const cpu = `${step}CpuMs`
      return [
        atMost(name, { most, value: figures[cpu], unit: 'ms of CPU' }),
        ...toOtherCommit(name, { ours: figures[cpu], other: other[cpu] }),
      ]
    }),
  }
}
