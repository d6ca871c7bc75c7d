import nodeHttp from 'node:http'
import { text } from 'node:stream/consumers'
import { HttpResponse, http } from 'msw'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { setupMockmaker } from '../../src/msw/node.js'
import { tanks } from '../support/tanks.js'
import { closedAfterTest, isBusy, live } from '../support/worlds.js'
import { complete, it, listUrl, lobbiesAt, origin, until, watchUrl } from './node-mock.js'

describe('setupMockmaker', () => {
  it('answers nothing before listen', async () => {
    closedAfterTest(setupMockmaker({ scenario: tanks }))

    await expect(fetch(`${origin}/matchmaker/lobbies/list`)).rejects.toThrow()
  })

  it('answers fetch', async ({ setup }) => {
    setup()

    expect(await lobbiesAt()).toHaveLength(2)
  })

  it('answers node:http', async ({ setup }) => {
    setup()

    const incoming = await new Promise<nodeHttp.IncomingMessage>((resolve, reject) => {
      // MSW patches the module object. A named import would keep Node's own function.
      nodeHttp.get(listUrl, resolve).once('error', reject)
    })

    expect([incoming.statusCode, await text(incoming)]).toEqual([200, await (await fetch(listUrl)).text()])
  })

  it('answers the next fetch with what was written to the world', async ({ setup }) => {
    const mock = setup()
    const before = (await lobbiesAt()).length

    const { lobby_id } = await mock.world.lobbies.create({ game_mode_id: 'duel', region_id: 'lnd-fra' })

    expect([before, (await lobbiesAt()).at(-1)]).toMatchObject([2, { lobby_id }])
  })

  it('answers with a handler given to use until resetHandlers', async ({ setup }) => {
    const mock = setup()
    mock.use(http.get(listUrl, () => HttpResponse.json({ lobbies: [1, 2, 3] })))
    const used = await lobbiesAt()

    mock.resetHandlers()

    expect([used.length, (await lobbiesAt()).length]).toEqual([3, 2])
  })

  it('lets handlers that ran once answer again after restoreHandlers', async ({ setup }) => {
    const mock = setup()
    mock.use(
      mock.override('lobbies.list', () => ({ game_modes: [], lobbies: [], regions: [] }), { once: true }),
      http.get(listUrl, () => HttpResponse.json({ lobbies: [1, 2, 3] }), { once: true }),
    )
    await fetch(listUrl, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } })
    const counts = [(await lobbiesAt()).length, (await lobbiesAt()).length, (await lobbiesAt()).length]

    mock.restoreHandlers()

    expect([...counts, (await lobbiesAt()).length]).toEqual([0, 3, 2, 0])
  })

  it('removes a handler given to use inside a boundary at its end', async ({ setup }) => {
    const mock = setup()

    const inside = await mock.boundary(async () => {
      mock.use(mock.override('lobbies.list', () => ({ game_modes: [], lobbies: [], regions: [] })))
      return lobbiesAt()
    })()

    expect([inside, (await lobbiesAt()).length]).toEqual([[], 2])
  })

  it('lets the page in its process read each response, whatever its origin is, and no other page', async ({
    setup,
  }) => {
    setup()
    vi.stubGlobal('location', new URL('https://staging.example/'))
    const readers = [listUrl, `${origin}/w/none/matchmaker/lobbies/list`].flatMap(url =>
      ['https://staging.example', 'https://evil.example'].map(async sender => {
        const { headers } = await fetch(url, { headers: { origin: sender } })
        return headers.get('access-control-allow-origin')
      }),
    )

    expect(await Promise.all(readers)).toEqual(['https://staging.example', null, 'https://staging.example', null])
  })

  it('emits events for requests', async ({ setup }) => {
    const mock = setup()
    const matched: string[] = []
    mock.events.on('request:match', ({ request }) => void matched.push(request.url))

    await lobbiesAt()

    expect(matched).toEqual([listUrl])
  })

  it('unblocks a fetch when the world is written to', async ({ setup }) => {
    const mock = setup()
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await complete()

    expect(await (await answer).json()).toMatchObject({ cloud_token: expect.stringMatching(/^cloud\.mock\./) })
    expect(mock.world.waiters).toBe(0)
  })

  it('removes the waiter of an aborted fetch', async ({ setup }) => {
    const mock = setup()
    const client = new AbortController()
    const answer = fetch(watchUrl(mock), { signal: client.signal }).catch((error: Error) => error.name)
    await until(mock, 1)

    client.abort()

    expect(await answer).toBe('AbortError')
    await until(mock, 0)
    expect(live(mock.world).clock.pending).toBe(0)
  })

  it.for(['watch', 'hold'] as const)(
    'removes the waiter of a destroyed request of node:http: %s',
    async (wait, { setup }) => {
      const mock = setup()
      if (wait === 'hold') mock.hold('lobbies.list')
      const client = nodeHttp.get(wait === 'hold' ? listUrl : watchUrl(mock)).on('error', () => {})
      await mock.blocked(1)

      client.destroy()

      await expect.poll(() => isBusy(mock)).toBe(false)
      expect([mock.world.waiters, live(mock.world).clock.pending]).toEqual([0, 0])
    },
  )

  it('unblocks a fetch when fake timers advance', async ({ setup }) => {
    vi.useFakeTimers()
    const mock = setup({ scenario: { ...tanks, clock: 'running' } })
    const answer = fetch(watchUrl(mock))
    while (mock.world.waiters === 0) await vi.advanceTimersByTimeAsync(0)

    await vi.advanceTimersByTimeAsync(40_000)

    expect([(await answer).status, mock.world.waiters]).toEqual([200, 0])
  })

  it('answers a blocked fetch when it closes, and no fetch after that', async () => {
    const mock = setupMockmaker({ scenario: tanks })
    mock.listen({ onUnhandledRequest: 'bypass' })
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await mock.close()

    expect((await answer).status).toBe(200)
    await expect(fetch(listUrl)).rejects.toThrow()
  })
})

it('makes the handlers of MSW without stacks, which take long under vitest', () => {
  const { prepareStackTrace } = Error
  const format = vi.fn((_error: Error, sites: readonly unknown[]) => `${sites.length} frames`)
  Error.prepareStackTrace = format
  onTestFinished(() => void Object.assign(Error, { prepareStackTrace }))

  const { handlers } = setupMockmaker({ baseUrl: 'https://matchmaker.example' })

  expect(handlers.length).toBeGreaterThan(1)
  expect(format.mock.calls.filter(([, sites]) => sites.length > 0)).toEqual([])
})
