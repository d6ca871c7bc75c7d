// @ts-check
import { atMost, ratio } from '../aim.js'
import { runProgram } from '../program.js'
import { alternate, medians } from '../rounds.js'

const rounds = 11
const program = new URL('import-process.js', import.meta.url)
const modules = [
  { name: 'msw/node', url: import.meta.resolve('msw/node') },
  { name: 'mockmaker/node', url: new URL('../../../dist/node.js', import.meta.url).href },
]

/**
 * The import of `mockmaker/node` in a fresh process, and of `msw/node` alone.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureImport() {
  const run = (/** @type {{ url: string }} */ { url }) => importOnce(url)
  const runs = await alternate(modules, { rounds, run })
  const results = [...runs].map(([{ name }, figures]) => ({ name, ...medians(figures) }))
  const [msw, ours] = results
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
        value: ratio(ours?.importMs, msw?.importMs),
      }),
    ],
  }
}

/**
 * @param {string} url
 * @returns {Promise<{ readonly importMs: number, readonly cpuMs: number }>}
 */
const importOnce = url => runProgram(program, { args: [url] })
