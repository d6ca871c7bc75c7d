import { describe, expect } from 'vitest'
import type { Client } from '../../src/client/index.js'
import type { Mockmaker } from '../../src/index.js'
import { createMockmaker, type ScenarioInput } from '../../src/index.js'
import { failedWorld, reportRequests, summarizeRequests } from '../../src/testing/report.js'
import { controls } from '../support/controls.js'
import { ask, comparable, post, type TestRequest } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { bearer, tokens } from '../support/tanks.js'
import { warn, warned } from '../support/warn.js'
import { watchIndexOf } from '../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const regions = { ...list, path: '/matchmaker/regions' } as const
const find = (mode: string) => post('/matchmaker/lobbies/find', { game_modes: [mode] }, tokens.public)
const join = (lobby_id: string) => post('/matchmaker/lobbies/join', { lobby_id }, tokens.public)

/** Times differ from run to run. */
const timeless = (report: string) => report.replaceAll(/\([\d.]+ m?s\)/g, '(1 ms)').replaceAll(/ray.*/g, '')
const reportOf = async (mock: Mockmaker | Client) => timeless(await reportRequests(mock))
/** Returns the line about the world in a file. */
const worldLineOf = async (mock: Mockmaker | Client) => {
  const saved = { file: 'mockmaker-world.json', failed: await failedWorld(mock) }
  return (await reportRequests(mock, { saved })).split('\n').at(-1)
}
/** Makes the history forget all that happened before. */
const passTheHistory = async ({ clock, world }: Mockmaker) => {
  for (const total_player_count of [1, 0]) await world.lobbies.update('closed', { total_player_count })
  await clock.advance('2h')
}

