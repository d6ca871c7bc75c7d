import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath } from '../../support/chromium.js'
import { blockOf } from '../../support/docs.js'
import { createVitestProject, type VitestProject, type VitestRun } from '../../support/vitest-project.js'

/** Runs before everything else. Its `afterAll` runs last, and writes what the file has left behind. */
const observer = `
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'

const { fetch, XMLHttpRequest } = globalThis
const observe = () => ({
  hasFetch: globalThis.fetch === fetch && globalThis.XMLHttpRequest === XMLHttpRequest,
  isListening: Symbol.for('mockmaker.listening') in globalThis,
  listeners: process.eventNames().map(name => [String(name), process.listenerCount(name)]),
  resources: process.getActiveResourcesInfo().filter(name => /Timeout|TCPServer/.test(name)),
})
let before

beforeAll(() => {
  before = observe()
})
afterAll(() => writeFileSync('left-' + process.env.OBSERVED + '.json', JSON.stringify({ before, after: observe() })))
`

/** The configuration of a run with several projects, each observed under its name. */
const configOf = (projects: Readonly<Record<string, object>>) => {
  const all = Object.entries(projects).map(([name, test]) => ({
    test: { name, env: { OBSERVED: name }, setupFiles: ['observer.ts'], ...test },
  }))
  return `export default { test: { projects: ${JSON.stringify(all)} } }`
}

/** Expects that the last file of a project has left nothing behind. */
function expectNothingLeft(project: VitestProject, name: string): void {
  const { before, after } = JSON.parse(project.read(`left-${name}.json`))
  // On a busy machine, a timer of vitest itself may still run before the tests.
  const resources = after.resources.filter((one: string) => !before.resources.includes(one))
  // After a request, happy-dom keeps a timer, with plain MSW too.
  const kept = name === 'happy-dom' ? resources : []
  expect({ ...after, resources }, name).toEqual({ ...before, resources: kept })
  expect(after, name).toMatchObject({ hasFetch: true, isListening: false })
}

/** A number of tests that all run at once. One in five fails twice, and one in ten fails for good. */
const crowd = (name: string, size: number, options: string) => `
import { mockmaker } from 'mockmaker/vitest'

const test = mockmaker(${options})
const origin = 'https://matchmaker.test'
const list = async () => (await (await fetch(origin + '/matchmaker/lobbies/list')).json()).lobbies
const attempts = new Map()

for (let count = 0; count < ${size}; count++)
  test.concurrent('${name} ' + count, { retry: 2 }, async ({ mock, expect }) => {
    const attempt = (attempts.get(count) ?? 0) + 1
    attempts.set(count, attempt)
    const seen = await list()
    const created = await mock.lobbies(1 + (count % 7))
    const joined = await fetch(origin + '/matchmaker/lobbies/join', {
      method: 'POST',
      body: JSON.stringify({ lobby_id: created[0].lobby_id }),
    })
    const own = (await list()).map(lobby => lobby.lobby_id).sort()
    const requests = (await mock.journal.find()).length
    if (seen.length > 0 || joined.status !== 200 || requests !== 3) throw new Error('sees another test')
    if (own.join() !== created.map(lobby => lobby.lobby_id).sort().join()) throw new Error('sees another test')
    if (count % 10 === 3) throw new Error('fails for good')
    if (count % 5 === 1 && attempt < 3) throw new Error('fails at first')
  })
`

const crowds = { 'in-process': 50, 'on a running mock': 20 }

/** A `test` that several files import. */
const sharedTest = `
import { mockmaker } from 'mockmaker/vitest'

const scenario = { game_modes: ['duel'], tokens: { public: 'pub_prod.mock.one' } }
export const test = mockmaker({ scenario, onUnhandledRequest: 'error' })
`

/** Two concurrent tests in a group, and one beside it. `ask` sends the requests. */
const concurrentTests = (ask: string) => `
import { describe } from 'vitest'
import { test } from './shared-test.js'

const listUrl = 'https://matchmaker.test/matchmaker/lobbies/list'
const findUrl = 'https://matchmaker.test/matchmaker/lobbies/find'
// Pages send a preflight for these headers.
const headers = { authorization: 'Bearer pub_prod.mock.one', 'content-type': 'application/json' }
const count = async () => ${ask}

describe('a group', () => {
  for (const lobbies of [1, 2])
    test.concurrent('has ' + lobbies, async ({ mock, expect }) => {
      await mock.lobbies(lobbies)
      expect(await count()).toBe(lobbies)
      expect(mock).toHaveAnswered('lobbies.list', {}, 1)
    })
})

test('has none', async ({ mock, expect }) => {
  expect([await count(), mock.journal.find().length]).toEqual([0, 1])
})

test('finds a lobby with a token', async ({ mock, expect }) => {
  const { lobby_id } = await mock.lobby()
  const seat = await fetch(findUrl, { method: 'POST', headers, body: '{"game_modes":["duel"]}' })
  expect((await seat.json()).lobby.lobby_id).toBe(lobby_id)
})
`
const byFetch = '(await (await fetch(listUrl)).json()).lobbies.length'
const byXhr = `new Promise((resolve, reject) => {
  const request = new XMLHttpRequest()
  request.onload = () => resolve(JSON.parse(request.responseText).lobbies.length)
  request.onerror = reject
  request.open('GET', listUrl)
  request.send()
})`

