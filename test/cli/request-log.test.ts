import { request } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CountedLine, createConsole } from '../../src/cli/output.js'
import { logRequests, requestLine, requestObject } from '../../src/cli/request-log.js'
import { createMock } from '../../src/core/mock/mock.js'
import { scenarios } from '../../src/core/scenario/index.js'
import type { ScenarioInput } from '../../src/core/scenario/schema.js'
import type { Fault, MockmakerOptions } from '../../src/index.js'
import { bind, createListener } from '../../src/server/http/server.js'
import { processWith } from '../support/console.js'
import { list as listRequest, mockWithFaults } from '../support/faults.js'
import { ask, ok, sendTo, type TestRequest } from '../support/http.js'
import { serveReplica, sharedModel } from '../support/served-replicas.js'
import { bearer, completion, tanks, tokens } from '../support/tanks.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }
const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` }

/** A mock on a port, and the lines that the command prints for its requests. */
async function serveLogged(options: MockmakerOptions = { scenario: tanks }) {
  const mock = createMock(options, { scenarios })
  const bound = await bind({ port: 0 })
  bound.serve(createListener(mock))
  onTestFinished(() => bound.close(mock))
  const { process, written } = processWith()
  logRequests(mock, { format: 'text', console: createConsole(process) })
  /** Waits for that many lines. */
  const linesOf = (count: number) =>
    vi.waitUntil(
      () => {
        const lines = written.stdout.split('\n').slice(0, -1)
        return lines.length >= count && lines
      },
      { timeout: 30_000, interval: 5 },
    )
  return { url: bound.url, linesOf }
}

/** Sends requests to a mock, and returns the lines that the command prints for them. */
async function linesOf(exchanges: readonly TestRequest[], scenario: ScenarioInput = tanks): Promise<string[]> {
  const mock = await serveLogged({ scenario })
  for (const exchange of exchanges) await sendTo(mock.url, exchange)
  return mock.linesOf(exchanges.length)
}

describe('the line of a request', () => {
  it('has time of day, status, method, path and duration in columns', async () => {
    const [read, write] = await linesOf([list, { method: 'POST', path: '/cloud/devices/links' }])

    expect(read).toMatch(/^[\d:]{8} {2}200 {2}GET {5}\/matchmaker\/lobbies\/list {8} +[\d.]+ m?s {2}→ 2 lobbies$/)
    expect(write).toMatch(/^[\d:]{8} {2}200 {2}POST {4}\/cloud\/devices\/links {12} +[\d.]+ m?s$/)
  })

  it('is written after its world has left this process', async () => {
    const lines: CountedLine[] = []
    const replica = await serveReplica(sharedModel())
    const { process } = processWith()
    const console = { ...createConsole(process), printCounted: (line: CountedLine) => void lines.push(line) }
    logRequests(replica.mock, { format: 'text', console })

    await sendTo(replica.url, list)
    // It reads which worlds there are.
    await sendTo(replica.url, { method: 'GET', path: '/__mock/worlds' })
    await replica.close()

    expect(lines[0]?.text(1)).toContain(list.path)
  })

  it('is left out for the preflight of a browser', async () => {
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' }

    const { url, linesOf: linesOfMock } = await serveLogged()
    await sendTo(url, { ...list, method: 'OPTIONS', headers })
    await sendTo(url, list)

    expect((await linesOfMock(1)).map(line => line.split(/ +/)[2])).toEqual(['GET'])
  })

  it('is left out for a probe that succeeds', async () => {
    const { url, linesOf: linesOfMock } = await serveLogged()
    await sendTo(url, { method: 'GET', path: '/healthz' })
    await sendTo(url, list)

    expect((await linesOfMock(1)).map(line => line.split(/ +/)[3])).toEqual([list.path])
  })

  it('is left out for what a page of the mock reads, but not for what it changes', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const clock = '/__mock/clock'

    const mock = await serveLogged()

    await sendTo(mock.url, { method: 'GET', path: clock, headers })
    await sendTo(mock.url, { method: 'PUT', path: clock, headers, body: '{"mode":"frozen"}' })

    expect(await mock.linesOf(1)).toEqual([expect.stringMatching(/ 200 {2}PUT {5}\/__mock\/clock /)])
  })

  it('shortens a long path and a long origin', async () => {
    const headers = { origin: `https://${'o'.repeat(6_000)}.test` }

    const lines = await linesOf([{ method: 'GET', path: `/${'p'.repeat(6_000)}`, headers }])

    const line = lines.find(one => !one.startsWith('warning')) ?? ''
    expect(line).toMatch(/ GET {5}\/p{200,300}… .* pages of https:\/\/o{200,300}… cannot read this: /)
    expect(line.length).toBeLessThan(2_000)
  })

  it('shortens a long code', async () => {
    const faults = [{ effect: { error: { status: 500, code: 'A'.repeat(6_000) } } }]

    const [line = ''] = await linesOf([list], { ...tanks, faults })

    expect(line).toMatch(/ {2}A{100,200}…: /)
    expect(line.length).toBeLessThan(2_000)
  })

  it('counts the seats for join, if more are taken than for find', async () => {
    const game_modes = [{ game_mode_id: 'duel', max_players: { normal: 1, direct: 3, party: 3 } }]
    const scenario = { regions: ['lnd-fra'], game_modes, lobbies: [{ lobby_id: 'one' }] }
    const join = { method: 'POST', path: '/matchmaker/lobbies/join', body: '{"lobby_id":"one"}' }

    const lines = await linesOf([join, join], scenario)

    expect(lines.map(line => /→ (.*)$/.exec(line)?.[1])).toEqual(['duel in Frankfurt, 1/1', 'duel in Frankfurt, 2/3'])
  })

  it('escapes an origin with control characters', async () => {
    const mock = await serveLogged()
    const { port } = new URL(mock.url)

    // `fetch` refuses to send such a header.
    await new Promise((resolve, reject) => {
      const sent = request({ port, path: list.path, headers: { origin: 'http://a\u009b2Jb' } })
      sent.on('response', answer => answer.resume().on('end', resolve))
      sent.on('error', reject).end()
    })

    expect(await mock.linesOf(1)).toEqual([expect.stringContaining(String.raw`pages of http://a\u009b2Jb cannot`)])
  })

  it.for([
    ['POST', '/matchmaker/lobbies/find', { game_modes: ['ffa'] }, /→ ffa in .+, \d+\/\d+$/],
    ['POST', '/matchmaker/lobbies/create', { game_mode: 'ffa' }, /→ ffa in .+, 1\/\d+$/],
    [
      'POST',
      '/cloud/games/x/namespaces/validate',
      { display_name: 'A  b', name_id: '' },
      /→ display-name invalid, name-id too-short, name-id invalid$/,
    ],
    ['GET', `/cloud/devices/links?device_link_token=${tokens.pending}`, undefined, /→ pending$/],
  ] as const)('shows the outcome of %s %s', async ([method, url, input, like]) => {
    const [path = '', query = ''] = url.split('?')
    const headers = bearer(path.includes('/games/') ? tokens.cloud : tokens.public)
    const body = input === undefined ? {} : { body: JSON.stringify(input), headers }

    const [line] = await linesOf([{ method, path, query, ...body }])

    expect(line).toMatch(/ 200 /)
    expect(line).toMatch(like)
  })

  it('has the code and the message of an error', async () => {
    const [line] = await linesOf([{ ...list, headers: bearer('pub_prod.mock.nobody') }])

    expect(line).toMatch(/ {2}400 {2}.* ms {2}TOKEN_INVALID: the mock does not know this token: /)
  })

  it('marks a canned list, and says how many lobbies a public token sees', async () => {
    const [canned, shown] = await linesOf([
      { ...list, headers: bearer(tokens.development) },
      { ...list, headers: bearer(tokens.public) },
    ])

    expect(canned).toMatch(/ms {2}canned list: a public token sees 2$/)
    expect(shown).toMatch(/ms {2}→ 2 lobbies$/)
  })

  it.for([
    ['find', { game_modes: ['ffa'] }],
    ['join', { lobby_id: 'empty' }],
    ['create', { game_mode: 'ffa' }],
  ] as const)('marks a canned seat: %s', async ([name, input]) => {
    const asked = { method: 'POST', path: `/matchmaker/lobbies/${name}`, body: JSON.stringify(input) }

    const [canned, real] = await linesOf([
      { ...asked, headers: bearer(tokens.development) },
      { ...asked, headers: bearer(tokens.public) },
    ])

    expect(canned).toMatch(
      / 200 .* ms {2}[A-Z][a-z]+[A-Z][a-z]+ {2}canned seat: a public token gets one in a lobby of the world$/,
    )
    expect(real).toMatch(/ 200 .* ms {2}[A-Z][a-z]+[A-Z][a-z]+ → ffa in /)
  })

  it('does not count hidden lobbies for a public token', async () => {
    const scenario: ScenarioInput = {
      hide_empty_lobbies: true,
      tokens: { development: tokens.development },
      game_modes: ['duel'],
      lobbies: [1, 0, 0].map(total_player_count => ({
        game_mode_id: 'duel',
        region_id: 'lnd-fra',
        total_player_count,
      })),
    }

    const [canned] = await linesOf([{ ...list, headers: bearer(tokens.development) }], scenario)

    expect(canned).toMatch(/a public token sees 1$/)
  })

  it('does not mark a failed call with a development token', async () => {
    const [line] = await linesOf([{ ...list, query: 'include_state=x', headers: bearer(tokens.development) }])

    expect(line).toMatch(/API_BAD_QUERY: /)
  })

  it('says how long a watch was blocked', async () => {
    const mock = await serveLogged({ watchTimeoutMs: 300 })
    const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }
    const { watch } = JSON.parse((await sendTo(mock.url, link)).body)

    await sendTo(mock.url, { ...link, query: `${link.query}&watch_index=${watch.index}` })

    const [, blocked] = await mock.linesOf(2)
    expect(blocked).toMatch(/ GET {5}\/cloud\/devices\/links {12} +[\d.]+ m?s {2}blocked {2}→ pending$/)
  })

  it('has the real duration of a control call', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'friday-night' })

    const [line = ''] = await linesOf([{ method: 'PUT', path: '/__mock/scenario', headers, body }])

    // Creating 400 lobbies takes real time on any machine, and no time of the world.
    expect(Number(/ 200 .* (\S+) ms/.exec(line)?.[1])).toBeGreaterThan(0)
  })

  it('names the flag that allows the pages of an origin', async () => {
    const [line] = await linesOf([{ ...list, headers: { origin: 'https://evil.example' } }])

    expect(line).toMatch(
      / {2}pages of https:\/\/evil\.example cannot read this: allow them with --cors-origin https:\/\/evil\.example$/,
    )
  })

  it('contains no token', async () => {
    const lines = await linesOf([link, { method: 'GET', path: `/devices/link/${tokens.pending}` }, completion])

    expect(lines.filter(line => /mock\.(tanks|pending)/.test(line))).toEqual([])
    expect(lines[1]).toContain('/devices/link/device.…')
  })

  it('names the world unless it is `default`', async () => {
    const [byPath, own, byHeader] = await linesOf([
      { ...list, path: `/w/test-42${list.path}` },
      list,
      { ...list, headers: { 'x-mock-world': 'test-42' } },
    ])

    const inWorld = / 200 {2}GET {5}\/matchmaker\/lobbies\/list \[test-42\] +[\d.]+ m?s {2}→ 2 lobbies$/
    expect(own).not.toContain('[')
    expect([byPath, byHeader]).toEqual([expect.stringMatching(inWorld), expect.stringMatching(inWorld)])
  })

  it('counts the lobbies of its own world for a canned list', async () => {
    const mock = await serveLogged()
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ game_mode_id: 'duel' })
    await sendTo(mock.url, { method: 'PUT', path: '/__mock/worlds/more', headers, body: '{}' })
    const made = await sendTo(mock.url, { method: 'POST', path: '/w/more/__mock/lobbies', headers, body })

    await sendTo(mock.url, { ...list, path: `/w/more${list.path}`, headers: bearer(tokens.development) })

    expect(made.status).toBe(200)
    expect((await mock.linesOf(3)).at(-1)).toMatch(/\[more\] .*a public token sees 3$/)
  })
})

