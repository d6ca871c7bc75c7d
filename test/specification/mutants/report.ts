import { readFileSync, writeFileSync } from 'node:fs'
import { operationIds } from '../../../src/core/contract/operations.js'
import { readResults } from './results.js'

const reasonsFile = new URL('reasons.json', import.meta.url)

/** A mutant without its line, as reasons name it. */
const placeOf = (name: string) => name.replace(/:\d+ /, ' ')
const fileOf = (name: string) => name.split(/[: ]/, 1)[0]

/** Writes how many mutants of each operation a test finds, and of each code the specification. Prints those that no test finds. */
export function teardown(): void {
  const { byOperation, byCode, all, reached, killed } = readResults()
  const found = new Set(killed)
  const operations = operationIds.map(id => {
    const own = (byOperation[id] ?? []).filter(name => name.startsWith('operations/'))
    return [id, { mutants: own.length, killed: own.filter(name => found.has(name)).length }]
  })
  const codes = Object.entries(byCode).map(([code, names]) => [code, names.length] as const)
  const levels = {
    operations: Object.fromEntries(operations),
    codes: Object.fromEntries(codes.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
  // With fewer mutants, there are fewer by code.
  if (!process.env.MUTANTS)
    writeFileSync(new URL('killed.json', import.meta.url), `${JSON.stringify(levels, undefined, 2)}\n`)

  const reasons = JSON.parse(readFileSync(reasonsFile, 'utf8')) as Readonly<Record<string, readonly string[]>>
  // `MUTANTS` plants only those of some files.
  const files = new Set(all.map(fileOf))
  const isPlanted = (place: string) => !process.env.MUTANTS || files.has(fileOf(place))
  const known = new Set(Object.values(reasons).flat())
  const survivors = all.filter(name => !found.has(name))
  const open = survivors.filter(name => !known.has(placeOf(name)))
  const survived = new Set(survivors.map(placeOf))
  const stale = [...known].filter(place => isPlanted(place) && !survived.has(place))
  const seen = new Set(reached)
  for (const name of open.sort()) process.stdout.write(`${name}${seen.has(name) ? '' : ' (no test reaches it)'}\n`)
  for (const place of stale) process.stdout.write(`${place}: a test finds it, or it is gone: remove its reason\n`)
  const counts = `${all.length} mutants: ${killed.length} found, ${survivors.length - open.length} with a reason`
  process.stdout.write(`${counts}, ${open.length} without\n`)
  if (stale.length > 0 || open.length > 0) process.exitCode = 1
}