/** A test file with a server, and with an app of the project's Express. */
const serverTest = `
import { createServer } from 'node:http'
import { createMockmaker } from 'mockmaker'
import { createApp, listen } from 'mockmaker/express'
import { expect, test } from 'vitest'

const mock = () => createMockmaker({ scenario: { game_modes: ['duel'] } })
const statusOf = async url => (await fetch(url + '/matchmaker/lobbies/list')).status

test('a server answers', async () => {
  const { url, close } = await listen(mock(), { port: 0 })
  expect(await statusOf(url)).toBe(200)
  await close()
})

test('an app answers', async () => {
  const server = createServer(createApp(mock()))
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  expect(await statusOf('http://127.0.0.1:' + server.address().port)).toBe(200)
  await new Promise(done => server.close(done))
})
`

/** A story in jsdom, without a page that shows it. */
const storyTest = `
import mockmaker from 'mockmaker/storybook/preview'
import { composeStory } from 'storybook/internal/preview-api'
import { expect, test } from 'vitest'

const count = async () => (await (await fetch('https://matchmaker.test/matchmaker/lobbies/list')).json()).lobbies.length
// Stands for a framework.
const framework = {
  render: () => undefined,
  renderToCanvas({ storyFn, showMain }) {
    storyFn()
    showMain()
  },
}
const scenario = { game_modes: ['duel'] }

for (const lobbies of [1, 2])
  test('a composed story has ' + lobbies, async () => {
    const counts = []
    const play = async ({ mock }) => {
      await mock.lobbies(lobbies)
      counts.push(await count())
    }
    const story = { parameters: { mockmaker: { scenario } }, play }

    const Composed = composeStory(story, { title: 'List' }, mockmaker, framework, 'Few' + lobbies)
    expect(() => Composed()).toThrow('has no mock yet: run it with await Story.run()')
    await Composed.run()

    expect(counts).toEqual([lobbies])
  })
`

const one = { include: ['one.test.ts'] }
const two = { include: ['one.test.ts', 'two.test.ts'] }
const pages = { include: ['one.test.ts', 'xhr.test.ts'] }
/** A page of another origin than the mock, which is not on this machine. */
const url = 'https://staging.example/'
/** CI leaves out pools and environments that the crowd, the tests of the docs and the example of vitest run in. */
const others = process.env.CI
  ? {}
  : {
      forks: one,
      threads: { ...one, pool: 'threads' },
      vmForks: { ...one, pool: 'vmForks' },
      'shared modules': { ...two, isolate: false, fileParallelism: false },
      jsdom: { ...pages, environment: 'jsdom', environmentOptions: { jsdom: { url } } },
    }
/** The pools and environments of a project. */
const observed = {
  ...others,
  vmThreads: { ...two, pool: 'vmThreads' },
  'happy-dom': { ...pages, environment: 'happy-dom', environmentOptions: { happyDOM: { url } } },
  crowds: { include: ['own.test.ts', 'running.test.ts'] },
}
const projects = {
  ...observed,
  'servers in vmThreads': { include: ['server.test.ts'], pool: 'vmThreads' },
  stories: { include: ['stories.test.ts'], environment: 'jsdom' },
}

describe('the fixture', () => {
  let project: VitestProject
  let ended: VitestRun
  beforeAll(async () => {
    const options = "{ scenario: { game_modes: ['duel'] }, onUnhandledRequest: 'error' }"
    project = await createVitestProject({
      'observer.ts': observer,
      'vitest.config.ts': configOf(projects),
      'shared-test.ts': sharedTest,
      'one.test.ts': concurrentTests(byFetch),
      'two.test.ts': concurrentTests(byFetch),
      'xhr.test.ts': concurrentTests(byXhr),
      'server.test.ts': serverTest,
      'stories.test.ts': storyTest,
      'own.test.ts': crowd('in-process', crowds['in-process'], options),
      'running.test.ts': crowd(
        'on a running mock',
        crowds['on a running mock'],
        '{ server: process.env.MOCKMAKER_URL }',
      ),
      'empty.yaml': 'game_modes: [duel]',
    })
    const before = ['node', 'node_modules/mockmaker/dist/cli.js', 'exec', 'empty.yaml', '--']
    ended = await project.run(['--maxConcurrency=50', '--maxWorkers=1'], before)
  })
  afterAll(() => project?.remove())

  it('lets a crowd of tests see nothing of each other, in-process and on a running mock, with retries and failures in between', () => {
    const { output, states } = ended

    const failed = Object.keys(states).filter(name => states[name] !== 'passed')
    const expected = Object.entries(crowds).flatMap(([name, size]) =>
      Array.from({ length: size / 10 }, (_, ten) => `${name} ${ten * 10 + 3}`),
    )
    expect(output).not.toContain('sees another test')
    expect(Object.keys(states).filter(name => /^(in-process|on a running mock) /.test(name))).toHaveLength(70)
    expect(failed.sort()).toEqual(expected.sort())
  })

  it('works in each pool, with shared modules, and in jsdom and happy-dom, composed stories too, and leaves nothing behind', () => {
    const { output } = ended
    const count = Object.values(projects).flatMap(({ include }) => include).length

    // Those of the crowd.
    expect(output).toMatch(new RegExp(`Test Files +2 failed \\| ${count - 2} passed`))
    expect(output).toMatch(/Tests +7 failed/)
    expect(output).not.toMatch(/close timed out|"(?!in-process|on a running mock)[^"]+" has failed|warn/i)
    for (const name of Object.keys(observed)) expectNothingLeft(project, name)
  })
})