describe('the line of an outage', () => {
  const scenario = { regions: ['lnd-fra'], game_modes: ['duel'], lobbies: [{ region_id: 'lnd-fra' }] }
  const printed = async (format: 'text' | 'json', failuresOnly = false) => {
    const mock = createMock({ scenario })
    await mock.worlds.put('more')
    const { process, written } = processWith()
    logRequests(mock, { format, failuresOnly, console: createConsole(process) })
    for (const world of [mock.default, mock.worlds.known('more')])
      world.faults.add({ region: 'lnd-fra', effect: { outage: true } })
    process.emit('exit', 0)
    await mock.close()
    return written.stdout.trimEnd().split('\n')
  }

  it('names the region, the lobbies that it stopped, and the world', async () => {
    expect(await printed('text')).toEqual([
      expect.stringMatching(/^outage {2}lnd-fra is down: 1 lobby has stopped \(fault \S+\)$/),
      expect.stringMatching(/^outage {2}lnd-fra is down \[more\]: 1 lobby has stopped \(fault \S+\)$/),
    ])
  })

  it('is left out with --quiet', async () => {
    expect(await printed('text', true)).toEqual([''])
  })

  it('is an object with --json', async () => {
    expect((await printed('json')).map(line => JSON.parse(line))).toMatchObject([
      { event: 'outage', region_id: 'lnd-fra', stopped: 1 },
      { event: 'outage', region_id: 'lnd-fra', stopped: 1, world: 'more' },
    ])
  })
})

