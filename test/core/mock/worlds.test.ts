import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { setupMockmaker } from '../../../src/msw/node.js'
import { mockExpress } from '../../../src/server/http/index.js'
import { ask, failure, json, sendTo, serveListener, type TestRequest, type TestResponse } from '../../support/http.js'
import { bearer, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

interface Opened {
  readonly mock: Mockmaker
  send(sent: TestRequest): Promise<TestResponse>
  close(): Promise<unknown>
}

/** Opens a mock under MSW, whose handlers listen at a base URL. */
async function underMsw(baseUrl: string, origin: string): Promise<Opened> {
  const mock = setupMockmaker({ scenario: tanks, baseUrl })
  mock.listen({ onUnhandledRequest: 'error' })
  return {
    mock,
    async send({ method, path, headers = {} }) {
      const response = await fetch(origin + path, { method, headers })
      return { status: response.status, headers: {}, body: await response.text() }
    },
    close: mock.close,
  }
}

const baseUrls: readonly { readonly name: string; readonly isHttp?: true; open(): Promise<Opened> }[] = [
  {
    name: 'answer',
    async open() {
      const mock = createMockmaker({ scenario: tanks })
      return { mock, send: sent => ask(mock, sent), close: mock.close }
    },
  },
  { name: 'MSW, for any origin', open: () => underMsw('*', 'https://any.test') },
  { name: 'MSW, for any origin, below a path', open: () => underMsw('*', 'https://any.test/api') },
  { name: 'MSW, for one origin', open: () => underMsw('https://one.test', 'https://one.test') },
  { name: 'MSW, for one origin and path', open: () => underMsw('https://one.test/api', 'https://one.test/api') },
  {
    name: 'mockExpress',
    isHttp: true,
    async open() {
      const mock = createMockmaker({ scenario: tanks })
      const { url, close } = await serveListener(express().use(mockExpress(mock.handlers)))
      return { mock, send: sent => sendTo(url, sent), close }
    },
  },
  {
    name: 'mockExpress below a path',
    isHttp: true,
    async open() {
      const mock = createMockmaker({ scenario: tanks })
      const { url, close } = await serveListener(express().use('/api', mockExpress(mock.handlers)))
      return { mock, send: sent => sendTo(`${url}/api`, sent), close }
    },
  },
]

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const

describe.each(baseUrls)('a world through $name', entryPoint => {
  it('is named by the path or the header, and else the default one', async () => {
    const { mock, send, close } = await entryPoint.open()
    const lobbies = async (sent: TestRequest) => (json(await send(sent)) as { lobbies: unknown[] }).lobbies.length
    const other = await mock.worlds.put('other')
    await other.world.lobbies.create({ game_mode_id: 'duel' })

    const counts = [
      await lobbies(list),
      await lobbies({ ...list, path: `/w/other${list.path}` }),
      await lobbies({ ...list, headers: { ...list.headers, 'x-mock-world': 'other' } }),
      await lobbies({ ...list, path: `/w/default${list.path}`, headers: { 'x-mock-world': 'other' } }),
    ]

    expect(counts).toEqual([2, 3, 3, 2])
    await close()
  })

  it('that does not exist is refused in-process, and created over HTTP', async () => {
    const { mock, send, close } = await entryPoint.open()
    await mock.worlds.put('test-42')
    const lists = [
      { ...list, path: `/w/test-43${list.path}` },
      { ...list, headers: { ...list.headers, 'x-mock-world': 'tset-42' } },
    ]

    const got = await Promise.all(lists.map(send))

    const worlds = mock.worlds.list().map(({ id }) => id)
    if (entryPoint.isHttp) {
      expect(got.map(({ status }) => status)).toEqual([200, 200])
      expect(worlds).toEqual(['default', 'test-42', 'test-43', 'tset-42'])
    } else {
      expect(got.map(failure)).toEqual(['404 API_NOT_FOUND', '404 API_NOT_FOUND'])
      for (const { body } of got) expect(body).toContain('Did you mean test-42?')
      expect(worlds).toEqual(['default', 'test-42'])
    }
    await close()
  })
})

describe('load', () => {
  it.each([undefined, null])('refuses %s, and changes nothing', async scenario => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    mock.world.deviceLinks.clear()

    await expect(mock.load(scenario as never)).rejects.toThrow(`load: the scenario is ${scenario}: expected a scenario`)
    expect(mock.world.deviceLinks.count()).toBe(0)
  })
})

