import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import nodeHttp from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { HttpResponse, http } from 'msw'
import { it as base, describe, expect, vi } from 'vitest'
import { createMockmaker, UsageError } from '../src/index.js'
import { type NodeMockmaker, type NodeMockmakerOptions, setupMockmaker } from '../src/node.js'
import { live } from './server/ask.js'
import { bearer, ids, tanks, tokens } from './tanks.js'

const origin = 'http://mock.test'
const listUrl = `${origin}/matchmaker/lobbies/list`

type Setup = (
  options?: NodeMockmakerOptions & { readonly onUnhandledRequest?: 'bypass' | 'warn' | 'error' },
) => NodeMockmaker

/** Makes mocks that listen, and closes them after the test. */
const it = base.extend<{ setup: Setup }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  setup: async ({}, use) => {
    const mocks: NodeMockmaker[] = []
    await use(({ onUnhandledRequest = 'bypass', ...options } = {}) => {
      const mock = setupMockmaker({ scenario: tanks, ...options })
      mock.listen({ onUnhandledRequest })
      mocks.push(mock)
      return mock
    })
    await Promise.all(mocks.map(mock => mock.close()))
  },
})

const lobbiesAt = async (url = listUrl) => ((await (await fetch(url)).json()) as { lobbies: object[] }).lobbies
const watchUrl = ({ world }: NodeMockmaker) =>
  `${origin}/cloud/devices/links?device_link_token=${tokens.pending}&watch_index=${world.revision}`
const complete = () =>
  fetch(`${origin}/cloud/devices/links/complete`, {
    method: 'POST',
    headers: bearer(tokens.cloud),
    body: JSON.stringify({ device_link_token: tokens.pending, game_id: ids.tanks }),
  })
const until = (mock: NodeMockmaker, waiters: number) => vi.waitFor(() => expect(mock.world.waiters).toBe(waiters))

