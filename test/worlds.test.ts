import express from 'express'
import { describe, expect, it } from 'vitest'
import { mockExpress } from '../src/express.js'
import { createMockmaker, type Mockmaker } from '../src/index.js'
import { setupMockmaker } from '../src/node.js'
import { ask, failure, json, sendTo, serveListener, type TestRequest, type TestResponse } from './support/http.js'
import { bearer, tanks, tokens } from './support/tanks.js'

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
    const mock = createMockmaker({ scenario: tanks })
    mock.world.deviceLinks.clear()

    await expect(mock.load(scenario as never)).rejects.toThrow(`load: the scenario is ${scenario}: expected a scenario`)
    expect(mock.world.deviceLinks.count()).toBe(0)
    await mock.close()
  })
})

describe('worlds.put', () => {
  it('creates one world for two concurrent calls with the same name', async () => {
    const mock = createMockmaker({ scenario: tanks })

    const [one, other] = await Promise.all([mock.worlds.put('x'), mock.worlds.put('x', { seed: 5 })])

    expect(one).toBe(other)
    expect([mock.worlds.list().length, mock.worlds.get('x')]).toEqual([2, one])
    await mock.close()
  })

  it.each([null, undefined, 5, '', 'a b', 'x'.repeat(65)])('refuses the id %j', async id => {
    const mock = createMockmaker({ scenario: tanks })

    const put = mock.worlds.put(id as never) // no type lets it pass

    await expect(put).rejects.toThrow('is no id of a world: expected 1 to 64 of A-Z a-z 0-9 _ -')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    await mock.close()
  })
})

describe('a transaction', () => {
  it.each<[string, (mock: Mockmaker) => unknown]>([
    ['a snapshot', mock => mock.snapshot()],
    ['a fork', mock => mock.worlds.put('copy', { fork: 'default' })],
    ['a fork of a revision', mock => mock.worlds.put('copy', { fork: 'default', revision: mock.history().newest })],
  ])('is never copied before its end: %s', async (_, copy) => {
    const mock = createMockmaker({ scenario: tanks })
    await mock.world.lobbies.update('closed', { is_closed: false })
    let copied: unknown

    mock.world.transaction(({ lobbies }) => {
      lobbies.clear()
      copied = new Promise(resolve => resolve(copy(mock)))
    })

    await expect(copied).rejects.toThrow('a transaction cannot copy its world: end it first')
    expect(mock.worlds.list()).toHaveLength(1)
    await mock.close()
  })
})

describe('an override', () => {
  it('replaces the operation in every world, and gets the world of the request', async () => {
    const mock = setupMockmaker({ scenario: tanks })
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
    await mock.close()
  })
})
