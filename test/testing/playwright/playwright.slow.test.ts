import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Har } from 'har-format'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { capsuleJson } from '../../../src/server/files/capsule-html.js'
import { balance } from '../../support/balancer.js'
import { type OpenCommand, openCommand } from '../../support/command.js'
import type { Project } from '../../support/project.js'
import { RedisServer } from '../../support/redis-server.js'
import { createPlaywrightProject, type Report, type ReportedTest, runPlaywright } from './playwright-project.js'

/** Returns the tests of a file of test/testing/playwright. */
const testsOf = ({ tests }: Report, file: string) => tests.filter(test => test.file === `${file}.e2e.ts`)

const failed = ({ tests }: Pick<Report, 'tests'>) =>
  tests.filter(({ outcome }) => outcome !== 'expected').map(({ title, errors }) => [title, ...errors].join('\n'))

/** Expects that a server has no world of a test, and that nothing waits on it. */
async function expectNothingLeft({ url }: Pick<OpenCommand, 'url'>): Promise<void> {
  const worlds = await createClient(url).worlds.list()
  expect(worlds).toEqual([expect.objectContaining({ id: 'default', waiters: 0 })])
}

/** Expects that the world, served, answers the request that failed as it did. */
async function expectSameAnswer(world: ReportedTest['attachments'][number] | undefined, answer: string | undefined) {
  const served = await openCommand([world?.path ?? ''])
  const ask = async () => {
    const response = await fetch(`${served.url}/matchmaker/lobbies/list`)
    return { status: response.status, body: await response.text() }
  }
  const first = await ask()
  const { lobbies } = JSON.parse((await ask()).body)
  await served.end()

  expect(first).toEqual({ status: 503, body: answer })
  // The fault applied once. The lobby that the test created afterwards is not there.
  expect(lobbies).toHaveLength(2)
}

/** Returns our attachments of a test. Playwright adds some of its own. */
const attachedTo = (test: ReportedTest | undefined) =>
  test?.attachments.map(({ name, contentType }) => `${name} ${contentType}`).filter(one => one.startsWith('mockmaker'))

const attached = [
  'mockmaker-requests text/plain',
  'mockmaker-journal.txt text/plain',
  'mockmaker-world.json application/json',
  'mockmaker.har application/json',
  'mockmaker.html text/html',
]