describe('setupMockmaker', () => {
  it('answers nothing before listen', async () => {
    const mock = setupMockmaker({ scenario: tanks })

    await expect(fetch(`${origin}/matchmaker/lobbies/list`)).rejects.toThrow()
    await mock.close()
  })

  it('answers fetch', async ({ setup }) => {
    setup()

    expect(await lobbiesAt()).toHaveLength(2)
  })

  it('answers node:http', async ({ setup }) => {
    setup()

    const incoming = await new Promise<nodeHttp.IncomingMessage>((resolve, reject) => {
      // Called on the module, where MSW stands in: a named import keeps Node's own.
      nodeHttp.get(listUrl, resolve).once('error', reject)
    })

    expect([incoming.statusCode, await text(incoming)]).toEqual([200, await (await fetch(listUrl)).text()])
  })

  it('lets the next fetch see what was written to the world', async ({ setup }) => {
    const mock = setup()
    const before = (await lobbiesAt()).length

    const { lobby_id } = await mock.world.lobbies.create({ game_mode_id: 'duel', region_id: 'lnd-fra' })

    expect([before, (await lobbiesAt()).at(-1)]).toMatchObject([2, { lobby_id }])
  })

  it('lists tokens that work', async ({ setup }) => {
    const { tokens } = setup()
    const [token] = tokens.filter(({ kind }) => kind === 'public')

    const response = await fetch(listUrl, { headers: bearer(token?.token ?? '') })

    expect(response.status).toBe(200)
    expect(new Set(tokens.map(({ kind }) => kind))).toEqual(new Set(['development', 'public', 'cloud']))
  })

  it('lets use answer first, until resetHandlers', async ({ setup }) => {
    const mock = setup()
    mock.use(http.get(listUrl, () => HttpResponse.json({ lobbies: [1, 2, 3] })))
    const used = await lobbiesAt()

    mock.resetHandlers()

    expect([used.length, (await lobbiesAt()).length]).toEqual([3, 2])
  })

  it('lets use take an override', async ({ setup }) => {
    const mock = setup()
    mock.use(mock.override('lobbies.list', async ({ original }) => ({ ...(await original()), lobbies: [] })))

    expect(await lobbiesAt()).toEqual([])
  })

  it('lets restoreHandlers bring back what was used up', async ({ setup }) => {
    const mock = setup()
    mock.use(http.get(listUrl, () => HttpResponse.json({ lobbies: [1, 2, 3] }), { once: true }))
    const counts = [(await lobbiesAt()).length, (await lobbiesAt()).length]

    mock.restoreHandlers()

    expect([...counts, (await lobbiesAt()).length]).toEqual([3, 2, 3])
  })

  it('keeps what is used inside a boundary there', async ({ setup }) => {
    const mock = setup()

    const inside = await mock.boundary(async () => {
      mock.use(mock.override('lobbies.list', () => ({ game_modes: [], lobbies: [], regions: [] })))
      return lobbiesAt()
    })()

    expect([inside, (await lobbiesAt()).length]).toEqual([[], 2])
  })

  it('tells of requests by events', async ({ setup }) => {
    const mock = setup()
    const matched: string[] = []
    mock.events.on('request:match', ({ request }) => void matched.push(request.url))

    await lobbiesAt()

    expect(matched).toEqual([listUrl])
  })

  it('unblocks a fetch by a write to the world', async ({ setup }) => {
    const mock = setup()
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await complete()

    expect(await (await answer).json()).toMatchObject({ cloud_token: expect.stringMatching(/^cloud\.mock\./) })
    expect(mock.world.waiters).toBe(0)
  })

  it('frees the waiter of a fetch that is aborted', async ({ setup }) => {
    const mock = setup()
    const client = new AbortController()
    const answer = fetch(watchUrl(mock), { signal: client.signal }).catch((error: Error) => error.name)
    await until(mock, 1)

    client.abort()

    expect(await answer).toBe('AbortError')
    await until(mock, 0)
    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('unblocks a fetch by fake timers', async ({ setup }) => {
    vi.useFakeTimers()
    const mock = setup({ scenario: { ...tanks, clock: 'running' } })
    const answer = fetch(watchUrl(mock))
    while (mock.world.waiters === 0) await vi.advanceTimersByTimeAsync(0)

    await vi.advanceTimersByTimeAsync(40_000)

    expect([(await answer).status, mock.world.waiters]).toEqual([200, 0])
    vi.useRealTimers()
  })

  it('answers a blocked fetch when it closes, and then answers no more', async () => {
    const mock = setupMockmaker({ scenario: tanks })
    mock.listen({ onUnhandledRequest: 'bypass' })
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await mock.close()

    expect((await answer).status).toBe(200)
    await expect(fetch(listUrl)).rejects.toThrow()
  })

  it('answers a bug of an override with 500, without its stack', async ({ setup }) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    const mock = setup()
    mock.use(
      mock.override('lobbies.list', () => {
        throw new Error('secret detail')
      }),
    )

    const response = await fetch(listUrl)

    expect([response.status, await response.json()]).toMatchObject([500, { code: 'ERROR' }])
    expect(told).toHaveBeenCalledOnce()
    told.mockRestore()
  })
})

describe('the scenario of setupMockmaker', () => {
  it('may be the name of a shipped one', () => {
    expect(setupMockmaker({ scenario: 'friday-night' }).world.title).toBe('Friday night')
  })

  it('is the default one where none is given', () => {
    expect(setupMockmaker().world.title).toBe('A quiet evening')
  })

  it('may be a path, of YAML or of JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mockmaker-'))
    const [yaml, jsonFile] = [join(folder, 'a.yaml'), join(folder, 'b.json')]
    await writeFile(yaml, 'title: From YAML\nseed: 3\n')
    await writeFile(jsonFile, '{"title": "From JSON"}')

    const titles = [yaml, jsonFile].map(scenario => setupMockmaker({ scenario }).world.title)

    expect(titles).toEqual(['From YAML', 'From JSON'])
    await rm(folder, { recursive: true })
  })

  it.for([
    ['a name that is mistyped', 'friday-nigth', /there is no scenario file friday-nigth.*Did you mean friday-night\?/],
    ['a file that is not there', './nowhere.yaml', /there is no scenario file \.\/nowhere\.yaml/],
  ] as const)('throws UsageError at once for %s', ([, scenario, message]) => {
    expect(() => setupMockmaker({ scenario })).toThrow(UsageError)
    expect(() => setupMockmaker({ scenario })).toThrow(message)
  })

  it('throws UsageError at once where the object is wrong', () => {
    const scenario = { game_modes: ['duel'], lobbies: [{ game_mode_id: 'dual' }] }

    expect(() => setupMockmaker({ scenario })).toThrow(UsageError)
  })
})

