import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from '@fast-check/vitest'
import { fromTraffic } from '@msw/source/traffic'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { setupServer } from 'msw/node'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import { createMockmaker } from '../../../src/index.js'
import { journalToHar } from '../../../src/server/har/write.js'
import { folder } from '../../support/command.js'
import { ask, post, type TestRequest } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { runHere } from '../../support/run-here.js'
import { serveMock } from '../../support/served-mock.js'
import { tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const url = 'http://127.0.0.1:4100'
const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

// The package has no types.
const require = createRequire(import.meta.url)
const schemas: Readonly<Record<string, object & { $schema?: string }>> = require('har-schema')

function isHar(value: unknown): boolean {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const { $schema: _, ...schema } of Object.values(schemas)) ajv.addSchema(schema)
  const isValid = ajv.validate('har.json', value)
  expect(ajv.errors ?? []).toEqual([])
  return isValid
}

const harOf = (mock: Mock) => journalToHar(mock.default.journal.find(), { url })

function mockOf(scenario: object = tanks): Mock {
  const mock = closedAfterTest(createMock({ scenario, seed: 1 }))
  return mock
}

/** Returns the entry of a request. */
async function entryOf(request: TestRequest, mock = mockOf()) {
  await ask(mock, request).catch(() => {})
  const entry = harOf(mock).log.entries.at(-1)
  if (!entry) throw new Error('there is no entry')
  return entry
}

describe('a HAR of any journal', { tags: ['slow'] }, () => {
  test.prop([fc.array(fc.oneof(randomRead, randomWriteCall), { minLength: 1, maxLength: 12 })], {
    numRuns: inject('runs'),
  })('is valid, and has each request of the journal', async requests => {
    const mock = createMock({ scenario: tanks, seed: 1 })
    for (const request of requests) await ask(mock, request)
    const har = harOf(mock)
    const entries = mock.default.journal.find()
    await mock.close()

    expect(isHar(har)).toBe(true)
    expect(har.log.entries.map(({ request, response }) => [request.method, response.status])).toEqual(
      entries.map(({ method, status }) => [method, status]),
    )
  })
})

