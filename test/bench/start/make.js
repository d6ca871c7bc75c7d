// @ts-check
import { atMost } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 7
const program = new URL('make-process.js', import.meta.url)
const steps = [
  { name: 'createMockmaker(), the first of its process', step: 'firstMake', most: 10 },
  { name: 'createMockmaker(), later ones', step: 'laterMake', most: 5 },
  { name: 'reset() after a change, the first of its process', step: 'firstReset', most: 1 },
  { name: 'reset() after a change, later ones', step: 'laterReset', most: 1 },
]

/**
 * How long a mock of the default scenario takes to be made, and to be reset.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureMake() {
  const runs = await alternate([program], { rounds, run: one => runProgram(one, { args: [] }) })
  const figures = medians(runs.get(program) ?? [])
  return {
    title: `a mock of the default scenario; medians of ${rounds} processes`,
    rows: steps.map(({ name, step }) => ({
      step: name,
      ms: figures[`${step}Ms`],
      'CPU ms': figures[`${step}CpuMs`],
    })),
    aims: steps.map(({ name, step, most }) => atMost(name, { most, value: figures[`${step}Ms`], unit: 'ms' })),
  }
}