describe('an option that is wrong', () => {
  it.for([
    [{ seed: 1.5 }, /seed is 1\.5: expected an integer/],
    [{ seed: Number.NaN }, /seed is NaN/],
    [{ watchTimeoutMs: -1 }, /watchTimeoutMs is -1: expected a number of ms from 0/],
    [{ watchTimeoutMs: Number.NaN }, /watchTimeoutMs is NaN/],
    [{ baseUrl: 'mock.test' }, /baseUrl is "mock\.test": expected an origin/],
    [{ baseUrl: '' }, /baseUrl is ""/],
  ] as const)('throws UsageError at once: %j', ([options, message]) => {
    expect(() => setupMockmaker(options)).toThrow(UsageError)
    expect(() => setupMockmaker(options)).toThrow(message)
  })
})

describe('what no operation matches', () => {
  it.for([
    ['GET', '/matchmaker/lobbies', 404, 'API_NOT_FOUND'],
    ['DELETE', '/matchmaker/lobbies/list', 400, 'API_METHOD_NOT_ALLOWED'],
    ['POST', '/', 404, 'API_NOT_FOUND'],
    ['OPTIONS', '/matchmaker/lobbies/list', 204, undefined],
  ] as const)(
    '%s %s is answered by the mock, where the base URL says that the origin is its own',
    async ([method, path, status, code], { setup }) => {
      setup({ baseUrl: origin, onUnhandledRequest: 'error' })

      const response = await fetch(`${origin}${path}`, { method })

      const text = await response.text()
      expect([response.status, text && JSON.parse(text).code]).toEqual([status, code ?? ''])
    },
  )

  it('is passed on, where the base URL is *', async ({ setup }) => {
    const mock = setup()
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:1/matchmaker/lobbies').catch(() => {})

    expect(unhandled).toEqual(['http://127.0.0.1:1/matchmaker/lobbies'])
  })

  it('is an error where onUnhandledRequest says so', async ({ setup }) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    setup({ onUnhandledRequest: 'error' })

    await expect(fetch('http://127.0.0.1:1/elsewhere')).rejects.toThrow()
    expect(told.mock.calls.flat().join()).toContain('/elsewhere')
    told.mockRestore()
  })

  it('of another origin is left alone, where the base URL is explicit', async ({ setup }) => {
    const mock = setup({ baseUrl: origin })
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:1/matchmaker/lobbies/list').catch(() => {})

    expect(unhandled).toHaveLength(1)
  })
})

describe('the base URL', () => {
  it.for(['http://mock.test', 'http://mock.test/', 'http://mock.test/v1', 'http://mock.test/v1/'])(
    'may be %s',
    async (baseUrl, { setup }) => {
      setup({ baseUrl })
      const prefix = baseUrl.replace(/\/$/, '')

      expect(await lobbiesAt(`${prefix}/matchmaker/lobbies/list`)).toHaveLength(2)
      expect(await (await fetch(`${prefix}/lobbies/list`)).json()).toMatchObject({
        message: 'nothing is at /lobbies/list: did you mean GET /matchmaker/lobbies/list?',
      })
    },
  )

  it('keeps two mocks apart, on one server: MSW lets only the one that listens last answer', async ({ setup }) => {
    const first = setup({ baseUrl: 'http://one.test' })
    const second = createMockmaker({ scenario: tanks, baseUrl: 'http://two.test' })
    first.use(...second.handlers)
    await second.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    const counts = async () => [
      (await lobbiesAt('http://one.test/matchmaker/lobbies/list')).length,
      (await lobbiesAt('http://two.test/matchmaker/lobbies/list')).length,
    ]
    const before = await counts()

    await first.world.lobbies.create({})

    expect([before, await counts()]).toEqual([
      [2, 1],
      [3, 1],
    ])
  })
})

