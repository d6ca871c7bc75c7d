// @ts-check
// `npm run bench [-- list post find …] [--json]`: the mock and its yardsticks, in turn, in one run.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { tableText } from './figures.js'
import { measureFindInFolder, measureList, measurePost } from './http.js'
import { measurePaint } from './paint.js'
import { pinToLoadCore } from './processes.js'
import { measureFind, measureFork, measureImport, measureMsw, measureReset, measureStart } from './programs.js'
import { measureVitest } from './vitest.js'
import { measureWatches } from './watches.js'

/** @type {Readonly<Record<string, () => Promise<import('./figures.js').Table>>>} */
const benches = {
  list: measureList,
  post: measurePost,
  find: measureFind,
  folder: measureFindInFolder,
  msw: measureMsw,
  vitest: measureVitest,
  import: measureImport,
  start: measureStart,
  watches: measureWatches,
  fork: measureFork,
  reset: measureReset,
  paint: measurePaint,
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } })
const unknown = positionals.filter(name => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  console.error(`no bench is called ${unknown.join(', ')}: there are ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}

pinToLoadCore()
/** @type {Record<string, import('./figures.js').Table>} */
const tables = {}
for (const [name, measure] of Object.entries(benches)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const table = await measure()
  tables[name] = table
  if (!values.json) console.log(`\n${name}: ${tableText(table)}`)
}
const machine = { cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.version, load: loadavg()[0] }
if (values.json) console.log(JSON.stringify({ ...machine, tables }, null, 2))
else console.log(`\n${machine.cpu}; Node ${machine.node}; load average ${machine.load}`)
process.exitCode = Object.values(tables).every(({ aim }) => aim.isMet) ? 0 : 1