describe.each(controls)('the report of a failed test, $where', ({ of }) => {
  it('lists requests with status, time and bodies, and names faults', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await ask(mock, regions)
    mock.fail('lobbies.list', 'API_RATE_LIMIT')
    await ask(mock, { ...list, query: 'include_state=true' })
    mock.faults.add({ operation: 'lobbies.find', effect: { reset: true } })
    await ask(mock, find('duel'))

    const lines = (await reportOf(of(served))).split('\n')

    expect(lines).toEqual([
      'The requests to the mock, the oldest first:',
      '  GET /matchmaker/regions → 200 (1 ms)',
      expect.stringMatching(/^ {4}answer: \{"regions":\[/),
      '  GET /matchmaker/lobbies/list?include_state=true → 429 (1 ms), by fault 1 (lobbies.list: {"error":{"code":"API_RATE_LIMIT"}})',
      '    answer: {"code":"API_RATE_LIMIT","message":"fault 1 of this mock injected this error"}',
      '  POST /matchmaker/lobbies/find → no answer (1 ms), by fault 2 (lobbies.find: {"reset":true})',
      '    request: {"game_modes":["duel"]}',
    ])
  })

  it('begins with the warnings', async ({ serve }) => {
    const served = await serve()
    await ask(served.mock, find('duel'))
    for (let i = 0; i < 2; i++) warn(served.mock)

    const [head, warning, ...others] = (await reportOf(of(served))).split('\n')

    expect([head, warning]).toEqual(['The mock warns:', `  buffered output, 2 times: ${warned}`])
    expect(others[0]).toBe('The requests to the mock, the oldest first:')
    const [summary] = (await summarizeRequests(of(served), { longest: 1_000 })).split('\n')
    expect(summary).toMatch(/^Warning: The game server of duel in nowhere has been ready for 4 s,.* may be buffered\.$/)
  })

  it('lists the requests that are still blocked', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.hold('lobbies.*', { times: 1 })
    const query = `device_link_token=${tokens.pending}&watch_index=${watchIndexOf(mock.world, tokens.pending)}`
    const answers = [ask(mock, { method: 'GET', path: '/cloud/devices/links', query }), ask(mock, find('duel'))]

    const report = await reportOf(of(served))
    await mock.reset()
    await Promise.all(answers)

    expect(report.split('\n')).toEqual([
      'These requests still wait for their answers:',
      expect.stringMatching(
        /^ {2}GET \/cloud\/devices\/links\?device_link_token=device\.…&watch_index=\d+ waits for a change of what it watches, since 2026-11-20T20:00:00\.000Z$/,
      ),
      '  POST /matchmaker/lobbies/find waits for fault 1 (lobbies.*: {"hold":true}), since 2026-11-20T20:00:00.000Z',
      '    request: {"game_modes":["duel"]}',
    ])
  })

  it('names the calls that still wait, with the nearest requests', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await ask(mock, find('duel'))
    void mock.next('lobbies.find', { status: 200 })
    void mock.blocked(2, 'lobbies.*')
    void mock.next('*', { body: { name: '\u001b[2J' } })
    await ask(mock, regions)

    const report = await reportOf(of(served))
    await mock.reset()

    const nearest = ['    The nearest requests that were answered meanwhile:', '      GET /matchmaker/regions → 200']
    expect(report.split('\n').slice(0, 16)).toEqual([
      'These calls of the test still wait:',
      '  next waits for a request for lobbies.find that matches {"status":200}',
      ...nearest,
      '         operation: expected "lobbies.find", and it is "regions.list"',
      '    POST /matchmaker/lobbies/find → 200 was answered before the wait: call next before the action that causes the request.',
      '  blocked waits for 2 blocked requests for lobbies.*',
      ...nearest,
      '         operation: expected "lobbies.*", and it is "regions.list"',
      '         blocked: expected true, and it is false',
      '  next waits for a request that matches {"body":{"name":"\\u001b[2J"}}',
      ...nearest,
      '         body.name: expected "\\u001b[2J", and it is missing',
      'The requests to the mock, the oldest first:',
    ])
  })

  it('says that no request came for a call that still waits', async ({ serve }) => {
    const served = await serve()
    void served.mock.next('lobbies.join')

    const report = await reportOf(of(served))
    await served.mock.reset()

    expect(report.split('\n')).toEqual([
      'These calls of the test still wait:',
      '  next waits for a request for lobbies.join',
      '    No request was answered meanwhile.',
      'No request has reached the mock.',
    ])
  })

  it('says that a client disconnected before its answer', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    const page = new AbortController()
    mock.hold('lobbies.list')
    const answer = ask(mock, list, page.signal)
    page.abort()
    await answer

    expect((await reportOf(of(served))).split('\n')[1]).toMatch(
      /^ {2}GET \/matchmaker\/lobbies\/list → no answer, because the client disconnected \(1 ms\), by fault 1/,
    )
  })

  it('says that no request has come', async ({ serve }) => {
    expect(await reportOf(of(await serve()))).toBe('No request has reached the mock.')
  })

  it('cuts long lists and long bodies, and prints no control character', async ({ serve }) => {
    const served = await serve()
    for (let i = 0; i < 22; i += 1)
      await ask(served.mock, post('/matchmaker/lobbies/find', `\u001b[2J\n${'x'.repeat(1_000)}`))

    const lines = (await reportOf(of(served))).split('\n')

    expect(lines[1]).toBe('  … 2 earlier requests')
    expect(lines.filter(line => line.startsWith('  POST'))).toHaveLength(20)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThan(500)
    expect(lines.join('')).not.toContain('\u001b')
  })

  it('says which request the attached world comes before, and how to serve it', async ({ serve }) => {
    const served = await serve()
    await ask(served.mock, join('nobody'))
    await ask(served.mock, regions)

    expect(await worldLineOf(of(served))).toBe(
      'mockmaker-world.json has the world as it was before POST /matchmaker/lobbies/join → 400. To look at it, run: npx mockmaker show mockmaker-world.json. To serve it, run: npx mockmaker mockmaker-world.json',
    )
  })

  it('says that the attached world is the present one without requests', async ({ serve }) => {
    expect(await worldLineOf(of(await serve()))).toBe(
      'mockmaker-world.json has the world as it is now. To look at it, run: npx mockmaker show mockmaker-world.json. To serve it, run: npx mockmaker mockmaker-world.json',
    )
  })

  it('says that the attached world is the present one if the history no longer has the earlier one', async ({
    serve,
  }) => {
    const served = await serve()
    await ask(served.mock, join('nobody'))
    await passTheHistory(served.mock)

    expect(await worldLineOf(of(served))).toBe(
      'mockmaker-world.json has the world as it is now: its history no longer has the moment before POST /matchmaker/lobbies/join → 400. To look at it, run: npx mockmaker show mockmaker-world.json. To serve it, run: npx mockmaker mockmaker-world.json',
    )
  })

  it('takes no request for failed whose client has gone away', async ({ serve }) => {
    const served = await serve()
    await ask(served.mock, join('nobody'))
    served.mock.hold('regions.list')
    await ask(served.mock, regions, AbortSignal.abort())

    expect(served.mock.journal.find().map(({ status }) => status)).toEqual([400, 499])
    expect(await worldLineOf(of(served))).toContain('before POST /matchmaker/lobbies/join → 400')
  })
})

