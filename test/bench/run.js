// @ts-check
// `npm run bench [-- http msw playwright vitest start watch store worlds life data stories replicas dashboard] [--json] [--against <folder>]`: the mock and its yardsticks, in turn,
// in one run. `--against` names a folder with another commit, built: some benches measure it too.
import { parseArgs } from 'node:util'
import { measureChanges } from './dashboard/changes.js'
import { measureWatchedList } from './dashboard/list.js'
import { measurePaint } from './dashboard/paint.js'
import { measureDataStart } from './data/start.js'
import { measureKeptFind, measureKeptList } from './data/writes.js'
import { measureJournal } from './http/journal.js'
import { measureList } from './http/list.js'
import { measureOwnApp } from './http/own-app.js'
import { measureTokens } from './http/tokens.js'
import { measureValidate } from './http/validate.js'
import { measureDay, measureLive } from './life/day.js'
import { measureFind, measureFindAmongMany } from './life/find.js'
import { measureSettling } from './life/settle.js'
import { load, machine, pinToLoadCore } from './machine.js'
import { measureFetch } from './msw/fetch.js'
import { measureFixture } from './playwright/fixture.js'
import { compareWith } from './program.js'
import { measureSharedFind } from './replicas/find.js'
import { measureForwarded } from './replicas/forwarded.js'
import { measureTakeover } from './replicas/takeover.js'
import { measureManyWorlds } from './replicas/worlds.js'
import { measureVitest } from './runners/vitest.js'
import { measureEdit } from './start/edit.js'
import { measureImport } from './start/import.js'
import { measureMake } from './start/make.js'
import { measurePage } from './start/page.js'
import { measureSpawn } from './start/spawn.js'
import { measureById } from './store/by-id.js'
import { measureListAfterChange } from './store/list-after-change.js'
import { measureNamespaces } from './store/namespaces.js'
import { measureTransaction } from './store/transaction.js'
import { measureByToken } from './stories/by-token.js'
import { tableText } from './table.js'
import { measureAllLinks } from './watch/all-links.js'
import { measureOneLink } from './watch/one-link.js'
import { measureOneOfMany } from './watch/one-of-many.js'
import { measureForks } from './worlds/forks.js'

/** @type {Readonly<Record<string, readonly (() => Promise<import('./table.js').Table>)[]>>} */
const groups = {
  http: [measureList, measureOwnApp, measureValidate, measureTokens, measureJournal],
  msw: [measureFetch],
  playwright: [measureFixture],
  vitest: [measureVitest],
  start: [measureSpawn, measureImport, measureMake, measureEdit, measurePage],
  watch: [measureOneLink, measureAllLinks, measureOneOfMany],
  store: [measureTransaction, measureNamespaces, measureById, measureListAfterChange],
  worlds: [measureForks],
  life: [measureFindAmongMany, measureFind, measureSettling, measureDay, measureLive],
  data: [measureDataStart, measureKeptFind, measureKeptList],
  stories: [measureByToken],
  replicas: [measureForwarded, measureManyWorlds, measureTakeover, measureSharedFind],
  dashboard: [measurePaint, measureChanges, measureWatchedList],
}
/** Processes that want a core besides the bench's own two, above which the figures are worth little. */
const quiet = 2.5

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, against: { type: 'string' } },
})
const unknown = positionals.filter(name => !Object.hasOwn(groups, name))
if (unknown.length > 0) {
  console.error(`no group is called ${unknown.join(', ')}: there are ${Object.keys(groups).join(', ')}`)
  process.exit(2)
}

if (values.against !== undefined) compareWith(values.against)
pinToLoadCore()
const chosen = Object.entries(groups).filter(([name]) => positionals.length === 0 || positionals.includes(name))
const report = { ...machine(), loadBefore: load(), loadAfter: 0, groups: /** @type {Record<string, object> } */ ({}) }
if (!values.json) printMachine()
for (const [name, measures] of chosen) report.groups[name] = await measureGroup(name, measures)
report.loadAfter = load()
if (values.json) console.log(JSON.stringify(report, null, 2))
else
  console.log(`\nload average at the end: ${report.loadAfter}${report.loadAfter > quiet ? ' – others were busy' : ''}`)

/**
 * @param {string} name
 * @param {readonly (() => Promise<import('./table.js').Table>)[]} measures
 */
async function measureGroup(name, measures) {
  const startedAt = performance.now()
  const tables = []
  for (const measure of measures) {
    const table = await measure()
    tables.push(table)
    if (!values.json) console.log(`\n${name}: ${tableText(table)}`)
  }
  return { seconds: Math.round((performance.now() - startedAt) / 1000), tables }
}

function printMachine() {
  const { node, packages, cores, loadBefore } = report
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  console.log(`${report.machine}; Node ${node}\n${versions.join(', ')}\n${cores}; load average ${loadBefore}`)
}