describe('the log of failures', () => {
  it('has requests without an answer, and none whose client has disconnected', async () => {
    const mock = createMock({ scenario: tanks })
    const { process, written } = processWith()
    logRequests(mock, { format: 'text', failuresOnly: true, console: createConsole(process) })
    const pending = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` }
    const { watch } = ok(await ask(mock, pending)) as { watch: { index: string } }

    await ask(mock, list)
    await ask(mock, { ...list, query: 'include_state=x' })
    mock.default.faults.add({ effect: { reset: true }, operation: 'lobbies.list' })
    await ask(mock, list)
    const query = `${pending.query}&watch_index=${watch.index}`
    const gone = await mock.answer({ ...pending, query, headers: {}, signal: () => AbortSignal.abort() })
    process.emit('exit', 0)

    expect(gone.status).toBe(499)
    expect(written.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/ 400 {2}GET .* API_BAD_QUERY: /),
      expect.stringMatching(/ {3}0 {2}GET .* fault 1: reset$/),
    ])
  })
})

describe('the same request again and again', () => {
  /** Sends requests to a mock in a pipe that then ends. Returns the column of the path of each line. */
  async function pathsOf(exchanges: readonly TestRequest[], format: 'text' | 'json' = 'text') {
    const mock = createMock({ scenario: tanks })
    await mock.worlds.put('more')
    const { process, written } = processWith()
    logRequests(mock, { format, console: createConsole(process) })
    for (const exchange of exchanges) await ask(mock, exchange)
    process.emit('exit', 0)
    const lines = written.stdout.trimEnd().split('\n')
    return format === 'json' ? lines : lines.map(line => / [A-Z]+ +(\/.*?) {2}/.exec(line)?.[1])
  }

  const regions = { method: 'GET', path: '/matchmaker/regions' }
  const times = (count: number, exchange: TestRequest) => Array.from({ length: count }, () => exchange)

  it('is one line, and one with the number of repetitions before the next line', async () => {
    expect(await pathsOf([...times(1_248, list), regions, list])).toEqual([
      list.path,
      `${list.path} ×1,247`,
      regions.path,
      list.path,
    ])
  })

  it('has its count as the last line if the command ends', async () => {
    expect(await pathsOf(times(3, list))).toEqual([list.path, `${list.path} ×2`])
  })

  it.each([
    ['another world', { ...list, headers: { 'x-mock-world': 'more' } }, `${list.path} [more]`],
    ['another status', { ...list, query: 'include_state=x' }, list.path],
    ['another result', { ...list, headers: bearer(tokens.development) }, list.path],
  ])('is another request with %s', async (_, other, path) => {
    expect(await pathsOf([list, other, list])).toEqual([list.path, path, list.path])
  })

  it('is an object each time with --json', async () => {
    expect(await pathsOf(times(3, list), 'json')).toHaveLength(3)
  })

  it('has the time of day and the duration of the newest one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const mock = createMock({ scenario: tanks })
    const { process, written } = processWith()
    logRequests(mock, { format: 'text', console: createConsole(process) })

    for (const second of [1, 2, 3]) {
      vi.setSystemTime(new Date(2026, 10, 20, 21, 14, second))
      await ask(mock, list)
    }
    process.emit('exit', 0)

    const lines = written.stdout.trimEnd().split('\n')
    expect(lines.map(line => line.slice(0, 8))).toEqual(['21:14:01', '21:14:03'])
  })
})

/** The log record of a list with a fault. */
async function recordOf(effect: Fault['effect']) {
  const { mock, world, records } = mockWithFaults([{ effect }])
  const answer = ask(mock, listRequest)
  await world.clock.advance(300)
  mock.faults.clear()
  await answer
  const [record] = records
  if (!record) throw new Error('nothing was logged')
  return { record, world }
}

/** A morning in the time zone of this machine. */
const endedAt = new Date(2026, 10, 20, 9, 5, 7).getTime()

describe('the line of a control call', () => {
  const style = (name: unknown, text: string) => `<${name} ${text}>`

  it.each([
    [{ path: '/__mock/clock' }, /^<dim 09:05:07 {2}200 {2}GET {5}\/__mock\/clock {25}12 ms>$/],
    [{ path: '/__mock/clock', world: 'other' }, / GET {5}\/__mock\/clock \[other\] {17}12 ms>$/],
    [
      { path: '/__mock/clock', status: 400, code: 'API_BAD_BODY', message: 'one\ntwo' },
      /<yellow 400> .*<dim +12 ms> {2}API_BAD_BODY: one …$/,
    ],
    [{ path: '/matchmaker/lobbies/list', outcome: '2 lobbies' }, /<green 200> .*<dim +12 ms> {2}→ 2 lobbies$/],
    [{ path: '/matchmaker/lobbies/find', blocked: true, ms: 302_000 }, /<green 200> .*<dim 5 min 2 s> {2}blocked$/],
    [{ path: '/x', status: 404, code: 'X', message: 'y'.repeat(500) }, /X: y{197}…$/],
  ])('is dim if it succeeded: %j', async (fields, line) => {
    const { record, world } = await recordOf({ delay: '1ms' })
    const plain = { ...record, fault: undefined, outcome: undefined, ms: 12, ...fields }

    expect(requestLine(plain, { endedAt, count: 1, world, style })).toMatch(line)
  })
})

describe('a request with a fault', () => {
  it.each<[Fault['effect'], RegExp]>([
    [{ delay: '300ms' }, / <green 200> {2}GET {5}\/matchmaker\/lobbies\/list .* fault 1: delayed 300 ms$/],
    [{ hold: true }, / <green 200> .* fault 1: held$/],
    [{ reset: true }, / <red {3}0> .* fault 1: reset$/],
    [{ empty: true }, / <red {3}0> .* fault 1: empty$/],
    [{ error: { status: 418 } }, / <yellow 418> .* ERROR: fault 1 of this mock injected this error {2}fault 1: error$/],
  ])('has the fault and its effect in its line: %j', async (effect, line) => {
    const { record, world } = await recordOf(effect)

    expect(requestLine(record, { endedAt, count: 1, world, style: (name, text) => `<${name} ${text}>` })).toMatch(line)
  })

  it('has the fault and its effect in its object', async () => {
    const { record } = await recordOf({ reset: true })

    expect(requestObject(record)).toMatchObject({ status: 0, fault: '1', faultEffect: 'reset' })
  })
})
