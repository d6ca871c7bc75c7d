import { AsyncResource } from 'node:async_hooks'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { beforeAll, beforeEach, describe, expect, test as plain, vi } from 'vitest'
import { setupMockmaker } from '../../../src/msw/node.js'
import { mockmaker, type VitestMock } from '../../../src/testing/vitest/index.js'
import { flushPromises } from '../../support/worlds.js'

const test = mockmaker({ scenario: { game_modes: ['duel'] }, onUnhandledRequest: 'error' })

const origin = 'https://matchmaker.test'
const listUrl = `${origin}/matchmaker/lobbies/list`

// Stands for the code under test.
async function countLobbies(url = listUrl): Promise<number> {
  return ((await (await fetch(url)).json()) as { lobbies: unknown[] }).lobbies.length
}

let countBefore: number | undefined
beforeAll(async () => {
  countBefore = await countLobbies()
})

describe('a hook before all tests', () => {
  test('reaches a mock that no test sees', ({ mock }) => {
    expect([countBefore, mock.journal.find()]).toEqual([0, []])
  })
})

describe('a test', () => {
  test('has a mock of its own, which its requests reach', async ({ mock }) => {
    await mock.lobby()

    expect(await countLobbies()).toBe(1)
    expect(mock.journal.find()).toHaveLength(1)
    expect(mock).toHaveAnswered('lobbies.list', { status: 200 }, 1)
  })

  test('sees nothing of the test before', async ({ mock }) => {
    expect([await countLobbies(), mock.journal.find().length, mock.id]).toEqual([0, 1, 'default'])
  })

  test('that does not name the mock has one too', async () => {
    expect(await countLobbies()).toBe(0)
  })

  test('can add handlers of MSW, until its end', async ({ mock }) => {
    mock.use(http.get('*/profile', () => HttpResponse.json({ name: 'Ada' })))

    expect(await (await fetch('https://game.test/profile')).json()).toEqual({ name: 'Ada' })
  })

  test('sees no handler of the test before', async () => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})

    await expect(fetch('https://game.test/profile')).rejects.toThrow()
    expect(String(consoleSpy.mock.calls)).toContain('https://game.test/profile')
  })

  test('can have several worlds', async ({ mock }) => {
    const other = await mock.worlds.put('other')
    await other.lobbies(2)

    expect(await Promise.all([countLobbies(), countLobbies(`${other.url}/matchmaker/lobbies/list`)])).toEqual([0, 2])
  })

  test('moves the clock of its mock by fake timers', async ({ mock }) => {
    vi.useFakeTimers()
    const before = mock.clock.now()

    await vi.advanceTimersByTimeAsync(90_000)

    expect(mock.clock.now() - before).toBe(90_000)
  })

  test.for([1, 2])('with the case %i has a mock too', async (count, { mock }) => {
    await mock.lobbies(count)

    expect(await countLobbies()).toBe(count)
  })

  const kept: VitestMock[] = []
  test('can keep its mock', ({ mock }) => {
    kept.push(mock)
  })

  const queues: AsyncResource[] = []
  test('can start a queue', () => {
    queues.push(new AsyncResource('queue'))
  })

  test('hears whose queue it is', async ({ mock }) => {
    const response = await queues[0]?.runInAsyncScope(() => fetch(listUrl))

    expect(await response?.json()).toMatchObject({
      message: expect.stringMatching(
        /^this request belongs to the test "can start a queue", which has ended\. .* AsyncResource\.bind\(\(\) => …\), if "hears whose queue it is" has sent it$/,
      ),
    })
    expect(mock.journal.find()).toEqual([])
  })

  test('cannot use the mock of a test that has ended', () => {
    const [mock] = kept
    const ended = 'this mock belongs to a test that has ended'

    expect(() => mock?.world.lobbies).toThrow(ended)
    expect(() => mock?.lobby()).toThrow(ended)
    expect(() => mock?.worlds.list()).toThrow(ended)
  })
})

describe('concurrent tests', () => {
  const counts = Array.from({ length: 50 }, (_, count) => count)

  test.concurrent.for(counts)('reach their own mocks: %i', async (count, { mock, expect }) => {
    for (let i = 0; i < count; i++) {
      await mock.lobby()
      if (i % 10 === 0) expect(await countLobbies()).toBe(i + 1)
      await flushPromises()
    }

    expect(await countLobbies()).toBe(count)
    expect(mock).toHaveAnswered('lobbies.list', {}, Math.ceil(count / 10) + 1)
  })

  test.concurrent.for(counts)('add their own handlers: %i', async (count, { mock, expect }) => {
    mock.use(http.get('*/number', () => HttpResponse.json(count)))
    await flushPromises()

    expect(await (await fetch('https://game.test/number')).json()).toBe(count)
  })
})

