import { describe, expect, vi } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { bodyLimit } from '../../../src/core/pipeline/message.js'
import { createMockmaker } from '../../../src/index.js'
import { Service } from '../../../src/server/http/service.js'
import { failure, json, sendTo } from '../../support/http.js'
import { it, jsonHeaders as jsonType } from '../../support/served-mock.js'
import { tanks } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

describe('GET /__mock', () => {
  it('lists the calls with their parameters', async ({ serve }) => {
    const { steer } = await serve()

    const { calls } = json(await steer('GET', '/__mock')) as { calls: object[] }

    expect(calls).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        path: '/__mock/journal',
        query: ['operation', 'status', 'since', 'answers'],
      }),
    )
    expect(calls).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/__mock/clock/advance', body: ['by'] }),
    )
    expect(calls).toContainEqual(
      expect.objectContaining({ method: 'POST', path: '/__mock/reset', body: ['keep?', 'seed?'] }),
    )
  })
})

describe('the query of a call', () => {
  it.for([
    ['POST', '/__mock/reset?keep=journal', {}, '400 API_BAD_QUERY', 'query.keep is an unknown key'],
    ['GET', '/__mock/health?x=1', undefined, '400 API_BAD_QUERY', 'query.x'],
    ['GET', '/__mock/changes?sinec=3', undefined, '400 API_BAD_QUERY', 'Known: since, answers, newest, with.'],
    ['GET', '/__mock/changes?newest=0', undefined, '400 API_BAD_QUERY', 'expected a whole number of 1 or more'],
    ['GET', '/__mock/explain?lobby=a', undefined, '400 API_BAD_QUERY', 'Known: lobby_id, path'],
    ['GET', '/__mock/snapshot?with=faults&with=journal', undefined, '400 API_BAD_QUERY', 'more than once'],
    ['POST', '/__mock/reset', { keeep: [] }, '400 API_BAD_BODY', 'Did you mean keep?'],
    ['POST', '/__mock/reset', { keep: ['clokc'] }, '400 API_BAD_BODY', 'body.keep[0] is "clokc"'],
    ['PUT', '/__mock/clock', { mod: 'frozen' }, '400 API_BAD_BODY', 'Did you mean mode?'],
    ['POST', '/__mock/clock/advance', {}, '400 API_BAD_BODY', 'body.by is missing'],
    ['PUT', '/__mock/scenario', {}, '400 API_BAD_BODY', 'expected one of name, scenario and text'],
    ['PUT', '/__mock/scenario', { scenario: 3 }, '400 API_BAD_BODY', 'expected a scenario, or the name of one'],
    ['PUT', '/__mock/worlds/w', { sed: 1 }, '400 API_BAD_BODY', 'Did you mean seed?'],
    ['POST', '/__mock/reset', [], '400 API_BAD_BODY', 'expected an object'],
  ] as const)('is refused if it is wrong: %s %s %j', async ([method, path, body, code, message], { serve }) => {
    const { mock, steer } = await serve()

    const got = await steer(method, path, body)

    expect(failure(got)).toBe(code)
    expect((json(got) as { message: string }).message).toContain(message)
    expect([mock.worlds.list().length, mock.world.clock.mode]).toEqual([1, 'frozen'])
  })
})

