// @ts-check
import { atMost, ratio } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { figure } from '../table.js'

const rounds = 11
const program = new URL('import-process.js', import.meta.url)

/**
 * The import of `mockmaker/node` and of `mockmaker/vitest` in a fresh process, of `msw/node` alone, and of `msw` too, as tests
 * with handlers import it.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureImport() {
  const modules = [
    { name: 'msw/node', program, args: ['msw/node'] },
    { name: 'msw/node and msw', program, args: ['msw/node', 'msw'] },
    // vitest is there before a test file.
    { name: 'mockmaker/vitest', program, args: ['mockmaker/vitest', '--after', 'vitest'] },
    // Each commit imports its own package by name.
    ...inEachCommit(program).map(({ commit, program }) => ({
      name: `mockmaker/node, ${commit}`,
      program,
      args: ['mockmaker/node'],
    })),
  ]
  const runs = await alternate(modules, { rounds, run: ({ program, args }) => runProgram(program, { args }) })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [msw, both, vitest, ours, other] = results
  return {
    title: `an import in a fresh process; medians of ${rounds} rounds`,
    rows: results.map(({ name, importMs, cpuMs }) => ({
      module: name,
      'ms to import': importMs,
      '× msw/node': ratio(importMs, msw?.importMs),
      'CPU ms': cpuMs,
      'CPU × msw/node': ratio(cpuMs, msw?.cpuMs),
    })),
    aims: [
      atMost("import 'mockmaker/node' to import 'msw/node'", {
        most: 1.5,
        value: ratio(ours?.cpuMs, msw?.cpuMs),
        beside: `CPU; to msw/node and msw ${figure(ratio(ours?.cpuMs, both?.cpuMs) ?? Number.NaN)} ×`,
      }),
      atMost("import 'mockmaker/vitest' to import 'msw/node'", {
        most: 1.5,
        value: ratio(vitest?.cpuMs, msw?.cpuMs),
        beside: 'CPU',
      }),
      ...toOtherCommit("CPU of import 'mockmaker/node'", { ours: ours?.cpuMs, other: other?.cpuMs }),
    ],
  }
}
