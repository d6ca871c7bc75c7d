import { request } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createConsole } from '../../src/cli/output.js'
import { logRequests, requestLine, requestObject } from '../../src/cli/request-log.js'
import { bind, createListener } from '../../src/http/server.js'
import type { Fault, MockmakerOptions } from '../../src/index.js'
import { createMock } from '../../src/mock/mock.js'
import { scenarios } from '../../src/scenario/index.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { processWith } from '../support/console.js'
import { list as listRequest, mockWithFaults } from '../support/faults.js'
import { ask, sendTo, type TestRequest } from '../support/http.js'
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
  it('has method, path, status and time', async () => {
    const [read, write] = await linesOf([list, { method: 'POST', path: '/cloud/devices/links' }])

    expect(read).toMatch(/^GET {3}\/matchmaker\/lobbies\/list {2}200 {2}\d+\.\d ms {2}→ 2 lobbies$/)
    expect(write).toMatch(/^POST {2}\/cloud\/devices\/links {2}200 {2}\d+\.\d ms$/)
  })

  it('is left out for the preflight of a browser', async () => {
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' }

    const { url, linesOf: linesOfMock } = await serveLogged()
    await sendTo(url, { ...list, method: 'OPTIONS', headers })
    await sendTo(url, list)

    expect((await linesOfMock(1)).map(line => line.split(' ')[0])).toEqual(['GET'])
  })

  it('is left out for what a page of the mock reads, but not for what it changes', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const clock = '/__mock/clock'

    const mock = await serveLogged()

    await sendTo(mock.url, { method: 'GET', path: clock, headers })
    await sendTo(mock.url, { method: 'PUT', path: clock, headers, body: '{"mode":"frozen"}' })

    expect(await mock.linesOf(1)).toEqual([expect.stringMatching(/^PUT {3}\/__mock\/clock {2}200/)])
  })

  it('shortens a long path and a long origin', async () => {
    const headers = { origin: `https://${'o'.repeat(6_000)}.test` }

    const [line = ''] = await linesOf([{ method: 'GET', path: `/${'p'.repeat(6_000)}`, headers }])

    expect(line).toMatch(/^GET {3}\/p{200,300}… .* pages of https:\/\/o{200,300}… cannot read this: /)
    expect(line.length).toBeLessThan(2_000)
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

    expect(line).toMatch(/ {2}400 {2}\S+ ms {2}TOKEN_INVALID: the mock does not know this token: /)
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

    expect(canned).toMatch(/200 {2}\S+ ms {2}canned seat: a public token gets one in a lobby of the world$/)
    expect(real).toMatch(/200 {2}\S+ ms {2}→ ffa in /)
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
    expect(blocked).toMatch(/^GET {3}\/cloud\/devices\/links {2}200 {2}blocked \d\.\d s {2}→ pending$/)
  })

  it('has the real duration of a control call', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'friday-night' })

    const [line = ''] = await linesOf([{ method: 'PUT', path: '/__mock/scenario', headers, body }])

    // Creating 400 lobbies takes real time on any machine, and no time of the world.
    expect(Number(/ 200 {2}(\S+) ms/.exec(line)?.[1])).toBeGreaterThan(0)
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
    const [own, byPath, byHeader] = await linesOf([
      list,
      { ...list, path: `/w/test-42${list.path}` },
      { ...list, headers: { 'x-mock-world': 'test-42' } },
    ])

    const inWorld = /^GET {3}\/matchmaker\/lobbies\/list {2}\[test-42\] {2}200 {2}\d+\.\d ms {2}→ 2 lobbies$/
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

describe('the line of a control call', () => {
  const style = (name: unknown, text: string) => `<${name} ${text}>`

  it.each([
    [{ path: '/__mock/clock' }, /^<dim GET {3}\/__mock\/clock {2}200 {2}12\.0 ms>$/],
    [{ path: '/__mock/clock', world: 'other' }, /^<dim GET {3}\/__mock\/clock {2}\[other\] {2}200 {2}12\.0 ms>$/],
    [
      { path: '/__mock/clock', status: 400, code: 'API_BAD_BODY', message: 'one\ntwo' },
      /<yellow 400> {2}<dim 12\.0 ms> {2}API_BAD_BODY: one …$/,
    ],
    [{ path: '/matchmaker/lobbies/list', outcome: '2 lobbies' }, /<green 200> {2}<dim 12\.0 ms> {2}→ 2 lobbies$/],
    [{ path: '/x', status: 404, code: 'X', message: 'y'.repeat(500) }, /X: y{197}…$/],
  ])('is dim if it succeeded: %j', async (fields, line) => {
    const { record, world } = await recordOf({ delay: '1ms' })
    const plain = { ...record, fault: undefined, outcome: undefined, ms: 12, ...fields }

    expect(requestLine(plain, { world, style })).toMatch(line)
  })
})

describe('a request with a fault', () => {
  it.each<[Fault['effect'], RegExp]>([
    [{ delay: '300ms' }, /^GET {3}\/matchmaker\/lobbies\/list {2}<green 200> {2}.* fault 1: delayed 300 ms$/],
    [{ hold: true }, / <green 200> .* fault 1: held$/],
    [{ reset: true }, / <red 0> .* fault 1: reset$/],
    [{ empty: true }, / <red 0> .* fault 1: empty$/],
    [{ error: { status: 418 } }, / <yellow 418> .* ERROR: fault 1 of this mock injected this error {2}fault 1: error$/],
  ])('has the fault and its effect in its line: %j', async (effect, line) => {
    const { record, world } = await recordOf(effect)

    expect(requestLine(record, { world, style: (name, text) => `<${name} ${text}>` })).toMatch(line)
  })

  it('has the fault and its effect in its object', async () => {
    const { record } = await recordOf({ reset: true })

    expect(requestObject(record)).toMatchObject({ status: 0, fault: '1', faultEffect: 'reset' })
  })
})