/** Expects what the test `has a page that shows no lobby` has attached. */
async function expectAttachments(test: ReportedTest | undefined): Promise<void> {
  expect(attachedTo(test)).toEqual(attached)
  const [requests, journal, world, har, capsule] = test?.attachments ?? []
  expect(requests?.text).toMatch(/^GET .* → 503 \(.* ms\), by a fault\nGET \/cloud\/devices\/links\?.* still waits$/m)
  expect(journal?.text).toMatch(/^ {2}POST \/matchmaker\/lobbies\/find → 200 \(.* ms\)\n {4}request: \{"game_modes"/m)
  expect(journal?.text).toContain('by fault 1 (lobbies.list: {"error":{"status":503}})')
  expect(journal?.text).toMatch(/still wait .*\n {2}GET \/cloud\/devices\/links/)
  expect(journal?.text).toMatch(/as it was before GET \/matchmaker\/lobbies\/list → 503\. To look at it, run: npx/)
  const { entries } = JSON.parse(har?.text ?? '').log as Har['log']
  const sent = entries.map(({ request, response }) => `${request.method} ${request.url} ${response.status}`)
  expect(sent).toContain('POST https://matchmaker.example/matchmaker/lobbies/find 200')
  expect(sent).toContain('GET https://matchmaker.example/matchmaker/lobbies/list 503')
  const { past } = JSON.parse(capsuleJson(capsule?.text ?? '') ?? '')
  expect(past.exchanges.at(-1)[0]).toContain('/matchmaker/')
  await expectSameAnswer(world, test?.annotations.find(({ type }) => type === 'answer')?.description)
}

describe('mockmaker/playwright', () => {
  let project: Project
  let server: OpenCommand
  /** Some files in the process of the tests. */
  let inProcess: Report
  /** On a server, the tests with the tag @server. Each test has a page, so all of them would take minutes. */
  let onServer: Report
  beforeAll(async () => {
    project = await createPlaywrightProject()
    server = await openCommand()
    // A process, a worker and a browser take seconds to start, so the files share them.
    const files = ['routing.e2e.ts', 'isolation.e2e.ts', 'failing.e2e.ts']
    inProcess = await runPlaywright(project, files, { env: { TEST_COUNT: '5' }, args: ['--workers', '2'] })
    const other = createServer((_, response) => response.end('hello'))
    await new Promise<void>(done => other.listen(0, '127.0.0.1', done))
    const env = { MOCK_SERVER: server.url, NO_MOCK: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }
    onServer = await runPlaywright(project, ['routing.e2e.ts', 'failing.e2e.ts', 'misuse.e2e.ts'], {
      env,
      args: ['--workers', '1', '--grep', '@server'],
    })
    other.close()
  }, 600_000)
  afterAll(async () => {
    await server?.end()
    project?.remove()
  })

  it('answers the pages of a test in its process', () => {
    const tests = testsOf(inProcess, 'routing')

    expect(failed({ tests })).toEqual([])
    expect(inProcess.errors).toEqual([])
    expect(tests.length).toBeGreaterThan(18)
  })

  it('answers the pages of some tests in a world of a server, and deletes it', async () => {
    const tests = testsOf(onServer, 'routing')

    expect(failed({ tests })).toEqual([])
    expect(onServer.errors).toEqual([])
    expect(tests.length).toBeGreaterThan(5)
    await expectNothingLeft(server)
  })

  it('answers the pages of all tests in a world of a server', { tags: ['matrix'] }, async () => {
    const env = { MOCK_SERVER: server.url }

    const report = await runPlaywright(project, ['routing.e2e.ts'], { env, args: ['--workers', '2'] })

    expect(failed(report)).toEqual([])
    expect(report.errors).toEqual([])
    await expectNothingLeft(server)
  })

  it('answers the pages of some tests through any of two replicas', { tags: ['matrix'] }, async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const replicas = [await openCommand(['--data', redis.url]), await openCommand(['--data', redis.url])]
    onTestFinished(() => Promise.all(replicas.map(replica => replica.end())).then(() => {}))
    const balancer = await balance(replicas.map(({ url }) => url))
    onTestFinished(balancer.close)
    const env = { MOCK_SERVER: balancer.url }

    const report = await runPlaywright(project, ['routing.e2e.ts'], {
      env,
      args: ['--workers', '2', '--grep', '@server'],
    })

    expect(failed(report)).toEqual([])
    expect(report.tests.length).toBeGreaterThan(5)
    expect(balancer.connections()).toBeGreaterThan(1)
    for (const replica of replicas) await expectNothingLeft(replica)
  })

  /** Expects that the tests of `isolation.e2e.ts` pass, and that one in ten needed its retry. */
  function expectIsolated(tests: readonly ReportedTest[], count: number): void {
    expect(tests.filter(({ outcome }) => outcome === 'unexpected')).toEqual([])
    expect(tests.filter(({ outcome }) => outcome === 'flaky')).toHaveLength(Math.ceil(count / 10))
    expect(tests).toHaveLength(count)
  }

  // On a server, the tests of its worlds hold the same.
  it('keeps 5 parallel tests apart in-process, with failures and retries', () => {
    expectIsolated(testsOf(inProcess, 'isolation'), 5)
  })

  it.each(['in-process', 'on a server'])(
    'keeps 200 parallel tests apart %s, with failures and retries',
    {
      timeout: 1_200_000,
      tags: ['matrix'],
    },
    async where => {
      const env = { TEST_COUNT: '200', ...(where === 'on a server' ? { MOCK_SERVER: server.url } : {}) }

      const { tests, errors } = await runPlaywright(project, ['isolation.e2e.ts'], { env, args: ['--workers', '4'] })

      expectIsolated(tests, 200)
      expect(errors).toEqual([])
      await expectNothingLeft(server)
    },
  )

  it('attaches the requests and the world of a failed test', async () => {
    const { errors, output } = inProcess
    const tests = testsOf(inProcess, 'failing')

    const outcomes = tests.map(({ title, outcome }) => [title, outcome])
    expect(outcomes.filter(([, outcome]) => outcome === 'expected')).toEqual([
      ['expected to fail has no attachments', 'expected'],
    ])
    expect(errors).toEqual([])
    const titled = (part: string) => tests.find(({ title }) => title.includes(part))
    const [unanswered, noMock] = titled('did not come')?.errors ?? []
    const [strict, expected, timedOut] = ['strict', 'has no attachments', 'times out'].map(titled)
    await expectAttachments(titled('no lobby'))
    expect(unanswered).toContain('The nearest requests:\n  POST /matchmaker/lobbies/find → 200')
    expect(noMock).toContain('toHaveAnswered expects a mock, a world of a mock, or a client, and got {}')
    expect(strict?.errors[0]).toContain('fault 1 (lobbies.join: {"error":{"status":503}}) never applied')
    expect(attachedTo(strict)).toEqual(attached)
    expect(attachedTo(expected)).toEqual([])
    expect(output).toContain('attachment #1: mockmaker-requests (text/plain)')
    expect(output).toMatch(/^ {4}GET \/matchmaker\/lobbies\/list → 503 \(.* ms\), by a fault\n {4}GET .* still waits$/m)
    expect(titled('mocks itself')?.attachments[0]?.text).toMatch(
      /^The service worker http:\/\/127\.0\.0\.1:\d+\/worker\.js may answer before the mock does\. .*\nNo request has reached the mock\.$/,
    )
    expect(titled('route of its own')?.attachments[0]?.text).toBe(
      'No request to https://matchmaker.example has reached the mock. Routes of the test answer first, unless they call route.fallback().',
    )
    expect(timedOut?.attachments[0]?.text).toMatch(/^next still waits for a request for lobbies\.join\n/m)
    expect(timedOut?.attachments[1]?.text).toContain('  next waits for a request for lobbies.join\n')
    expect(timedOut?.attachments[1]?.text).toContain('These requests still wait for their answers:')
  })

  it('attaches the requests and the world of a test that failed on a server, and deletes it', async () => {
    const tests = testsOf(onServer, 'failing')

    expect(tests).toHaveLength(1)
    await expectAttachments(tests[0])
    await expectNothingLeft(server)
  })

  it('says what is wrong', async () => {
    const tests = testsOf(onServer, 'misuse')

    const firstLines = tests.map(({ title, errors }) => [title, errors.map(error => error.split('\n')[0])])
    const sentence = (text: string) => [expect.stringContaining(text)]
    const noUrl = ': expected a URL without a query and without a world, such as https://matchmaker.example'
    expect(Object.fromEntries(firstLines)).toEqual({
      'no matchmaker fails': sentence('UsageError: matchmaker is missing: name the URL at which your page calls'),
      'no URL fails': sentence(`UsageError: matchmaker is "matchmaker.example"${noUrl}`),
      'a query fails': sentence(noUrl),
      'a world fails': sentence(noUrl),
      'no scenario fails': sentence('UsageError: there is no scenario file friday-nite'),
      'no file fails': sentence('UsageError: there is no scenario file ./none.yaml'),
      'no seed fails': sentence('UsageError: options.seed is "one": expected an integer'),
      'no fault fails': sentence('UsageError: faults[0].operation is "lobbies.lost": expected the id of an operation'),
      'no URL of a server fails': sentence('UsageError: server is "127.0.0.1": expected the URL of a running mock'),
      'no server fails': sentence('no mock answers at http://127.0.0.1:1: is npx mockmaker running there?'),
      'no mock fails': sentence('is not a mock: it answered 200 hello'),
      'no scenario of the server fails': sentence('there is no scenario "friday-nite"'),
      'an option of the server fails': sentence('UsageError: live is an option of a mock in the process of the test'),
      'a resolver on a server fails': sentence('UsageError: on: a resolver cannot run on a server'),
      'a resolver in-process passes': [],
    })
    await expectNothingLeft(server)
  })
})