describe('the body of a call', () => {
  it('may begin with a byte order mark', async ({ serve }) => {
    const { url } = await serve()

    const got = await sendTo(url, { method: 'POST', path: '/__mock/reset', headers: jsonType, body: '\ufeff{}' })

    expect(got.status).toBe(200)
  })

  it.for([
    ['an operation', '/matchmaker/lobbies/find', 1_000_000],
    ['a small call', '/__mock/reset', 1_000_000],
    ['a snapshot', '/__mock/snapshot', 8_000_000],
  ] as const)('makes no objects of brackets that nest too deep: %s', async ([, path, length], { serve }) => {
    const { url } = await serve()
    const parse = vi.spyOn(JSON, 'parse')
    const method = path === '/__mock/snapshot' ? 'PUT' : 'POST'

    const got = await sendTo(url, { method, path, headers: jsonType, body: '['.repeat(length) })
    const longest = Math.max(0, ...parse.mock.calls.map(([text]) => text.length))
    parse.mockRestore()

    expect([failure(got), longest < 1000]).toEqual(['400 API_BAD_BODY', true])
    expect(got.body).toContain('nests deeper than')
  })

  it.for([
    ['/__mock/snapshot', '{"revision":1,"lobbies":['],
    ['/__mock/scenario', '{"scenario":{"lobbies":['],
    ['/__mock/worlds/other', '{"scenario":{"lobbies":['],
  ])('makes no objects of too many values: %s', async ([path = '', start = ''], { serve }) => {
    const { url } = await serve()
    const parse = vi.spyOn(JSON, 'parse')
    const body = `${start}${'{},'.repeat(250_000)}{}`

    const got = await sendTo(url, { method: 'PUT', path, headers: jsonType, body })
    const longest = Math.max(0, ...parse.mock.calls.map(([text]) => text.length))
    parse.mockRestore()

    expect([failure(got), longest < 1000]).toEqual(['400 API_BODY_TOO_LARGE', true])
    expect(got.body).toContain('more than 500000 objects, arrays and commas: start the command with the scenario')
  })

  it.for([
    ['/__mock/snapshot', {}, 8],
    ['/__mock/scenario', {}, 8],
    ['/__mock/worlds/other', {}, 8],
    ['/__mock/snapshot', { origin: 'http://localhost:3000' }, 8],
    ['/__mock/snapshot', { origin: 'https://evil.example' }, 1],
    ['/__mock/snapshot', { 'sec-fetch-site': 'cross-site' }, 1],
  ] as const)('is read up to a longer limit only if the call is allowed: %s %j', ([path, headers, mebibytes]) => {
    const service = new Service(mockOf(createMockmaker(), 'test'))
    const request = { method: 'PUT', path, headers: { ...jsonType, ...headers } }

    const { maxBodyBytes = bodyLimit } = service.serve(request, () => 'http://127.0.0.1:4100')

    expect(maxBodyBytes).toBe(mebibytes * 1024 * 1024)
  })

  it.for([
    ['POST', '/__mock/reset', 1024 * 1024],
    ['POST', '/__mock/journal/verify', 1024 * 1024],
    ['POST', '/__mock/lobbies', 1024 * 1024],
    ['PUT', '/__mock/snapshot', 8 * 1024 * 1024],
  ] as const)('has a limit: %s %s takes %d bytes', { tags: ['slow'] }, async ([method, path, most], { serve }) => {
    const { mock, url } = await serve()
    const before = stateOf(mock.world)
    const send = (length: number) => sendTo(url, { method, path, headers: jsonType, body: '1'.padStart(length) })

    const [longest, longer] = [await send(most), await send(most + 1)]

    expect([failure(longest), failure(longer)]).toEqual(['400 API_BAD_BODY', '400 API_BODY_TOO_LARGE'])
    expect([stateOf(mock.world), mock.worlds.list().length]).toEqual([before, 1])
    expect(longer.body).toContain(`the body is longer than ${most} bytes: `)
    if (path === '/__mock/snapshot') expect(longer.body).toContain('start the command with the scenario as a file')
  })

  const generates = (lobbies: number) => ({ game_modes: ['duel'], generate: { lobbies } })

  it.for([
    ['/__mock/scenario', { scenario: generates(100_001) }],
    ['/__mock/scenario', { text: JSON.stringify(generates(100_001)) }],
    ['/__mock/snapshot', { ...generates(100_001), revision: 1 }],
    ['/__mock/worlds/other', { scenario: generates(100_001) }],
  ] as const)('generates at most as many lobbies as a call may create: %s', async ([path, body], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer('PUT', path, body)

    expect(failure(got)).toBe('400 API_BODY_TOO_LARGE')
    expect(got.body).toContain('generates 100001 lobbies, and a call creates at most 100000: start the command with')
    expect([stateOf(mock.world), mock.worlds.list().length]).toEqual([before, 1])
  })
})

describe('a wait for the next request', () => {
  it('says that its operation is missing', async ({ serve }) => {
    const { steer } = await serve()

    const got = await steer('POST', '/__mock/journal/next', {})

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(json(got)).toMatchObject({ message: expect.stringMatching(/^body\.operation is missing/) })
  })
})

describe('the input of a call in-process', () => {
  const mock = createMockmaker({ scenario: tanks })
  // TypeScript would refuse this.
  const loose = mock as unknown as { readonly [name: string]: (...input: readonly unknown[]) => Promise<unknown> }

  it.for([
    ['reset', [{ keeep: [] }], 'reset.keeep is an unknown key. Known: keep, seed. Did you mean keep?'],
    ['reset', [{ keep: 'journal' }], 'reset.keep is "journal": expected array'],
    ['snapshot', [{ with: ['fault'] }], 'snapshot.with[0] is "fault": expected "faults" or "journal"'],
    ['completeDeviceLink', ['x', { gmae: 'tanks' }], 'Known: game.'],
    ['completeDeviceLink', [], 'the token is undefined: expected the token of a device link'],
    ['explain', [{ lobby: 'x' }], 'Known: lobby_id, path'],
  ] as const)('is refused if it is wrong: %s %j', async ([name, input, message]) => {
    await expect((async () => loose[name]?.(...input))()).rejects.toThrow(message)
  })

  it('is refused by worlds.put and clock.set', async () => {
    // @ts-expect-error It takes no such key.
    await expect(mock.worlds.put('w', { sed: 1 })).rejects.toThrow('Did you mean seed?')
    await expect(mock.worlds.put('w', { scenario: 'default', fork: 'default' })).rejects.toThrow('world.fork')
    // @ts-expect-error It takes no such key.
    await expect(mock.world.clock.set({ mod: 'frozen' })).rejects.toThrow('Did you mean mode?')
    expect(mock.worlds.list()).toHaveLength(1)
  })
})
