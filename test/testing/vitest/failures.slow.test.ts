import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capsuleJson } from '../../../src/server/files/capsule-html.js'
import { createVitestProject, type VitestProject, type VitestRun } from '../../support/vitest-project.js'

const failing = `
import { AsyncResource } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { mockmaker } from 'mockmaker/vitest'

const test = mockmaker({ scenario: { game_modes: ['duel'] }, onUnhandledRequest: 'error' })
const origin = 'https://matchmaker.test'

test('loses a seat', async ({ mock }) => {
  const { lobby_id } = await mock.lobby()
  mock.fail('lobbies.list', 503)
  await fetch(origin + '/matchmaker/lobbies/join', { method: 'POST', body: JSON.stringify({ lobby_id }) })
  await fetch(origin + '/matchmaker/lobbies/list')
  mock.hold('regions.list')
  void fetch(origin + '/matchmaker/regions')
  await mock.blocked(1)
  expect(1).toBe(2)
})

test('waits in vain', { timeout: 3_000 }, async ({ mock }) => {
  void mock.blocked(2)
  const joined = mock.next('lobbies.join')
  await fetch(origin + '/matchmaker/lobbies/list')
  await joined
})

test('waits too long', async ({ mock }) => {
  await mock.next('lobbies.join', {}, { timeout: '1ms' })
})

test('passes', () => fetch(origin + '/matchmaker/lobbies/list'))

test.fails('fails as it should', async () => {
  await fetch(origin + '/matchmaker/lobbies/list')
  expect(1).toBe(2)
})

test('asserts too much', async ({ mock }) => {
  await fetch(origin + '/matchmaker/lobbies/list')
  expect(mock).toHaveAnswered('lobbies.list', { status: 404 })
})

test('asserts about no mock', () => {
  expect({ mock: 1 }).toHaveAnswered('lobbies.list')
})

test('names no operation', ({ mock }) => {
  expect(mock).toHaveAnswered('lobbies.lst')
})

let queue
test('starts a queue', () => {
  queue = new AsyncResource('queue')
})

test('is answered by nobody', async () => {
  await queue.runInAsyncScope(() => fetch(origin + '/matchmaker/lobbies/list'))
  expect(1).toBe(2)
})

describe('with a Promise that loses the context', () => {
  const { Promise } = globalThis
  beforeAll(() => {
    const turn = []
    globalThis.Promise = class extends Promise {
      then(done, failed) {
        const later = run => run && (value => new Promise(end => {
          turn.push(() => end(run(value)))
          if (turn.length === 1) queueMicrotask(() => turn.splice(0).forEach(one => one()))
        }))
        return super.then(later(done), later(failed))
      }
    }
  })
  afterAll(() => {
    globalThis.Promise = Promise
  })

  for (const count of [1, 2])
    test('is alone, and has ' + count, async ({ mock }) => {
      await mock.lobbies(count)
      const response = await globalThis.Promise.resolve().then(() => fetch(origin + '/matchmaker/lobbies/list'))
      expect((await response.json()).lobbies).toHaveLength(count)
    })

  test.concurrent('runs first', () => fetch(origin + '/matchmaker/lobbies/list'))
  test.concurrent('runs second', () => {})
})

const strict = mockmaker({ strict: true })

strict('adds a fault in vain', ({ mock }) => {
  mock.fail('lobbies.list', 503)
})

strict('fails, and adds a fault in vain', ({ mock }) => {
  mock.fail('lobbies.find', 503)
  expect(1).toBe(2)
})

mockmaker({ scenario: 'fridaynight' })('loads no scenario', () => {})
mockmaker({ scnario: {} })('has a wrong option', () => {})
mockmaker({ server: 'http://127.0.0.1:1' })('reaches no server', () => {})
`

