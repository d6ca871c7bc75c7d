// @ts-check
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { atMost, ratio } from '../aim.js'
import { alternate, medians } from '../rounds.js'

const list = 'https://matchmaker.test/matchmaker/lobbies/list'

/** Test files: `tests` tests that fetch a list. */
const sources = {
  mockmaker: (/** @type {number} */ tests) => `
import { expect } from 'vitest'
import { mockmaker } from 'mockmaker/vitest'
const test = mockmaker({ scenario: { game_modes: ['duel'] } })
for (let at = 0; at < ${tests}; at++)
  test('test ' + at, async () => {
    expect((await (await fetch('${list}')).json()).lobbies).toEqual([])
  })
`,
  'msw handlers': (/** @type {number} */ tests) => `
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
const server = setupServer(http.get('${list}', () => HttpResponse.json({ game_modes: [], lobbies: [], regions: [] })))
beforeAll(() => server.listen())
afterEach(() => server.resetHandlers())
afterAll(() => server.close())
for (let at = 0; at < ${tests}; at++)
  test('test ' + at, async () => {
    expect((await (await fetch('${list}')).json()).lobbies).toEqual([])
  })
`,
}
const subjects = /** @type {(keyof typeof sources)[]} */ (Object.keys(sources))

const files = 40
const testsInOneFile = 1000

/**
 * Vitest with the fixture, against the same tests with handlers of MSW.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export async function measureVitest() {
  const runs = await alternate(subjects, { rounds: 3, run: measureOnce })
  const figures = new Map(subjects.map(subject => [subject, medians(runs.get(subject) ?? [])]))
  const [own, plain] = subjects.map(subject => figures.get(subject))
  const perTest = own && plain ? own['ms a test'] - plain['ms a test'] : undefined
  const cpuPerTest =
    own && plain ? ((own['CPU s for one file'] - plain['CPU s for one file']) * 1000) / testsInOneFile : undefined
  const cpuRatio = ratio(own?.['CPU s for 40 files'], plain?.['CPU s for 40 files'])
  return {
    title: `vitest: ${files} isolated files with five tests each, and one file with ${testsInOneFile} tests`,
    rows: subjects.map(subject => ({ tests: subject, ...figures.get(subject) })),
    aims: [
      atMost('40 files, to msw handlers', {
        most: 1.05,
        value: ratio(own?.['s for 40 files'], plain?.['s for 40 files']),
        beside: `by processor time: ${cpuRatio?.toFixed(2)} ×`,
      }),
      atMost('the fixture of a test', {
        most: 2,
        value: perTest,
        unit: 'ms',
        beside: `more than a test with msw handlers; processor time: ${cpuPerTest?.toFixed(1)} ms`,
      }),
    ],
  }
}

/** @param {keyof typeof sources} subject */
async function measureOnce(subject) {
  const source = sources[subject]
  const many = await runVitest(Array.from({ length: files }, () => source(5)))
  const one = await runVitest([source(testsInOneFile)])
  return {
    's for 40 files': many.seconds,
    'CPU s for 40 files': many.cpuSeconds,
    'ms a test': one.testsMs / testsInOneFile,
    'CPU s for one file': one.cpuSeconds,
  }
}

/**
 * Runs test files, each in a process of its own.
 *
 * @param {readonly string[]} texts
 */
async function runVitest(texts) {
  const folder = mkdtempSync(join(tmpdir(), 'mockmaker-bench-'))
  try {
    for (const [at, text] of texts.entries()) writeFileSync(join(folder, `file-${at}.test.js`), text)
    install(folder)
    const startedAt = performance.now()
    // Bash knows the processor time of all processes that vitest starts.
    const timed = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null'
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=report.json']
    const { stderr } = await promisify(execFile)('bash', ['-c', timed, 'bash', process.execPath, ...args], {
      cwd: folder,
    })
    const seconds = (performance.now() - startedAt) / 1000
    const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
    /** @type {{ testResults: { startTime: number, endTime: number }[] }} */
    const { testResults } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    const cpuSeconds = user + system
    return {
      seconds,
      cpuSeconds,
      testsMs: testResults.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} folder */
function install(folder) {
  const own = join(folder, 'node_modules/mockmaker')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  // A copy, because vitest treats a linked package like the sources of the project.
  cpSync('dist', join(own, 'dist'), { recursive: true, filter: path => !path.endsWith('.map') })
  cpSync('package.json', join(own, 'package.json'))
  for (const name of ['msw', 'vitest']) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
}