describe('reset', () => {
  it('brings handlers, world and clock back', async ({ setup }) => {
    const mock = setup()
    const before = await (await fetch(listUrl)).text()
    mock.use(http.get(listUrl, () => HttpResponse.json(null)))
    await mock.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    await mock.world.clock.advance(60_000)
    await complete()

    await mock.reset()

    expect(await (await fetch(listUrl)).text()).toBe(before)
    expect(mock.world.clock.now()).toBe(Date.parse('2026-11-20T20:00:00Z'))
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('pending')
  })

  it('draws the same ids again', async ({ setup }) => {
    const mock = setup()
    const prepare = async () => (await fetch(`${origin}/cloud/devices/links`, { method: 'POST' })).text()
    const first = [await prepare(), await prepare()]

    await mock.reset()

    expect([await prepare(), await prepare()]).toEqual(first)
  })

  it('lets the watch index rise', async ({ setup }) => {
    const mock = setup()
    await complete()
    const before = mock.world.revision

    await mock.reset()
    const afterReset = mock.world.revision
    await complete()

    expect(afterReset).toBeGreaterThan(before)
    expect(mock.world.revision).toBeGreaterThan(afterReset)
  })

  it('answers a fetch that is blocked on what it takes back', async ({ setup }) => {
    const mock = setup()
    await complete()
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await mock.reset()

    const { cloud_token, watch } = (await (await answer).json()) as { cloud_token?: string; watch: { index: string } }
    expect([cloud_token, watch.index]).toEqual([undefined, String(mock.world.revision)])
  })

  it('waits for the turn that is going on', async ({ setup }) => {
    const mock = setup()
    const turn = mock.world.write(async ({ lobbies }) => {
      await lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    })

    await Promise.all([turn, mock.reset()])

    expect(await lobbiesAt()).toHaveLength(2)
  })
})

describe('determinism', () => {
  /** A program on the built package that prints all that a client can see of a world, ray ids included. */
  const program = `
    import { createMockmaker } from '${new URL('../dist/index.js', import.meta.url).href}'
    const mock = createMockmaker(JSON.parse(process.argv[1]))
    const tokenOf = kind => mock.tokens.find(token => token.kind === kind).token
    const encode = body => new TextEncoder().encode(JSON.stringify(body))
    const asked = [
      ['GET', '/matchmaker/lobbies/list', { origin: 'http://localhost' }],
      ['POST', '/cloud/devices/links', {}],
      ['POST', '/cloud/devices/links', {}],
      ['POST', '/cloud/devices/links/complete', { authorization: 'Bearer ' + tokenOf('cloud') },
        { device_link_token: mock.world.deviceLinks.all()[0].device_link_token, game_id: mock.world.games.all()[0].game_id }],
      ['GET', '/nowhere', {}],
    ]
    for (const [method, path, headers, body] of asked) {
      const answer = await mock.answer({ method, path, query: 'include_state=true', headers, body: body && encode(body) })
      console.log(answer.status, JSON.stringify(answer.headers), new TextDecoder().decode(answer.body))
    }
    const link = mock.world.deviceLinks.all()[0].device_link_token
    const watched = await mock.answer({ method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=' + link, headers: {} })
    console.log(new TextDecoder().decode(watched.body), JSON.stringify(mock.tokens), mock.world.revision)
    await mock.close()
  `
  const scenario = {
    now: '2026-11-20T20:00:00Z',
    clock: 'frozen',
    game_modes: ['duel', 'ffa'],
    generate: { lobbies: 50 },
    device_links: [{}],
  }
  const run = async (scenario: object, seed?: number) => {
    const args = ['--input-type=module', '--eval', program, JSON.stringify({ scenario, seed })]
    return (await promisify(execFile)(process.execPath, args)).stdout
  }

  it('makes two processes with one seed say the same, to the byte', async () => {
    const [first, second] = await Promise.all([run(scenario, 5), run(scenario, 5)])

    expect(first.split('\n')).toHaveLength(7)
    expect(second).toBe(first)
  })

  it('takes the seed of the option before that of the scenario', async () => {
    const [option, inScenario] = await Promise.all([run({ ...scenario, seed: 9 }, 5), run({ ...scenario, seed: 5 })])

    expect(inScenario).toBe(option)
  })

  it('makes another seed say something else in every line', async () => {
    const [first, second] = await Promise.all([run(scenario, 5), run(scenario, 6)])

    const lines = second.split('\n')
    expect(first.split('\n').filter((line, i) => line !== '' && line === lines[i])).toEqual([])
  })

  it('is the same in this process as in another', async () => {
    const frozen = { ...tanks, device_links: [{ token: tokens.pending }] }
    const { world } = setupMockmaker({ scenario: frozen })
    const other = await run(frozen)
    await world.write(async ({ deviceLinks }) => void (await deviceLinks.create({})))

    expect(other).toContain(world.deviceLinks.all().at(-1)?.device_link_token)
  })
})