describe('a HAR of the journal', () => {
  it('has the whole request', async () => {
    const { request } = await entryOf({ ...find, query: 'a=1&a=2&b=%20x', headers: { 'x-coords': '1,2' } })

    expect(request).toMatchObject({
      method: 'POST',
      url: `${url}/matchmaker/lobbies/find?a=1&a=2&b=+x`,
      headers: [{ name: 'x-coords', value: '1,2' }],
      queryString: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
        { name: 'b', value: ' x' },
      ],
      postData: { mimeType: 'application/json', text: find.body },
      bodySize: find.body.length,
    })
  })

  it('has the answer as it was sent, but for the tokens', async () => {
    const mock = mockOf()
    const { body } = await ask(mock, list)
    const { response } = harOf(mock).log.entries[0] ?? {}

    expect(response).toMatchObject({
      status: 200,
      statusText: 'OK',
      headers: [
        { name: 'content-type', value: 'application/json' },
        { name: 'cache-control', value: 'no-store' },
      ],
      content: { text: body, size: Buffer.byteLength(body), mimeType: 'application/json' },
      bodySize: Buffer.byteLength(body),
    })
  })

  it('has no whole token', async () => {
    const mock = mockOf()
    await ask(mock, { ...find, headers: { authorization: `Bearer ${tokens.public}` } })
    await ask(mock, { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` })
    const players = mock.default.world.players.all().map(({ player_token }) => player_token)
    const text = JSON.stringify(harOf(mock))

    expect(players.length).toBeGreaterThan(0)
    expect([tokens.public, tokens.pending, ...players].filter(token => text.includes(token))).toEqual([])
  })

  it('tells a missing answer from an empty one, and from one that was too long for the journal', async () => {
    const state = { text: 'x'.repeat(200_000) }
    const long = mockOf({
      game_modes: ['duel'],
      lobbies: [
        { game_mode_id: 'duel', state },
        { game_mode_id: 'duel', state },
      ],
    })
    const reset = mockOf()
    reset.default.faults.add({ operation: 'lobbies.list', effect: { reset: true } })

    const empty = await entryOf({ ...list, method: 'HEAD' })
    const lost = await entryOf({ ...list, query: 'include_state=true' }, long)
    const none = await entryOf(list, reset)

    expect(empty.response).toMatchObject({ status: 200, content: { text: '', size: 0 }, bodySize: 0 })
    expect(lost.response).toMatchObject({
      status: 200,
      headers: [{ name: 'content-type', value: 'application/json' }, {}],
      content: { comment: 'The answer was too long for the journal.' },
      bodySize: -1,
    })
    expect(lost.response.content).not.toHaveProperty('text')
    expect(none).toMatchObject({
      response: { status: 0, statusText: '', headers: [], content: { mimeType: 'x-unknown' } },
      _error: 'the connection was closed without an answer',
      _mockmaker: { fault: '1' },
    })
  })

  it('says what the mock knows: the operation, the caller and the change', async () => {
    const entry = await entryOf({ ...find, headers: { authorization: `Bearer ${tokens.public}` } })

    expect(entry).toMatchObject({
      _mockmaker: { operation: 'lobbies.find', caller: { kind: 'public' }, revisions: [expect.any(Number)] },
    })
  })

  it('answers the same requests in @msw/source', async () => {
    const mock = mockOf()
    await ask(mock, list)
    await ask(mock, find)
    await ask(mock, post('/matchmaker/lobbies/find', {}))
    mock.default.faults.add({ operation: 'lobbies.list', effect: { reset: true } })
    await ask(mock, list).catch(() => {})
    const har = harOf(mock)
    const server = setupServer(...fromTraffic(har))
    server.listen()
    onTestFinished(() => server.close())
    const send = ({ method, path, body }: { method: string; path: string; body?: string }) =>
      fetch(url + path, { method, ...(body && { body }) })

    const answers = [await send(list), await send(find), await send(find)]

    const texts = har.log.entries.slice(0, 3).map(({ response }) => response.content.text)
    expect(await Promise.all(answers.map(answer => answer.text()))).toEqual(texts)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    await expect(send(list)).rejects.toThrow()
  })
})

describe('mockmaker export --har', () => {
  /** A running mock with some requests, and its URL. */
  async function running() {
    const mock = createMockmaker({ scenario: tanks, seed: 1 })
    const served = await serveMock(mock)
    await fetch(`${served}/matchmaker/lobbies/list`)
    return { mock, url: served }
  }

  it('prints the journal of a running mock', async () => {
    const { mock, url } = await running()

    const { code, stdout, stderr } = await runHere(['export', '--har', '--url', url])

    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(journalToHar(mock.journal.find(), { url }))))
    expect(isHar(JSON.parse(stdout))).toBe(true)
  })

  it('has the URLs of a world', async () => {
    const { url } = await running()
    const world = `${url}/w/test-42`
    await fetch(`${world}/matchmaker/lobbies/list`)

    const { stdout } = await runHere(['export', '--har', '--url', world])

    expect(JSON.parse(stdout).log.entries).toMatchObject([{ request: { url: `${world}/matchmaker/lobbies/list` } }])
  })

  it('says how many requests the journal has dropped', async () => {
    const mock = createMockmaker({ scenario: tanks, journalSize: 2 })
    const url = await serveMock(mock)
    for (let i = 0; i < 5; i++) await fetch(`${url}/matchmaker/lobbies/list`)

    const { code, stdout, stderr } = await runHere(['export', '--har', '--url', url])

    expect([code, JSON.parse(stdout).log.entries.length]).toEqual([0, 2])
    expect(stderr).toBe('the journal no longer has the first 3 requests: --journal of the mock keeps more\n')
  })

  it('writes it to a file, and prints nothing', async () => {
    const { url } = await running()
    const file = join(await folder(), 'session.har')

    const written = await runHere(['export', '--har', '--url', url, '-o', file])
    const printed = await runHere(['export', '--har', '--url', url])

    expect(written).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await readFile(file, 'utf8')).toBe(printed.stdout)
  })

  it.for([
    [['--data', '.'], 'a folder has no journal: export --har from a running mock'],
    [['--with', 'faults'], '--har prints the journal alone: remove --with'],
    [['--revision', '3'], '--har prints the whole journal: remove --revision'],
    [['-o', ''], 'Expected the path of a file.'],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stdout, stderr } = await runHere(['export', '--har', ...args])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  it('ends with 1 if the server is no mock', async () => {
    const { url } = await running()

    const { code, stderr } = await runHere(['export', '--har', '--url', `${url}/w/nobodys`])

    expect(code).toBe(1)
    expect(stderr).toContain('there is no world "nobodys"')
  })
})
