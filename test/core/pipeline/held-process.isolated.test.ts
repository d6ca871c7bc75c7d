import { beforeEach, describe, expect, it, vi } from 'vitest'
import { real } from '../../../src/core/lib/real-globals.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../src/index.js'
import { ask } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

const token = 'device.mock.tv'
const scenario: ScenarioInput = {
  game_modes: ['duel'],
  servers: 'manual',
  players: { concurrent: 5 },
  device_links: [{ token }],
}
const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' } as const

/** Ways in which a request waits. */
const waits = {
  'a delay': (mock, signal) => {
    mock.delay('lobbies.list', '1h')
    return ask(mock, list, signal)
  },
  'a hold': (mock, signal) => {
    mock.hold('lobbies.list')
    return ask(mock, list, signal)
  },
  'a hold that is released later': (mock, signal) => {
    const held = mock.hold('lobbies.list')
    const answer = ask(mock, list, signal)
    held.release({ delay: '1h' })
    return answer
  },
  'no answer at all': (mock, signal) => {
    const held = mock.hold('lobbies.list')
    const answer = ask(mock, list, signal)
    held.release({ never: true })
    return answer
  },
  'a watch': async (mock, signal) => {
    const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` } as const
    const { watch } = JSON.parse((await ask(mock, link)).body) as { watch: { index: string } }
    return ask(mock, { ...link, query: `${link.query}&watch_index=${watch.index}` }, signal)
  },
  'a lobby that starts': (mock, signal) => ask(mock, find, signal),
} satisfies Record<string, (mock: Mockmaker, signal: AbortSignal) => Promise<unknown>>

const ends = {
  reset: mock => mock.reset(),
  load: mock => mock.load(scenario),
  close: mock => mock.close(),
  'its client': (_, client) => client.abort(),
} satisfies Record<string, (mock: Mockmaker, client: AbortController) => unknown>

let holdsProcess: () => boolean

/** A cleared timer keeps its reference in Node. */
const isRefed = (timer: object) => (timer as NodeJS.Timeout).hasRef() && !('_destroyed' in timer && timer._destroyed)

beforeEach(() => {
  const set = vi.spyOn(real, 'setTimeout')
  holdsProcess = () => set.mock.results.some(({ value }) => isRefed(value))
})

describe.each(Object.keys(waits) as (keyof typeof waits)[])('a request that waits for %s', wait => {
  it.each(Object.keys(ends) as (keyof typeof ends)[])('holds the process until %s ends it', async end => {
    const mock = closedAfterTest(createMockmaker({ scenario }))
    const idle = holdsProcess()
    const client = new AbortController()
    const answer = waits[wait](mock, client.signal)
    await mock.blocked(1)
    const waiting = holdsProcess()

    await ends[end](mock, client)
    await answer

    expect([idle, waiting, holdsProcess()]).toEqual([false, true, false])
  })
})

describe('a request that only code can answer', () => {
  it.each([
    ['held', { game_modes: ['duel'] }, 'a hold'],
    ['that watches a frozen clock', { ...scenario, clock: 'frozen' }, 'a watch'],
  ] as const)('%s holds the process as long as its client may have a timeout', async (_, scenario, wait) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.mocked(real.setTimeout).mockImplementation((...args) => globalThis.setTimeout(...args))
    vi.spyOn(real, 'clearTimeout').mockImplementation(timer => globalThis.clearTimeout(timer))
    const mock = closedAfterTest(createMockmaker({ scenario }))
    const before = vi.getTimerCount()
    void waits[wait](mock, new AbortController().signal)
    await mock.blocked(1)
    const counts = [9_000, 1_000].map(ms => {
      vi.advanceTimersByTime(ms)
      return vi.getTimerCount() > before
    })

    expect(counts).toEqual([true, false])
  })
})
