// @ts-check
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { atMost } from '../aim.js'
import { onServerCore } from '../machine.js'
import { alternate, median, medians } from '../rounds.js'

const rounds = 5

/** @typedef {{ readonly name: string, readonly file: string }} Subject */
/** @type {readonly Subject[]} */
const subjects = [
  { name: 'page.route with a static answer', file: 'static.e2e.js' },
  { name: 'context.route with a static answer', file: 'context.e2e.js' },
  { name: 'mockmaker/playwright', file: 'mock.e2e.js' },
]

/**
 * A test of Playwright that opens a page and asks for the lobbies: with the fixture, and with a static answer.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureFixture() {
  const measured = await alternate(subjects, { rounds, run })
  const figures = subjects.map(subject => medians(measured.get(subject) ?? []))
  const [ofPage, ofContext, ours] = figures
  const extra = (/** @type {'ms' | 'cpuMs'} */ name, yardstick = ofPage) =>
    (ours?.[name] ?? Number.NaN) - (yardstick?.[name] ?? Number.NaN)
  const cpu = `processor time of the worker: ${extra('cpuMs').toFixed(1)} ms`
  const beside = `${extra('ms', ofContext).toFixed(1)} ms beyond context.route; ${cpu}`
  return {
    title: `a test with Playwright, one worker, medians of ${rounds} runs`,
    rows: subjects.map(({ name }, i) => ({
      test: name,
      'ms a test': figures[i]?.ms,
      'CPU ms of the worker': figures[i]?.cpuMs,
    })),
    aims: [atMost('the fixture, beyond a static answer', { most: 5, value: extra('ms'), unit: 'ms a test', beside })],
  }
}

/** @param {Subject} subject */
async function run({ file: suite }) {
  const cli = 'node_modules/@playwright/test/cli.js'
  const { file, args } = onServerCore([cli, 'test', '--config', 'test/bench/playwright/config.js', suite])
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 64 * 1024 ** 2 })
  /** @typedef {{ duration: number, annotations: { description: string }[] }} Result */
  /** @type {{ suites: { specs: { tests: { results: Result[] }[] }[] }[] }} */
  const { suites } = JSON.parse(stdout)
  const results = suites.flatMap(({ specs }) => specs.flatMap(({ tests }) => tests[0]?.results[0] ?? []))
  const cpu = results.map(({ annotations: [used] }) => Number(used?.description))
  return {
    ms: median(results.map(({ duration }) => duration)),
    cpuMs: median(cpu.slice(1).map((used, i) => used - (cpu[i] ?? 0))),
  }
}