describe('worlds.put', () => {
  it('creates one world for two concurrent calls with the same name', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))

    const [one, other] = await Promise.all([mock.worlds.put('x'), mock.worlds.put('x', { seed: 5 })])

    expect(one).toBe(other)
    expect([mock.worlds.list().length, mock.worlds.get('x')]).toEqual([2, one])
  })

  it.each([null, undefined, 5, '', 'a b', 'x'.repeat(65)])('refuses the id %j', async id => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))

    const put = mock.worlds.put(id as never) // no type lets it pass

    await expect(put).rejects.toThrow('is no id of a world: expected 1 to 64 of A-Z a-z 0-9 _ -')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })
})

describe('a transaction', () => {
  it.each<[string, (mock: Mockmaker) => unknown]>([
    ['a snapshot', mock => mock.snapshot()],
    ['a fork', mock => mock.worlds.put('copy', { fork: 'default' })],
    ['a fork of a revision', mock => mock.worlds.put('copy', { fork: 'default', revision: mock.history().newest })],
  ])('is never copied before its end: %s', async (_, copy) => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    await mock.world.lobbies.update('closed', { is_closed: false })
    let copied: unknown

    mock.world.transaction(({ lobbies }) => {
      lobbies.clear()
      copied = new Promise(resolve => resolve(copy(mock)))
    })

    await expect(copied).rejects.toThrow('a transaction cannot copy its world: end it first')
    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('an override', () => {
  it('replaces the operation in every world, and gets the world of the request', async () => {
    const mock = closedAfterTest(setupMockmaker({ scenario: tanks }))
    mock.listen({ onUnhandledRequest: 'error' })
    await (await mock.worlds.put('other')).world.lobbies.create({ game_mode_id: 'duel' })
    mock.use(
      mock.override('lobbies.list', async ({ world, original }) => ({
        ...(await original()),
        lobbies: [],
        game_modes: [{ game_mode_id: String(world.lobbies.count()) }],
      })),
    )

    const answers = await Promise.all(
      ['', '/w/other'].map(async path => (await fetch(`https://any.test${path}${list.path}`)).json()),
    )

    expect(answers).toMatchObject([{ game_modes: [{ game_mode_id: '8' }] }, { game_modes: [{ game_mode_id: '9' }] }])
  })
})

describe('a world of worlds.put', () => {
  it('has methods that work without their object', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const { world, reset, snapshot, on, answer } = await mock.worlds.put('other')
    await world.lobbies.create({ game_mode_id: 'duel' })
    on('regions.list', () => ({ regions: [] }))

    const answers = [await answer({ ...list, path: '/matchmaker/regions' }), await answer(list)]
    await reset()

    expect(answers.map(({ body }) => JSON.parse(new TextDecoder().decode(body)))).toMatchObject([
      { regions: [] },
      { lobbies: { length: 3 } },
    ])
    expect([world.lobbies.count(), snapshot().seed]).toEqual([8, world.seed])
  })

  it('answers in itself, whatever world a request names', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const other = await mock.worlds.put('other')
    await other.world.lobbies.create({ game_mode_id: 'duel' })
    const requests = [
      list,
      { ...list, path: `/w/default${list.path}` },
      { ...list, path: `/w/unknown${list.path}` },
      { ...list, headers: { 'x-mock-world': 'default', ...list.headers } },
    ]

    const got = await Promise.all(requests.map(sent => ask(other, sent)))

    expect(got.map(response => (json(response) as { lobbies: unknown[] }).lobbies.length)).toEqual([3, 3, 3, 3])
  })

  it('has MSW handlers and overrides of its own, over HTTP too', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const other = await mock.worlds.put('other')
    await other.world.lobbies.create({ game_mode_id: 'duel' })
    const override = other.override('regions.list', ({ world }) => ({
      regions: [],
      ...(world.lobbies.count() === 9 ? {} : { wrong: true }),
    }))
    const { url, close } = await serveListener(express().use(mockExpress([override, ...other.handlers])))

    const [lobbies, regions] = await Promise.all([
      sendTo(url, { ...list, path: `/w/default${list.path}` }),
      sendTo(url, { ...list, path: '/matchmaker/regions' }),
    ])

    expect(json(lobbies)).toMatchObject({ lobbies: { length: 3 } })
    expect(json(regions)).toEqual({ regions: [] })
    await close()
  })

  it.each(['*', '*/api', 'https://one.test', 'https://one.test/api'])(
    'has a URL that fetch reaches: %s',
    async baseUrl => {
      const mock = closedAfterTest(setupMockmaker({ scenario: tanks, baseUrl }))
      mock.listen({ onUnhandledRequest: 'error' })
      const other = await mock.worlds.put('other')
      await other.world.lobbies.create({ game_mode_id: 'duel' })
      const count = async (url: string) => (await (await fetch(url + list.path)).json()).lobbies.length

      expect(await Promise.all([count(mock.url), count(other.url)])).toEqual([2, 3])
    },
  )

  it('is gone for its handlers once it is deleted', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const other = await mock.worlds.put('other')
    const { url, close } = await serveListener(express().use(mockExpress(other.handlers)))
    await mock.worlds.delete('other')

    const response = await sendTo(url, list)

    expect(failure(response)).toBe('404 API_NOT_FOUND')
    expect(response.body).toContain('was deleted')
    await close()
  })
})