describe('a test that fails', () => {
  let project: VitestProject
  let result: VitestRun
  beforeAll(async () => {
    project = await createVitestProject({ 'failing.test.ts': failing })
    result = await project.run()
  })
  afterAll(() => project.remove())

  /** Returns the block that a test has printed to the console. */
  const printedBy = (name: string) =>
    result.output.split(/^(?=stderr \||stdout \|)/m).find(block => block.includes(`> ${name}\n`))
  /** Returns the block of a failure at the end of the output. */
  const failureOf = (name: string) =>
    result.output.split(/^(?= FAIL )/m).find(block => block.startsWith(` FAIL  failing.test.ts > ${name}\n`))

  it('does not change the result of the others', () => {
    const failed = Object.entries(result.states).filter(([, state]) => state !== 'passed')

    expect(result.code).toBe(1)
    expect(Object.keys(result.states).filter(name => result.states[name] === 'passed')).toEqual([
      'passes',
      'fails as it should',
      'starts a queue',
      'with a Promise that loses the context is alone, and has 1',
      'with a Promise that loses the context is alone, and has 2',
      'with a Promise that loses the context runs first',
    ])
    expect(failed).toHaveLength(13)
  })

  it('prints its requests, their bodies, the faults, and what is still blocked', () => {
    const printed = printedBy('loses a seat')

    expect(printed).toMatch(/^mockmaker: "loses a seat" has failed\.$/m)
    expect(printed).toMatch(/^ +POST \/matchmaker\/lobbies\/join → 200 \([\d.]+ m?s\)$/m)
    expect(printed).toMatch(/^ +request: \{"lobby_id":"/m)
    expect(printed).toMatch(/^ +GET \/matchmaker\/lobbies\/list → 503 \([\d.]+ m?s\), by fault \S+ \(lobbies\.list: /m)
    expect(printed).toMatch(/^ +GET \/matchmaker\/regions waits for fault/m)
  })

  it('prints the calls that still wait if it takes too long', () => {
    const lines = printedBy('waits in vain')?.split('\n') ?? []

    expect(lines.slice(lines.indexOf('mockmaker: "waits in vain" has failed.') + 1, -1)).toEqual(
      expect.arrayContaining([
        'These calls of the test still wait:',
        '  blocked waits for 2 blocked requests',
        '  next waits for a request for lobbies.join',
        '         operation: expected "lobbies.join", and it is "lobbies.list"',
      ]),
    )
    expect(failureOf('waits in vain')).toContain('Test timed out in 3000ms')
  })

  it('counts the requests of others that came meanwhile', () => {
    expect(printedBy('is answered by nobody')).toMatch(
      /^No request has reached the mock\.\nMeanwhile 1 request came that did not belong to it: 1 of "starts a queue", which has ended\. Code that several tests share/m,
    )
  })

  it('attaches the world with its past, and prints the path', () => {
    const [, path = ''] =
      /^(\S+\.html) has the world with its past\. Open it/m.exec(printedBy('loses a seat') ?? '') ?? []
    const { past } = JSON.parse(capsuleJson(readFileSync(path, 'utf8')) ?? '')

    expect(past.exchanges.map(([entry]: [string]) => JSON.parse(entry).path)).toContain('/matchmaker/lobbies/join')
  })

  it('is the only one that prints', () => {
    expect(result.output.match(/mockmaker: "[^"]+" has failed/g)).toHaveLength(8)
    expect(result.output).not.toContain('"passes" has failed')
    expect(result.output).not.toContain('"fails as it should" has failed')
  })

  it.each([
    ['asserts too much', 'status'],
    ['asserts about no mock', 'toHaveAnswered expects a mock'],
    ['names no operation', 'Did you mean lobbies.list?'],
    ['waits too long', 'TimeoutError: 1ms passed before a request for lobbies.join came'],
    ['adds a fault in vain', 'never applied to a request'],
    ['loads no scenario', 'Did you mean friday-night?'],
    ['has a wrong option', 'options.scnario is an unknown key'],
    ['reaches no server', 'http://127.0.0.1:1'],
    [
      'with a Promise that loses the context > runs second',
      '"runs second" began while "runs first" runs: the global Promise',
    ],
  ])('says why: %s', (name, message) => {
    expect(failureOf(name)).toContain(message)
  })

  it('hears nothing of unused faults if it fails anyway', () => {
    expect(failureOf('fails, and adds a fault in vain')).not.toContain('never applied')
  })
})
