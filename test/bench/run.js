// @ts-check
// `npm run bench [-- http start watch store] [--json]`: the server that users get beside its yardsticks, in turn, in one run.
import { parseArgs } from 'node:util'
import { measureHttp } from './http.js'
import { load, machine, pinToLoadCore } from './machine.js'
import { measureStart } from './start.js'
import { measureStore } from './store.js'
import { tableText } from './table.js'
import { measureWatch } from './watch.js'

/** @type {Readonly<Record<string, () => Promise<import('./table.js').Table>>>} */
const groups = { http: measureHttp, start: measureStart, watch: measureWatch, store: measureStore }
/** Processes that want a core besides the bench's own two, above which the figures are worth little. */
const quiet = 2.5

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } })
const unknown = positionals.filter(name => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`no group is called ${unknown.join(', ')}: there are ${Object.keys(groups).join(', ')}`)
  process.exit(2)
}

pinToLoadCore()
const chosen = Object.entries(groups).filter(([name]) => positionals.length === 0 || positionals.includes(name))
const report = { ...machine(), loadBefore: load(), loadAfter: 0, groups: /** @type {Record<string, object>} */ ({}) }
if (!values.json) printMachine()
for (const [name, measure] of chosen) {
  const table = await measure()
  report.groups[name] = table
  if (!values.json) console.log(`\n${tableText(table)}`)
}
report.loadAfter = load()
if (values.json) console.log(JSON.stringify(report, null, 2))
else
  console.log(`\nload average at the end: ${report.loadAfter}${report.loadAfter > quiet ? ' – others were busy' : ''}`)

function printMachine() {
  const { node, packages, cores, loadBefore } = report
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  console.log(`${report.machine}; Node ${node}\n${versions.join(', ')}\n${cores}; load average ${loadBefore}`)
}
