import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/index.js'
import { link, list, mockWithFaults, nowhere } from '../../support/faults.js'
import { ask } from '../../support/http.js'
import { completion, tanks, tokens } from '../../support/tanks.js'
import { isBusy } from '../../support/worlds.js'

const busyCode = { error: { code: 'API_RATE_LIMIT' } } as const

describe('a fault with a hold', () => {
  it('releases its requests when told to, returns their number, and holds the next ones', async () => {
    const { mock, world } = mockWithFaults([{ effect: { hold: true } }])
    const answers = [ask(mock, list), ask(mock, nowhere)]
    await world.clock.advance('100d')

    const held = [mock.faults.list()[0]?.holding, world.clock.pending]
    const released = mock.faults.release('1')
    const again = ask(mock, list)

    expect([held, released, (await Promise.all(answers)).map(({ status }) => status)]).toEqual([[2, 0], 2, [200, 404]])
    expect(mock.faults.list()).toMatchObject([{ matched: 3, struck: 3, holding: 1 }])
    await mock.close()
    expect((await again).status).toBe(200)
  })

  it('keeps its requests when another fault is removed', async () => {
    const { mock } = mockWithFaults([{ operation: 'lobbies.*', effect: { hold: true } }, { effect: { hold: true } }])
    const answers = [ask(mock, list), ask(mock, nowhere)]

    mock.faults.remove('2')

    expect([(await answers[1])?.status, mock.faults.list()[0]?.holding]).toEqual([404, 1])
    mock.faults.clear()
    expect((await answers[0])?.status).toBe(200)
  })

  it('releases 0 requests if it holds none, and says if the fault does not exist', () => {
    const { mock } = mockWithFaults([{ effect: { hold: true } }])

    expect([mock.faults.release('1'), mock.faults.release('2')]).toEqual([0, undefined])
  })
})

it('a delayed request waits for the delay of its release instead', async () => {
  const { mock, world } = mockWithFaults([{ effect: { delay: '300ms' } }])
  const answer = ask(mock, list)

  mock.faults.release('1', { delay: '1s' })
  await world.clock.advance(999)
  const waiting = mock.journal.pending()
  await world.clock.advance(1)

  expect([waiting.length, (await answer).status, world.clock.pending]).toEqual([1, 200, 0])
})

describe.each([
  ['holds', { hold: true }],
  ['delays', { delay: '1h' }],
] as const)('a request with a pending %s', (_, effect) => {
  it.each(['reset', 'load', 'restore', 'put'] as const)(
    'keeps waiting if a %s is refused inside a transaction',
    async way => {
      const { mock, world } = mockWithFaults([{ effect }])
      const snapshot = mock.snapshot({ with: ['faults'] })
      const answer = ask(mock, list)
      const begin = {
        reset: () => mock.reset(),
        load: () => mock.load('default'),
        restore: () => mock.restore(snapshot),
        put: () => mock.worlds.put('default'),
      }

      let refused: Promise<unknown> | undefined
      await world.write(() => {
        refused = begin[way]().catch((error: unknown) => error)
      })

      expect(await refused).toBeInstanceOf(UsageError)
      expect(mock.faults.list()).toMatchObject([{ holding: 1 }])
      await mock.close()
      await answer
    },
  )

  it.each(['remove', 'clear', 'release', 'reset', 'close', 'load'] as const)(
    'is answered at once on %s, and leaves nothing behind',
    async way => {
      const { mock, world } = mockWithFaults([{ effect }])
      const client = new AbortController()
      const answer = ask(mock, list, client.signal)
      const end = {
        remove: () => mock.faults.remove('1'),
        clear: () => mock.faults.clear(),
        release: () => mock.faults.release('1'),
        reset: () => mock.reset(),
        close: () => mock.close(),
        load: () => mock.load('default'),
      }

      await end[way]()

      expect((await answer).status).toBe(200)
      expect([world.clock.pending, isBusy(mock), getEventListeners(client.signal, 'abort')]).toEqual([0, false, []])
    },
  )

  it('is dropped at once when its client disconnects', async () => {
    const { mock, world, records } = mockWithFaults([{ effect }])
    const client = new AbortController()
    const answer = ask(mock, list, client.signal)

    client.abort()

    expect([world.clock.pending, isBusy(mock), mock.faults.list()[0]?.holding]).toEqual([0, false, 0])
    expect([(await answer).status, records.map(({ status }) => status)]).toEqual([499, [499]])
    expect(getEventListeners(client.signal, 'abort')).toEqual([])
  })

  it('does not wait if its client has already disconnected', async () => {
    const { mock, world } = mockWithFaults([{ effect }])

    const got = await ask(mock, list, AbortSignal.abort())

    expect([got.status, world.clock.pending, isBusy(mock)]).toEqual([499, 0, false])
  })

  it('does not wait in a closed mock', async () => {
    const { mock, world } = mockWithFaults([{ effect }])
    await mock.close()

    expect([(await ask(mock, list)).status, world.clock.pending]).toEqual([200, 0])
  })

  it.each([
    ['reset', {}],
    ['load', tanks],
  ] as const)('carries out its write before the %s that releases it', async (way, argument: object) => {
    const { mock } = mockWithFaults([{ effect }])
    const answer = ask(mock, completion)

    await mock[way](argument)

    expect([(await answer).status, mock.world.deviceLinks.get(tokens.pending)?.status]).toEqual([200, 'pending'])
  })
})

describe('a fault with wake', () => {
  it('answers a watch after its time with unchanged data and index', async () => {
    const { mock, world, records, index } = mockWithFaults([{ effect: { spurious: '2s' } }])
    const first = await ask(mock, link)
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${index}` })

    await world.clock.advance(1_999)
    const before = world.waiters
    await world.clock.advance(1)

    expect([before, (await answer).body, world.clock.pending]).toEqual([1, first.body, 0])
    expect(records.map(({ fault, blocked }) => [fault, blocked])).toEqual([
      [undefined, false],
      ['1', true],
    ])
  })

  it('is not counted for a request that cannot block, which gets the next fault', async () => {
    const { mock } = mockWithFaults([{ effect: { spurious: '2s' } }, { effect: busyCode }])

    const got = [await ask(mock, link), await ask(mock, { ...list, query: 'watch_index=1' })]

    expect(got.map(({ status }) => status)).toEqual([429, 429])
    expect(mock.faults.list().map(({ matched }) => matched)).toEqual([0, 2])
  })

  it('never makes a watch block beyond its timeout', async () => {
    const { mock, world } = mockWithFaults([{ effect: { spurious: '1h' } }], { watchTimeoutMs: 1_000 })
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${world.revision}` })

    await world.clock.advance(1_000)

    expect((await answer).status).toBe(200)
  })

  it('lets a change wake the watch earlier', async () => {
    const { mock, world, index } = mockWithFaults([{ effect: { spurious: '2s' } }])
    const answer = ask(mock, { ...link, query: `${link.query}&watch_index=${index}` })

    await ask(mock, completion)

    expect([(await answer).body, world.clock.pending]).toEqual([expect.stringContaining('cloud_token'), 0])
  })
})
