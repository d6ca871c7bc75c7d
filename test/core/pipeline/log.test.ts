import { describe, expect, it, vi } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { real } from '../../../src/core/lib/real-globals.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type ExchangeRecord } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { listenTanks } from '../../support/entry-points.js'
import { ask, json, post, sendTo, type TestRequest } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { flushPromises } from '../../support/worlds.js'

const list: TestRequest = { method: 'GET', path: '/matchmaker/lobbies/list' }

/** Creates a mock of tanks, and collects the records of its log. */
function logged() {
  const mock = createMockmaker({ scenario: tanks })
  const records: ExchangeRecord[] = []
  const stop = mock.log.subscribe(record => void records.push(record))
  return { mock, records, stop }
}

/** The secret part of each token. */
const secrets = Object.values(tokens).map(token => token.slice(token.lastIndexOf('.')))

describe('the log', () => {
  it('has a record of a successful request', async () => {
    const { mock, records } = logged()

    const got = await ask(mock, { ...list, headers: bearer(tokens.public) })

    expect(records).toEqual([
      {
        world: 'default',
        method: 'GET',
        path: '/matchmaker/lobbies/list',
        operation: 'lobbies.list',
        caller: { kind: 'public', namespaceId: ids.prod },
        status: 200,
        code: undefined,
        rayId: got.headers['rvt-ray-id'],
        ms: expect.any(Number),
        blocked: false,
        authorizationIgnored: false,
        fromOwnPage: false,
        refusedOrigin: undefined,
        fault: undefined,
        faultEffect: undefined,
        message: undefined,
        outcome: '2 lobbies',
        player: undefined,
      },
    ])
  })

  it('names the player of a seat and of a report as its story does, also if the call is refused', async () => {
    const { mock, records } = logged()
    const sent = (path: string, body: object, token: string) =>
      ask(mock, { method: 'POST', path: `/matchmaker/${path}`, body: JSON.stringify(body), headers: bearer(token) })
    const seats = [
      await sent('lobbies/find', { game_modes: ['ffa'] }, tokens.public),
      await sent('lobbies/join', { lobby_id: 'empty' }, tokens.public),
      await sent('lobbies/create', { game_mode: 'ffa' }, tokens.public),
      await sent('lobbies/find', { game_modes: ['ffa'] }, tokens.development),
    ].map(answer => json(answer) as { player: { token: string }; lobby: { lobby_id: string } })
    const [{ player, lobby } = { player: { token: '' }, lobby: { lobby_id: '' } }] = seats
    const body = { player_token: player.token }
    for (const call of ['connected', 'connected', 'disconnected'])
      await sent(`players/${call}`, body, lobbyTokenOf(lobby.lobby_id))
    await sent('players/connected', {}, lobbyTokenOf(lobby.lobby_id))
    await sent('lobbies/find', { game_modes: [] }, tokens.public)

    const names = seats.map(({ player: { token } }) => mock.stories.get(token)?.name)
    expect(records.map(({ status, player: name }) => [status, name])).toEqual([
      ...names.map(name => [200, name]),
      [200, names[0]],
      [400, names[0]],
      [200, names[0]],
      [400, undefined],
      [400, undefined],
    ])
    expect(new Set(names).size).toBe(4)
  })

  it('has no outcome for a development token, whose lobbies are in no world', async () => {
    const { mock, records } = logged()

    const got = await ask(mock, { ...list, headers: bearer(tokens.development) })

    expect(json(got)).toMatchObject({ lobbies: expect.any(Array) })
    expect(records).toMatchObject([{ status: 200, caller: { kind: 'development' }, outcome: undefined }])
  })

  it.each([`bearer ${tokens.public}`, tokens.public, `Bearer  ${tokens.public}`])(
    'says that the header Authorization was ignored: %s',
    async authorization => {
      const { mock, records } = logged()

      await ask(mock, { ...list, headers: { authorization } })

      expect(records).toMatchObject([{ authorizationIgnored: true, caller: { kind: 'tokenless' } }])
    },
  )

  it.each([
    [
      { ...list, path: '/nowhere' },
      { operation: undefined, caller: undefined, status: 404, code: 'API_NOT_FOUND', authorizationIgnored: false },
    ],
    [
      { ...list, headers: bearer('x') },
      { operation: 'lobbies.list', caller: undefined, status: 400, code: 'TOKEN_INVALID' },
    ],
    [
      { ...list, query: 'include_state=x' },
      { operation: 'lobbies.list', caller: { kind: 'tokenless' }, status: 400, code: 'API_BAD_QUERY' },
    ],
    [
      { ...list, method: 'OPTIONS' },
      { operation: undefined, status: 204, code: undefined, refusedOrigin: undefined },
    ],
    [
      post('/matchmaker/lobbies/join', { lobby_id: 'empty' }, tokens.public),
      { operation: 'lobbies.join', status: 200, outcome: 'ffa in Sydney, 1/8' },
    ],
    [
      post('/matchmaker/players/connected', { player_token: '' }, tokens.arena),
      { operation: 'players.connected', status: 400, player: undefined },
    ],
  ])('has for %j all fields that are known', async (sent, expected) => {
    const { mock, records } = logged()

    await ask(mock, sent)

    expect(records).toMatchObject([expected])
  })

  it('has the outcome of a success only', async () => {
    const { mock, records } = logged()
    const sent = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` }
    mock.faults.add({ operation: 'devices.links.get', effect: { error: { status: 503 } }, times: 1 })

    await ask(mock, sent)
    await ask(mock, sent)

    expect(records).toMatchObject([
      { status: 503, outcome: undefined },
      { status: 200, outcome: 'pending' },
    ])
  })

  it('names no lobby that is not in the world, and no player of an answer without a seat', async () => {
    const { mock, records } = logged()
    mock.on('lobbies.join', async ({ original }) => {
      const join = await original()
      return { ...join, lobby: { ...join.lobby, lobby_id: ids.tanks } }
    })
    mock.on('lobbies.list', async ({ original }) => Object.assign({ player: { token: 'x' } }, await original()))

    await ask(mock, post('/matchmaker/lobbies/join', { lobby_id: 'empty' }, tokens.public))
    await ask(mock, list)

    expect(records).toMatchObject([
      { status: 200, outcome: undefined },
      { status: 200, outcome: '2 lobbies', player: undefined },
    ])
  })

  it('has a record of a broken connection, also of a call for a seat', async () => {
    const { mock, records } = logged()
    mock.faults.add({ operation: 'lobbies.find', effect: { empty: true } })

    await ask(mock, post('/matchmaker/lobbies/find', { game_modes: ['ffa'] }, tokens.public))

    expect(records).toMatchObject([{ operation: 'lobbies.find', status: 0, player: undefined, outcome: undefined }])
  })

  it.each([
    ['http://localhost:3000', undefined],
    ['https://tanks.example', undefined],
    ['https://evil.example', 'https://evil.example'],
    ['null', 'null'],
  ])('says whether pages of the origin %s may not read the response: %s', async (origin, refusedOrigin) => {
    const { mock, records } = logged()

    await ask(mock, { ...list, headers: { origin } })

    expect(records).toMatchObject([{ refusedOrigin }])
  })

  it('names no refused origin of a request without one, even in the process of a page', async () => {
    const { mock, records } = logged()

    await mock.answer({
      method: 'GET',
      path: '/matchmaker/lobbies/list',
      headers: {},
      pageOrigin: 'https://evil.example',
    })

    expect(records).toMatchObject([{ status: 200, refusedOrigin: undefined }])
  })

  it('names no refused origin for the home page, which pages of no other origin read', async () => {
    const { mock, url, close } = await listenTanks()
    const records: ExchangeRecord[] = []
    mock.log.subscribe(record => void records.push(record))

    await sendTo(url, { method: 'GET', path: '/', headers: { origin: 'https://evil.example' } })
    await close()

    expect(records).toMatchObject([{ path: '/', status: 200, refusedOrigin: undefined }])
  })

  it('says that a watch was blocked, once it is answered', async () => {
    const { mock, records } = logged()
    const query = `device_link_token=${tokens.pending}&watch_index=${mock.world.revision}`
    const answer = ask(mock, { method: 'GET', path: '/cloud/devices/links', query })
    const before = records.length

    await mock.close()
    await answer

    expect([before, records]).toMatchObject([0, [{ operation: 'devices.links.get', blocked: true, status: 200 }]])
  })

  it('says that a watch was not blocked if it is answered at once, overridden or not', async () => {
    const { mock, records } = logged()
    const sent = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` }
    const [handler] = [mock.override('devices.links.get', ({ original }) => original())]

    await ask(mock, sent)
    await handler.run({ request: new Request(`http://x${sent.path}?${sent.query}`), requestId: '1' })

    expect(records.map(({ operation, blocked }) => [operation, blocked])).toEqual([
      ['devices.links.get', false],
      ['devices.links.get', false],
    ])
  })

  it('has a record of a client that disconnects, which is not a bug', async () => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { mock, records } = logged()
    const client = new AbortController()
    const query = `device_link_token=${tokens.pending}&watch_index=${mock.world.revision}`
    void ask(mock, { method: 'GET', path: '/cloud/devices/links', query }, client.signal)

    client.abort()
    await flushPromises()

    expect([records.map(record => record.status), consoleSpy.mock.calls]).toEqual([[499], []])
    consoleSpy.mockRestore()
  })

  it('contains no token, wherever it was sent', async () => {
    const { mock, url, close } = await listenTanks()
    const records: ExchangeRecord[] = []
    mock.log.subscribe(record => void records.push(record))
    for (const token of Object.values(tokens)) {
      const [device_link_token, watch_index] = [token, token]
      const body = JSON.stringify({ device_link_token, game_id: token, name_id: token, lobby_ports: [token] })
      for (const id of operationIds) {
        const { method, path } = operations[id]
        const filled = path.replace('{game_id}', token).replace('{namespace_id}', token)
        const query = new URLSearchParams({ device_link_token, watch_index, include_state: token }).toString()
        await sendTo(url, { method, path: filled, query, headers: bearer(token), ...(method === 'POST' && { body }) })
      }
      await sendTo(url, { method: 'GET', path: `/devices/link/${token}` })
      await sendTo(url, { method: 'POST', path: `/devices/link/${token}/x`, query: `token=${token}` })
    }
    await close()

    expect(records).toHaveLength(Object.values(tokens).length * (operationIds.length + 2))
    const texts = records.map(record => JSON.stringify(record))
    expect(texts.filter(text => secrets.some(secret => text.includes(`mock${secret}`)))).toEqual([])
  })

  it('contains no token in a message of the control API, whatever the form of the token', async () => {
    const secret = ['mine.PUBSECRET', 'PLAIN-SECRET', '(S,E"CRET)', `long.${'S'.repeat(80)}ECRET`]
    const [publicToken = '', development = '', player_token = '', link = ''] = secret
    const scenario = {
      game_modes: ['duel'],
      lobbies: [{ lobby_id: 'one' }],
      tokens: { public: publicToken, development },
      device_links: [{ token: link }],
    }
    const mock = createMockmaker({ scenario })
    await mock.world.players.create({ lobby_id: 'one', player_token })
    const { url, close } = await listen(mock, { port: 0 })
    const records: ExchangeRecord[] = []
    mock.log.subscribe(record => void records.push(record))
    const ask = (method: string, path: string) =>
      sendTo(url, { method, path: `/__mock/${path}`, headers: { 'content-type': 'application/json' }, body: '{}' })

    for (const table of ['tokens', 'players', 'device-links'])
      for (const id of [...secret.map(encodeURIComponent), 'mine.PUBSECRE', 'PLAIN-SECRE']) {
        await ask('DELETE', `${table}/${id}x`)
        await ask('PATCH', `${table}/${id}x`)
        await ask('PATCH', `lobbies/${id}`)
        await ask('POST', `device-links/${id}/complete`)
      }
    await close()

    const messages = records.flatMap(({ message }) => message ?? [])
    expect(messages.length).toBeGreaterThan(30)
    expect(messages.filter(message => message.includes('Known: ')).length).toBeGreaterThan(5)
    expect(messages.filter(message => /SECRET|CRET\)(?!x)|S{20}/.test(message))).toEqual([])
  })

  it('contains no token of the real service in a path: /devices/link/{token} shows its label', async () => {
    const { url, close, mock } = await listenTanks()
    const records: ExchangeRecord[] = []
    mock.log.subscribe(record => void records.push(record))

    await sendTo(url, { method: 'GET', path: '/devices/link/device.eyJ0eXAi.abc-_~x' })
    await close()

    expect(records.map(record => record.path)).toEqual(['/devices/link/device.…'])
  })

  it('redacts a token in a path from the request on at which the mock knows it', async () => {
    const { mock, records } = logged()
    const request: TestRequest = { method: 'GET', path: '/x/mine.PUBSECRET' }

    await ask(mock, request)
    await mock.world.players.create({ lobby_id: 'empty', player_token: 'mine.PUBSECRET' })
    await ask(mock, request)

    expect(records.map(({ path }) => path)).toEqual(['/x/mine.PUBSECRET', '/x/mine.…'])
  })

  it('calls a listener that another one has added only for the next request, and none that another one has removed', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const told: string[] = []
    mock.log.subscribe(() => {
      told.push('first')
      stop()
      if (told.length === 1) mock.log.subscribe(() => void told.push('added'))
    })
    const stop = mock.log.subscribe(() => void told.push('removed'))

    await ask(mock, list)
    await ask(mock, list)

    expect(told).toEqual(['first', 'first', 'added'])
  })

  it('calls no listener that has unsubscribed', async () => {
    const { mock, records, stop } = logged()

    stop()
    stop()
    await ask(mock, list)

    expect(records).toEqual([])
  })

  it('answers the request if a listener throws, and tells the others: the error is uncaught', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const error = new Error('a bug of a listener')
    mock.log.subscribe(() => {
      throw error
    })
    const told = vi.fn()
    mock.log.subscribe(told)
    const uncaught = vi.spyOn(real, 'queueMicrotask').mockImplementation(() => {})

    const { status } = await ask(mock, { ...list, headers: bearer(tokens.public) })
    const thrown = uncaught.mock.calls.map(([throws]) => throws)
    uncaught.mockRestore()

    expect([status, told.mock.calls.length, thrown.length]).toEqual([200, 1, 1])
    expect(thrown[0]).toThrow(error)
  })
})