describe('the option world', () => {
  const listFrom = (headers: Record<string, string>, path = '') =>
    fetch(`https://any.test${path}${list.path}`, { headers: { ...list.headers, ...headers } })

  it('chooses the world of each request, before its path and its header', async () => {
    const mock = closedAfterTest(
      setupMockmaker({ scenario: tanks, world: ({ headers }) => headers.get('x-test') ?? undefined }),
    )
    mock.listen({ onUnhandledRequest: 'error' })
    const [a, b] = await Promise.all([mock.worlds.put('a'), mock.worlds.put('b')])
    await a.world.lobbies.clear()
    await b.world.lobbies.create({ game_mode_id: 'duel' })
    const count = async (headers: Record<string, string>, path?: string) =>
      (await (await listFrom(headers, path)).json()).lobbies.length

    const counts = await Promise.all([
      count({}),
      count({ 'x-test': 'a' }),
      count({ 'x-test': 'b' }, '/w/a'),
      count({ 'x-test': 'default', 'x-mock-world': 'a' }),
      count({}, '/w/b'),
    ])

    expect(counts).toEqual([2, 0, 3, 2, 3])
  })

  it('chooses for overrides in use too', async () => {
    const mock = closedAfterTest(setupMockmaker({ scenario: tanks, world: () => 'a' }))
    mock.listen({ onUnhandledRequest: 'error' })
    await (await mock.worlds.put('a')).world.lobbies.clear()
    mock.use(
      mock.override('lobbies.list', ({ world }) => ({
        lobbies: [],
        regions: [],
        game_modes: [{ game_mode_id: `n${world.lobbies.count()}` }],
      })),
    )

    expect(await (await listFrom({})).json()).toMatchObject({ game_modes: [{ game_mode_id: 'n0' }] })
  })

  it('is refused if it names an unknown world', async () => {
    const mock = closedAfterTest(setupMockmaker({ scenario: tanks, world: () => 'tset-42' }))
    mock.listen({ onUnhandledRequest: 'error' })
    await mock.worlds.put('test-42')

    const response = await listFrom({})

    expect([response.status, (await response.json()).message]).toEqual([
      404,
      'there is no world "tset-42": in-process, mock.worlds.put creates one. Known: default, test-42. Did you mean test-42?',
    ])
  })

  it.each<[string, () => unknown, string]>([
    ['a number', () => 5, 'the option `world` returned 5: expected the id of a world, or undefined'],
    ['a promise', async () => 'a', 'expected the id of a world, or undefined, and not as a promise'],
    [
      'an error',
      () => {
        throw new Error('no cookie')
      },
      'no cookie',
    ],
  ])('that returns %s fails the request, and the console shows why', async (_, world, message) => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mock = closedAfterTest(setupMockmaker({ scenario: tanks, world: world as () => string }))
    mock.listen({ onUnhandledRequest: 'error' })

    const response = await listFrom({})

    expect(response.status).toBe(500)
    expect(String(consoleSpy.mock.calls[0]?.[1])).toContain(message)
  })

  it('is no string', () => {
    expect(() => createMockmaker({ world: 'a' as never })).toThrow(
      'options.world is "a": expected a function that returns the id of a world, or undefined',
    )
  })
})
