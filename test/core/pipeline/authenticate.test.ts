import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { ask, json } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const ready = { method: 'POST', path: '/matchmaker/lobbies/ready' } as const
const game = { method: 'GET', path: `/cloud/games/${ids.tanks}` } as const
const old = { expires_at: '2026-11-20T19:00:00Z' } as const

async function messageOf(sent: Parameters<typeof ask>[1], scenario: object = tanks): Promise<string> {
  const mock = createMockmaker({ scenario })
  const got = await ask(mock, sent)
  await mock.close()
  return (json(got) as { message: string }).message
}

describe('the message of a refused request', () => {
  it('says how to send a token if none was sent', async () => {
    expect(await messageOf(game)).toMatch(
      /: send it as "Authorization: Bearer <token>"; .* GET \/, .* in-process mock\.tokens$/,
    )
  })

  it('says why a call without a token needs one', async () => {
    const closed = messageOf(list, { game_modes: ['duel'], tokenless: false })
    const none = messageOf(list, { games: [] })

    expect(await closed).toMatch(/^namespace "prod" does not allow calls without a token, so this call needs /)
    expect(await none).toMatch(/^there is no default namespace, so this call needs /)
  })

  it.for([
    ['of the wrong kind', { ...game, headers: bearer(tokens.public) }, 'GET /'],
    ['of the wrong kind for a lobby', { ...ready, headers: bearer(tokens.public) }, 'GET /__mock/tokens?kind=lobby'],
    [
      'of a player',
      { ...game, headers: bearer(tokens.connected) },
      'this is a player token, and the call needs a cloud',
    ],
    [
      'of another game',
      { ...game, headers: bearer(tokens.cloudBoats) },
      'send a token of that game; the page at GET /',
    ],
    [
      'that does not exist',
      { ...list, headers: bearer('pub_prod.mock.nobody') },
      'token: the page at GET /, the key t',
    ],
    [
      'of an unknown lobby',
      { ...ready, headers: bearer('lobby.mock.nobody') },
      'stopped more than an hour ago; GET /__mock',
    ],
    ['of a device that has expired', { ...list, headers: bearer(tokens.expired) }, 'POST /cloud/devices/links'],
  ] as const)('says where to find a token, but not how to send it, for a token %s', async ([, sent, advice]) => {
    const message = await messageOf(sent)

    expect(message).toContain(advice)
    expect(message).not.toContain('send it as')
  })

  it.for([
    ['public', { namespace: 'game/prod' }, '/tokens/public mints a new one; or reset the world'],
    ['development', { namespace: 'game/prod' }, '/tokens/development mints a new one; or reset the world'],
    ['cloud', { game: 'game' }, 'complete a device link'],
  ] as const)('says how to get a new token if a %s token has expired', async ([kind, of, advice]) => {
    const now = '2026-11-20T20:00:00Z'
    const bearer_tokens = [{ token: 'old', kind, ...of, ...old }]

    const message = await messageOf({ ...list, headers: bearer('old') }, { now, game_modes: ['duel'], bearer_tokens })

    expect(message).toContain(`this ${kind} token has expired: `)
    expect(message).toContain(advice)
    expect(message).not.toContain('send it as')
  })
  it('says how to get a new token if the one of a player of a development server has expired', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' }
    const { player } = json(await ask(mock, { ...find, headers: bearer(tokens.development) })) as {
      player: { token: string }
    }
    const asked = { ...game, headers: bearer(player.token) }

    const before = json(await ask(mock, asked))
    await mock.clock.advance('400d')
    const after = json(await ask(mock, asked))

    expect(before).toMatchObject({ message: expect.stringContaining('this is a dev_player token, and the call needs') })
    expect(after).toMatchObject({ message: expect.stringContaining('has expired: get a new one with find') })
  })
})

describe('the host of a game server', () => {
  it.for([
    ['192.168.1.5:4100', '192.168.1.5'],
    ['[fd00::5]:4100', 'fd00::5'],
    ['game.example', 'game.example'],
    ['a b', '127.0.0.1'],
    ['[::1', '127.0.0.1'],
    [undefined, '127.0.0.1'],
  ] as const)('is the Host of the request, if a client can connect to it: %s', async ([host, hostname]) => {
    const ports = [{ label: 'default', target_port: 7777, proxy_protocol: 'udp' }] as const
    const mock = createMockmaker({ scenario: { game_modes: ['duel'], lobbies: [{ game_mode_id: 'duel', ports }] } })
    const find = { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' }

    const got = await ask(mock, { ...find, headers: host === undefined ? {} : { host } })

    expect(json(got)).toMatchObject({ ports: { default: { hostname } } })
  })
})