/** Sends a request to a new mock of a scenario. */
async function answerOf(scenario: ScenarioInput, request: TestRequest) {
  const mock = createMockmaker({ scenario: JSON.parse(JSON.stringify(scenario)) })
  const { status, body } = comparable(await ask(mock, request))
  return { status, body }
}

describe.each(controls)('the world before a failed request, $where', ({ of }) => {
  const worldOf = async (mock: Mockmaker | Client) => (await failedWorld(mock)).world

  it('is the world before the newest request if none has failed, and the present one without requests', async ({
    serve,
  }) => {
    const served = await serve()
    const { mock } = served
    const without = await worldOf(of(served))
    await ask(mock, find('ffa'))

    const world = await worldOf(of(served))

    expect(without).toEqual(mock.snapshot({ with: ['faults', 'journal'], before: 2 }))
    expect(createMockmaker({ scenario: world }).world.players.count()).toBe(mock.world.players.count() - 1)
  })

  it('is the present world if the history no longer has that moment', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await ask(mock, join('nobody'))
    await passTheHistory(mock)

    expect(await worldOf(of(served))).toEqual(mock.snapshot({ with: ['faults', 'journal'] }))
    expect(() => mock.snapshot({ before: 1 })).toThrow('is no longer kept')
    expect(() => mock.snapshot({ before: 99_999 })).toThrow('the journal has no request 99999')
  })

  it('answers the newest failed request as the mock did', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await ask(mock, join('nobody'))
    await mock.world.lobbies.update('closed', { is_closed: false })
    mock.fail('lobbies.find', 503, { after: 1, times: 2 })
    await ask(mock, find('duel'))
    const before = mock.world.players.count()
    const failed = await ask(mock, find('duel'))
    await mock.clock.advance('1h')
    await mock.world.lobbies.delete('closed')
    await ask(mock, regions)

    const world = await worldOf(of(served))
    const again = await answerOf(world, find('duel'))

    expect(again).toEqual({ status: failed.status, body: failed.body })
    expect(again.status).toBe(503)
    const restored = createMockmaker({ scenario: world })
    expect([restored.world.players.count(), restored.world.lobbies.get('closed')?.is_closed]).toEqual([before, false])
    expect(restored.faults.list()).toMatchObject([{ matched: 1, struck: 0 }])
    expect(restored.journal.find().map(({ operation }) => operation)).toEqual(['lobbies.join', 'lobbies.find'])
  })
})

describe.each(controls)('the summary of the requests, $where', ({ of }) => {
  const longest = 300
  const summaryOf = async (mock: Mockmaker | Client) => timeless(await summarizeRequests(mock, { longest }))

  it('has a line for each request, the blocked ones last', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    mock.fail('lobbies.list', 503)
    mock.hold('lobbies.find', { times: 1 })
    await ask(mock, list)
    const answer = ask(mock, find('duel'))
    await ask(mock, regions)

    const summary = await summaryOf(of(served))
    await mock.reset()
    await answer

    expect(summary.split('\n')).toEqual([
      'GET /matchmaker/lobbies/list → 503 (1 ms), by a fault',
      'GET /matchmaker/regions → 200 (1 ms)',
      'POST /matchmaker/lobbies/find still waits',
    ])
  })

  it('keeps the newest failed request and the newest ones, if there are many', async ({ serve }) => {
    const served = await serve()
    const { mock } = served
    await ask(mock, regions)
    mock.fail('lobbies.list', 503, { times: 1 })
    await ask(mock, list)
    for (let i = 0; i < 20; i++) await ask(mock, { ...regions, query: `unknown=${i}` })
    await ask(mock, { ...regions, query: `long=${'x'.repeat(500)}` })

    const summary = await summarizeRequests(of(served), { longest })

    expect(summary.length).toBeLessThanOrEqual(longest)
    const lines = timeless(summary).split('\n')
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^… \d\d more requests$/),
      'GET /matchmaker/lobbies/list → 503 (1 ms), by a fault',
    ])
    expect(lines.at(-2)).toBe('GET /matchmaker/regions?unknown=19 → 200 (1 ms)')
    expect(lines.at(-1)).toMatch(/^GET \/matchmaker\/regions\?long=x+… → 200/)
  })
})
