// @ts-check
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onServerCore } from './machine.js'
import { alternate, medians } from './rounds.js'
import { figure } from './table.js'

const rounds = 2
/** Fewer lobbies than this take less memory than the noise. */
const weighable = 1_000
/** How much slower a figure may be than at 100 lobbies and still count as flat. */
const flat = 3

/** @typedef {{ readonly name: string, readonly subject: string, readonly lobbies: number }} Run */
/** @type {readonly Run[]} */
const runs = [
  ...[100, 10_000, 100_000].map(lobbies => ({ name: 'a world', subject: 'world', lobbies })),
  ...[100, 10_000, 100_000].map(lobbies => ({ name: 'a plain Map', subject: 'map', lobbies })),
  ...[100, 10_000].map(lobbies => ({ name: "the data library's Collection", subject: 'collection', lobbies })),
]

/**
 * Look-up and update by id among few and many lobbies; seeding, and memory for each.
 *
 * @returns {Promise<import('./table.js').Table>}
 */
export async function measureStore() {
  const measured = await alternate(runs, { rounds, run: measureInProcess })
  const results = [...measured].map(([run, figures]) => ({ ...run, ...medians(figures) }))
  const rows = results.map(result => {
    const small = results.find(other => other.subject === result.subject)
    return {
      store: result.name,
      lobbies: result.lobbies.toLocaleString('en'),
      'get µs': result.getUs,
      'find µs': result.findUs,
      'to 100': ratio(result.findUs ?? result.getUs, small?.findUs ?? small?.getUs),
      'update µs': result.updateUs,
      'update to 100': ratio(result.updateUs, small?.updateUs),
      'first update ms': result.firstUpdateMs,
      'seeded in ms': result.seedMs,
      'heap KB each': result.lobbies < weighable ? undefined : result.heapBytes / 1024,
    }
  })
  const aims = rows
    .slice(1, 3)
    .flatMap(row => [
      aimOf(`find among ${row.lobbies}`, row['to 100']),
      aimOf(`update among ${row.lobbies}`, row['update to 100']),
    ])
  return {
    title: `store: processor time by id, in an order of chance; medians of ${rounds} processes each`,
    rows,
    aims,
  }
}

/**
 * @param {Run} run
 * @returns {Promise<import('./store-process.js').Figures>}
 */
async function measureInProcess({ subject, lobbies }) {
  const program = fileURLToPath(new URL('store-process.js', import.meta.url))
  const { file, args } = onServerCore(['--expose-gc', program, subject, String(lobbies)])
  const { stdout } = await promisify(execFile)(file, args)
  return JSON.parse(stdout)
}

/**
 * @param {number | undefined} figure
 * @param {number | undefined} small
 */
function ratio(figure, small) {
  return figure === undefined || small === undefined ? undefined : figure / small
}

/**
 * @param {string} what
 * @param {number | undefined} measured
 */
function aimOf(what, measured = Number.NaN) {
  return {
    aim: `${what} lobbies costs what it costs among 100 (at most ${flat} times)`,
    met: measured <= flat,
    measured: `${figure(measured)} times`,
  }
}