const config = `
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const launchOptions = { executablePath: ${JSON.stringify(executablePath)}, args: ['--no-sandbox'] }
export default defineConfig({
  test: {
    fileParallelism: false,
    isolate: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
`

const inPage = `
import { expect } from 'vitest'
import { mockmaker } from 'mockmaker/vitest'

const test = mockmaker({ scenario: { game_modes: ['duel'] } })
const count = async () => (await (await fetch('https://matchmaker.test/matchmaker/lobbies/list')).json()).lobbies.length

test('has a lobby', async ({ mock }) => {
  await mock.lobby()
  expect(await count()).toBe(1)
  expect(mock).toHaveAnswered('lobbies.list', { status: 200 }, 1)
})

test('has no lobby', async ({ mock }) => {
  expect([await count(), mock.journal.find().length, typeof window]).toEqual([0, 1, 'object'])
})

for (const name of ['first', 'second']) test.concurrent(name, async () => void (await count()))
`

/** Tests with fake timers. The guide has those that need more waits in a page than in Node. */
const fakeTimers = `
import { mockmaker } from 'mockmaker/vitest'
import { afterEach, expect, vi } from 'vitest'

const token = 'device.mock.tv'
const test = mockmaker({ scenario: { device_links: [{ token, completes_after: '5s' }] } })
const read = async (index = '') => {
  const query = new URLSearchParams({ device_link_token: token, watch_index: index })
  if (index === '') query.delete('watch_index')
  return (await fetch('https://matchmaker.test/cloud/devices/links?' + query)).json()
}
/** Begins to watch the link. Returns a promise for its token. */
const watch = async mock => {
  const answer = read((await read()).watch.index)
  await mock.blocked()
  return { token: answer.then(({ cloud_token }) => cloud_token) }
}

afterEach(() => void vi.useRealTimers())

test('advances all timers', async ({ mock }) => {
  vi.useFakeTimers()
  const watched = await watch(mock)
  await vi.advanceTimersByTimeAsync(5000)
  expect(await watched.token).toBeTypeOf('string')
})

test('advances a list of timers', async ({ mock }) => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  const watched = await watch(mock)
  vi.advanceTimersByTime(5000)
  expect(await watched.token).toBeTypeOf('string')
})

test('advances timers beside the real time', async ({ mock }) => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const watched = await watch(mock)
  await vi.advanceTimersByTimeAsync(5000)
  expect(await watched.token).toBeTypeOf('string')
})

test('sets the system time', async ({ mock }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [watched, began] = [await watch(mock), mock.clock.now()]
  vi.setSystemTime(began + 60_000)
  expect(mock.clock.now()).toBe(began + 60_000)
  expect(await watched.token).toBeTypeOf('string')
})

test('advances the clock of the mock', async ({ mock }) => {
  vi.useFakeTimers()
  const watched = await watch(mock)
  await mock.clock.advance('5s')
  expect(await watched.token).toBeTypeOf('string')
})
`

describe('the fixture in a page', () => {
  it('works through the worker, also with fake timers, and refuses a second test at once', async () => {
    const project = await createVitestProject({
      'vitest.config.ts': config,
      // As `npx msw init public` does.
      'public/mockServiceWorker.js': readFileSync('node_modules/msw/lib/mockServiceWorker.js', 'utf8'),
      'page.test.ts': inPage,
      'fake-timers.test.js': fakeTimers,
      'guide.test.ts': blockOf('docs/guides/vitest.md', 'fake-timers-in-a-page.test.ts').text,
    })
    const { output, states } = await project.run()

    expect(states, output).toEqual({
      'has a lobby': 'passed',
      'has no lobby': 'passed',
      first: 'passed',
      second: 'failed',
      'advances all timers': 'passed',
      'advances a list of timers': 'passed',
      'advances timers beside the real time': 'passed',
      'sets the system time': 'passed',
      'advances the clock of the mock': 'passed',
      'polls each second': 'passed',
    })
    expect(output).toContain(
      '"second" began while "first" runs: a page cannot tell whose request is whose. Write test(…) instead of test.concurrent(…), or run these tests in Node',
    )
    project.remove()
  })
})
