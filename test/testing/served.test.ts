import { stripVTControlCharacters } from 'node:util'
import { describe, expect as vitestExpect } from 'vitest'
import { matchers } from '../../src/testing/matchers.js'
import { controls, messageOf } from '../support/controls.js'
import { ask, post } from '../support/http.js'
import { it, type ServedMock } from '../support/served-mock.js'
import { bearer, tokens } from '../support/tanks.js'
import type { Extended } from './extended-expect.js'

// Vitest changes its own `expect`.
vitestExpect.extend(matchers)
const expect = vitestExpect as unknown as Extended

const matchmaker = '/matchmaker'

/** A lobby with two players, and the calls of its server. */
async function lobbyOf({ mock }: ServedMock) {
  const { lobby_id } = await mock.lobby({ lobby_id: 'mine', game_mode_id: 'duel', status: 'starting' })
  const players = [await seat(), await seat()]
  function seat() {
    return mock.player({ lobby_id, status: 'reserved' })
  }
  const token = mock.lobbyEnvironment(lobby_id).RIVET_TOKEN ?? ''
  const call = (method: string, path: string, body?: unknown, bearing = token) =>
    ask(mock, {
      method,
      path: matchmaker + path,
      headers: bearer(bearing),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const player = (i: number) => ({ player_token: players[i]?.player_token ?? '' })
  return { call, player, players }
}

describe.each(controls)('toHaveServed, $where', ({ of }) => {
  const plain = async (run: () => unknown) => stripVTControlCharacters(await messageOf(run))

  it('passes if the server of the lobby has called what is expected', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    const { call, player } = await lobbyOf(served)
    await expect(mock).not.toHaveServed('mine')
    await expect(mock).toHaveServed('mine', { ready: false, connected: 0, disconnected: 0, closed: false, refused: 0 })

    await call('POST', '/lobbies/ready')
    await call('POST', '/players/connected', player(0))
    await call('POST', '/players/connected', player(1))
    await call('POST', '/players/disconnected', player(1))
    await call('PUT', '/lobbies/state', { map: 'Harbour', round: { number: 2 } })
    await call('PUT', '/lobbies/closed', { is_closed: true })

    await expect(mock).toHaveServed('mine')
    await expect(mock).toHaveServed('mine', {
      ready: true,
      connected: 2,
      disconnected: 1,
      closed: true,
      refused: 0,
      state: { round: { number: 2 } },
    })
    await expect(mock).not.toHaveServed('mine', { connected: 1 })
  })

  it('names the players that are missing, with their stories', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    const { call, player, players } = await lobbyOf(served)
    await call('POST', '/lobbies/ready')
    await call('POST', '/players/connected', player(0))

    const [story] = served.mock.stories.list({ token: players[1]?.player_token ?? '' }).stories
    vitestExpect(await plain(() => expect(mock).toHaveServed('mine', { connected: 2, disconnected: 3 }))).toBe(
      [
        'the server of lobby mine differs:',
        '  connected: expected 2 players, and found 1',
        `    ${story?.name} ${story?.token}: ${story?.sentence}`,
        '  disconnected: expected 3 players, and found 0',
        ...served.mock.servers.served('mine').players.map(one => `    ${one.name} ${one.token}: ${one.sentence}`),
        '    only 2 players have had a seat in the lobby',
      ].join('\n'),
    )
  })

  it('shows refused calls, and differences of the rest', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    const { call, player } = await lobbyOf(served)
    await call('POST', '/players/connected', { player_token: 'nobody' })
    await call('PUT', '/lobbies/state', 'no json')
    await call('POST', '/lobbies/ready', {}, 'wrong')
    await call('POST', '/lobby/ready')
    await call('PUT', '/lobbies/state', { map: 'Harbour' })
    await call('PUT', '/lobbies/closed', { is_closed: true })
    await call('PUT', '/lobbies/closed', { is_closed: false })
    await call('POST', '/players/connected', player(0))

    const message = await plain(() =>
      expect(mock).toHaveServed('mine', { ready: true, refused: 0, closed: true, state: { map: 'Garden' } }),
    )

    vitestExpect(message.split('\n').map(line => line.replace(/: [^:]*$/, ''))).toEqual([
      'the server of lobby mine differs:',
      '  it has not called ready',
      '  it has opened the lobby again',
      '  refused',
      vitestExpect.stringContaining('    POST /matchmaker/players/connected → 400 TOKEN_ERROR'),
      vitestExpect.stringContaining('    PUT /matchmaker/lobbies/state → 400 API_BAD_BODY'),
      vitestExpect.stringContaining('    POST /matchmaker/lobbies/ready → 400 TOKEN_INVALID'),
      vitestExpect.stringContaining('    POST /matchmaker/lobby/ready → 404 API_NOT_FOUND'),
      '  state.map',
    ])
  })

  it('counts no call of another lobby, of a player, or that a fault has failed', async ({ serve }) => {
    const served = await serve()
    const mock = of(served)
    const { call } = await lobbyOf(served)
    const { lobby_id } = await served.mock.lobby({ game_mode_id: 'duel' })
    const other = served.mock.lobbyEnvironment(lobby_id).RIVET_TOKEN ?? ''
    await call('POST', '/players/connected', { player_token: 'nobody' }, other)
    await ask(served.mock, post('/matchmaker/lobbies/find', { game_modes: ['nothing'] }, tokens.public))
    served.mock.fail('lobbies.ready', 503, { times: 1 })
    await call('POST', '/lobbies/ready')

    await expect(mock).toHaveServed('mine', { ready: false, refused: 0 })
    await expect(mock).toHaveServed(lobby_id, { ready: false, refused: 1 })
  })

  it.for([
    [['mine', { conected: 1 }], 'Did you mean connected?'],
    [['mine', { connected: -1 }], 'connected is -1: expected at least 0'],
    [['mine', { ready: 1 }], 'ready is 1: expected boolean'],
    [['mine', 4], 'toHaveServed is 4: expected object'],
    [['', {}], 'expected the id of a lobby'],
    [['nowhere', {}], 'there is no lobby "nowhere"'],
  ] as const)('refuses %j, also with not', async ([args, message], { serve }) => {
    const served = await serve()
    const mock = of(served)
    await lobbyOf(served)

    for (const one of [expect(mock), expect(mock).not])
      vitestExpect(await plain(() => one.toHaveServed(args[0], args[1] as never))).toContain(message)
  })
})
