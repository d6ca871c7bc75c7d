// @ts-check
import { atMost, ratio } from '../aim.js'
import { inEachCommit, runProgram, toOtherCommit } from '../program.js'
import { alternate, medians } from '../rounds.js'
import { figure } from '../table.js'

const rounds = 11
const program = new URL('import-process.js', import.meta.url)
const entry = new URL('../../../dist/node.js', import.meta.url)
const modules = [
  { name: 'msw/node', urls: [import.meta.resolve('msw/node')] },
  { name: 'msw/node and msw', urls: [import.meta.resolve('msw/node'), import.meta.resolve('msw')] },
]

/**
 * The import of `mockmaker/node` in a fresh process, of `msw/node` alone, and of `msw` too, as tests with handlers import it.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureImport() {
  const run = (/** @type {{ urls: readonly string[] }} */ { urls }) => importOnce(urls)
  const own = inEachCommit(entry).map(({ commit, program }) => ({
    name: `mockmaker/node, ${commit}`,
    urls: [program.href],
  }))
  const runs = await alternate([...modules, ...own], { rounds, run })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [msw, both, ours, other] = results
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
        most: 1.3,
        value: ratio(ours?.cpuMs, msw?.cpuMs),
        beside: `CPU; to msw/node and msw ${figure(ratio(ours?.cpuMs, both?.cpuMs) ?? Number.NaN)} ×`,
      }),
      ...toOtherCommit("CPU of import 'mockmaker/node'", { ours: ours?.cpuMs, other: other?.cpuMs }),
    ],
  }
}

/**
 * @param {readonly string[]} urls
 * @returns {Promise<{ readonly importMs: number, readonly cpuMs: number }>}
 */
const importOnce = urls => runProgram(program, { args: urls })
