import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { logRequests } from '../../../../src/cli/request-log.js'
import { runAtOnce } from '../../../../src/core/lib/steps.js'
import { mockOf } from '../../../../src/core/mock/facade.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../../src/index.js'
import { recordingConsole } from '../../../support/console.js'
import { fakeRealTimers } from '../../../support/fake-real-timers.js'
import { ask, sendTo } from '../../../support/http.js'
import { it } from '../../../support/served-mock.js'
import { tanks } from '../../../support/tanks.js'
import { closedAfterTest } from '../../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const wrong = (path = '/matchmaker/lobbies/lists') => ({ method: 'GET', path }) as const
const rulesOf = ({ warnings }: Pick<Mockmaker, 'warnings'>) => warnings.list().map(({ rule }) => rule)

function mockWithWarning(scenario: ScenarioInput = tanks): Mockmaker {
  const mock = closedAfterTest(createMockmaker({ scenario }))
  void mock.answer({ ...wrong(), headers: {} })
  expect(rulesOf(mock)).toEqual(['no such call'])
  return mock
}

describe('the warnings of a world', () => {
  it('are the same in-process, over HTTP, in an event and in the terminal', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const { console, lines } = recordingConsole()
    logRequests(mockOf(mock, 'test'), { format: 'text', console })
    const stream = await client.changes({ with: ['warnings'] })
    // The requests are events, too.
    const next = async () => {
      for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) })
        if (event.type === 'warnings') return event.data
      throw new Error('the events have ended')
    }
    expect(await next()).toEqual({ warnings: [], dropped: 0 })

    await send(wrong())
    await send(wrong())

    const listed = mock.warnings.list()
    const [entry, second] = mock.journal.find()
    expect(listed).toEqual([
      {
        id: 1,
        rule: 'no such call',
        sentence: 'The service has no call GET /matchmaker/lobbies/lists.',
        advice: 'Did you mean GET /matchmaker/lobbies/list?',
        count: 2,
        first_at: entry?.time,
        last_at: second?.time,
        requests: [entry?.id, second?.id],
        revision: mock.world.revision,
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      },
    ])
    expect([await client.warnings.list(), await client.warnings.dropped()]).toEqual([listed, mock.warnings.dropped()])
    expect((await next()).warnings).toHaveLength(1)
    expect(lines.filter(line => line.startsWith('warning'))).toEqual([
      'warning  no such call: The service has no call GET /matchmaker/lobbies/lists. Did you mean GET /matchmaker/lobbies/list?',
    ])
    await stream.return(undefined)
  })

  it('begin anew with a reset, a load, a restore and a fork', async () => {
    const mock = mockWithWarning()
    const fork = await mock.worlds.put('copy', { fork: 'default' })
    expect(rulesOf(fork)).toEqual([])
    const again: readonly (() => Promise<void>)[] = [
      () => mock.reset(),
      () => mock.load(tanks),
      () => mock.restore(mock.snapshot()),
    ]
    for (const replace of again) {
      await replace()
      expect(rulesOf(mock)).toEqual([])
      await ask(mock, wrong())
      expect(mock.warnings.list()).toMatchObject([{ id: 1, count: 1 }])
    }
  })

  it('are in a capsule, with the requests that prove them', async () => {
    const mock = mockWithWarning()
    const [{ requests, ...warning } = { requests: [] }] = mock.warnings.list()
    const scenario = JSON.parse(runAtOnce(mockOf(mock, 'test').default.capsule()))

    const copy = closedAfterTest(createMockmaker({ scenario }))

    const [{ requests: kept, ...copied } = { requests: [] }] = copy.warnings.list()
    expect(copied).toEqual(warning)
    expect(kept.map(id => copy.journal.get(id)?.path)).toEqual(requests.map(id => mock.journal.get(id)?.path))
  })

  it('are turned off by the scenario, at once when it is reloaded', async () => {
    const mock = mockWithWarning()
    const off = { ...tanks, warnings: { 'no such call': 'off' } } as const
    await mock.reload(off)
    expect(rulesOf(mock)).toEqual([])
    expect(mock.snapshot().warnings).toEqual(off.warnings)
    await ask(mock, wrong('/matchmaker/lobbies/find/me'))
    await mock.reload(tanks)
    expect(rulesOf(mock)).toEqual(['no such call'])
  })

  it('name the near rule for one that does not exist', () => {
    const scenario = { ...tanks, warnings: { 'hot lop': 'off' } } as unknown as ScenarioInput
    expect(() => createMockmaker({ scenario })).toThrow(
      /warnings\["hot lop"\] is an unknown key\. Known: hot loop, watch without index, .* Did you mean hot loop\?/,
    )
  })

  it('are at most 100, with 20 requests each, and the rest is counted', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    for (let i = 0; i < 50; i++) await ask(mock, wrong('/one'))
    for (let i = 0; i < 103; i++) await ask(mock, wrong(`/paths/${i}`))

    const [first, ...others] = mock.warnings.list()
    expect(first).toMatchObject({ count: 50, requests: expect.objectContaining({ length: 20 }) })
    const ids = mock.journal.find().map(({ id }) => id)
    expect(first?.requests).toEqual([...ids.slice(0, 10), ...ids.slice(40, 50)])
    expect(others).toHaveLength(99)
    expect(mock.warnings.dropped()).toBe(4)
  })

  it('show no token', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    await ask(mock, wrong('/lobbies/pub_prod.mock.tanks'))
    expect(JSON.stringify(mock.warnings.list())).not.toContain('mock.tanks')
  })
})

describe('clients over HTTP', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    fakeRealTimers()
  })
  afterEach(() => void vi.useRealTimers())

  it.for([
    { headers: {}, found: ['hot loop'] },
    { headers: { connection: 'close' }, found: [] },
  ])('are told apart by their connections: $headers', async ({ headers, found }, { serve }) => {
    const { mock, url } = await serve()
    for (let i = 0; i < 120; i++) {
      await sendTo(url, { ...list, headers })
      vi.advanceTimersByTime(40)
    }
    expect(rulesOf(mock)).toEqual(found)
  })
})