describe('the hooks of a test', () => {
  beforeEach(async () => {
    await fetch(listUrl)
  })

  test('reach its mock', async ({ mock }) => {
    await fetch(listUrl)

    expect(mock).toHaveAnswered('lobbies.list', {}, 2)
  })
})

describe('the options of a group', () => {
  test.override('options', {
    seed: 9,
    faults: [{ operation: 'lobbies.list', effect: { error: { status: 503 } }, times: 1 }],
  })

  test('change only the keys that they name', async ({ mock }) => {
    const statuses = [(await fetch(listUrl)).status, (await fetch(listUrl)).status]

    expect([statuses, mock.world.seed, mock.world.title]).toEqual([[503, 200], 9, expect.any(String)])
    expect(await countLobbies()).toBe(0)
  })

  describe('with a shipped scenario', () => {
    test.override('options', { scenario: 'friday-night' })

    test('load it by its name', async ({ mock }) => {
      expect(mock.scenarios.map(({ name }) => name)).toContain('friday-night')
      expect(await countLobbies()).toBeGreaterThan(10)
    })
  })

  describe('with another base URL', () => {
    test.override('options', { baseUrl: 'https://one.test/api', onUnhandledRequest: 'bypass' })

    test('answer there only', async ({ mock }) => {
      expect(await countLobbies('https://one.test/api/matchmaker/lobbies/list')).toBe(0)
      await expect(fetch('http://127.0.0.1:1/matchmaker/lobbies/list')).rejects.toThrow()
      expect(mock.journal.find()).toHaveLength(1)
      expect(mock.url).toBe('https://one.test/api')
    })
  })
})

describe('fixtures of a user', () => {
  const withPlayer = test.extend('player', async ({ mock }) => mock.player())

  withPlayer('build on the mock', async ({ mock, player }) => {
    expect(mock.world.players.all()).toEqual([player])
    expect(await countLobbies()).toBe(1)
  })

  const base = plain.extend('lobbies', () => 3)
  const onBase = mockmaker({ scenario: { game_modes: ['duel'] } }, base)

  onBase('can be below the mock', async ({ mock, lobbies }) => {
    await mock.lobbies(lobbies)

    expect(await countLobbies()).toBe(3)
  })

  const seeded = mockmaker({ scenario: { game_modes: ['duel'] } }).override('mock', async ({ mock }) => {
    await mock.lobbies(4)
    return mock
  })

  seeded('can replace the mock', async () => {
    expect(await countLobbies()).toBe(4)
  })
})

describe('a test without the fixture', () => {
  plain('runs beside the others', async () => {
    expect(await countLobbies()).toBe(0)
  })

  plain('cannot listen with a mock of its own', () => {
    expect(() => setupMockmaker().listen()).toThrow('another mock listens already')
  })
})

describe('a strict test', () => {
  test.override('options', { strict: true })

  test('passes if each fault has applied', async ({ mock }) => {
    mock.fail('lobbies.list', 503)

    expect((await fetch(listUrl)).status).toBe(503)
  })
})

describe('a fetch from elsewhere', () => {
  const listeners = new EventTarget()
  // Stands for code that was set up before the test, and that reacts to it.
  beforeAll(() => listeners.addEventListener('ask', () => void answers.push(countLobbies())))
  const answers: Promise<number>[] = []

  test('reaches the only test that runs', async ({ mock }) => {
    await mock.lobbies(2)

    listeners.dispatchEvent(new Event('ask'))

    expect(await answers[0]).toBe(2)
  })
})

describe('a server of MSW of its own', () => {
  const answer = () => HttpResponse.json({ lobbies: ['own'] })

  test('answers a test that starts it', async () => {
    const own = setupServer(http.get(listUrl, answer))
    own.listen()

    expect(await countLobbies()).toBe(1)
    own.close()
  })

  test('takes no requests from the next test when it closes', async ({ mock }) => {
    await mock.lobbies(2)

    expect(await countLobbies()).toBe(2)
  })
})
