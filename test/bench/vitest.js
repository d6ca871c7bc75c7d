// @ts-check
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { atMost, measureInTurn } from './figures.js'
import { withFolder } from './processes.js'

const tests = 1000
const list = 'https://matchmaker.test/matchmaker/lobbies/list'
const lobbiesOfEachTest = `
for (let at = 0; at < ${tests}; at++)
  test('test ' + at, async () => {
    expect((await (await fetch('${list}')).json()).lobbies).toEqual([])
  })
`
const sources = {
  mockmaker: `
import { expect } from 'vitest'
import { mockmaker } from 'mockmaker/vitest'
const test = mockmaker({ scenario: { game_modes: ['duel'] } })
${lobbiesOfEachTest}`,
  'msw handlers': `
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
const server = setupServer(http.get('${list}', () => HttpResponse.json({ game_modes: [], lobbies: [], regions: [] })))
beforeAll(() => server.listen())
afterEach(() => server.resetHandlers())
afterAll(() => server.close())
${lobbiesOfEachTest}`,
}

/** A test with the fixture, beside one with a handler of MSW. @returns {Promise<import('./figures.js').Table>} */
export async function measureVitest() {
  const figures = await measureInTurn(Object.values(sources), { rounds: 3, run: runVitest })
  const [ours, plain] = figures.map(each => each['CPU ms a test'] ?? Number.NaN)
  const value = ours === undefined || plain === undefined ? undefined : ours - plain
  return {
    title: `one file of vitest with ${tests} tests that list lobbies; medians of 3`,
    rows: Object.keys(sources).map((with_, i) => ({ with: with_, ...figures[i] })),
    aim: atMost('a test, more than with msw handlers', { most: 5, value, unit: 'ms of CPU' }),
  }
}

/** @param {string} source */
function runVitest(source) {
  return withFolder(async (_, folder) => {
    writeFileSync(join(folder, 'file.test.js'), source)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const own = join(folder, 'node_modules/mockmaker')
    mkdirSync(own, { recursive: true })
    // A copy, because vitest treats a linked package like the sources of the project.
    cpSync('dist', join(own, 'dist'), { recursive: true, filter: path => !path.endsWith('.map') })
    cpSync('package.json', join(own, 'package.json'))
    for (const name of ['msw', 'vitest']) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
    // Bash knows the processor time of all processes that vitest starts.
    const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', 'bash', process.execPath]
    const { stderr } = await promisify(execFile)('bash', [...timed, 'node_modules/vitest/vitest.mjs', 'run'], {
      cwd: folder,
    })
    const [user, system] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
    return { 'CPU ms a test': (((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000) / tests }
  })
}
