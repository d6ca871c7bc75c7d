import { describe, expect } from 'vitest'
import { inheritedBy } from '../../../src/core/control/environment.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, ids } from '../../support/tanks.js'

const common = {
  RIVET_TOKEN: 'lobby.mock.main',
  RIVET_LOBBY_TOKEN: 'lobby.mock.main',
  RIVET_LOBBY_ID: 'main',
  RIVET_GAME_MODE_ID: 'duel',
  RIVET_GAME_MODE_NAME: 'duel',
  RIVET_LOBBY_GROUP_ID: 'duel',
  RIVET_LOBBY_GROUP_NAME: 'duel',
  RIVET_NAMESPACE_ID: ids.prod,
  RIVET_NAMESPACE_NAME: 'prod',
  RIVET_VERSION_ID: 'version-1',
  RIVET_VERSION_NAME: '0.0.1',
  RIVET_REGION_ID: 'lnd-fra',
  RIVET_REGION_NAME: 'lnd-fra',
  RIVET_MAX_PLAYERS_NORMAL: '2',
  RIVET_MAX_PLAYERS_DIRECT: '3',
  RIVET_MAX_PLAYERS_PARTY: '4',
}

/** With the port of a game mode that names none. */
const usual = { ...common, PORT_default: '7777' }

/** Returns the variables with the URL of a mock. */
const leadingTo = (url: string) => ({
  MOCKMAKER_URL: url,
  RIVET_API_ENDPOINT: url,
  RIVET_MATCHMAKER_API_URL: `${url}/matchmaker`,
})

/** Returns a scenario with the lobby `main` of the mode `duel`. */
function scenario({ ports, ...more }: { ports?: object; development?: object; lobby?: object }): ScenarioInput {
  const { lobby, ...namespace } = more
  return {
    namespace_id: ids.prod,
    version_id: 'version-1',
    regions: ['lnd-fra'],
    game_modes: [{ game_mode_id: 'duel', max_players: { normal: 2, direct: 3, party: 4 }, ...(ports && { ports }) }],
    lobbies: [{ lobby_id: 'main', ...lobby }],
    ...namespace,
  }
}

const tcp = (label: string, target_port: number) => ({ label, target_port, proxy_protocol: 'tcp' })

describe('the environment that a program inherits', () => {
  it('has nothing that belongs to the mock, or to another lobby', () => {
    const own = [
      'PORT',
      'MOCKMAKER_DATA',
      'MOCKMAKER_URL',
      'RIVET_TOKEN',
      'RIVET_LOBBY_CONFIG',
      'Mockmaker_Control_Token',
    ]
    const others = { PATH: '/bin', PORT_METRICS: '9', MY_PORT: '8' }

    const inherited = inheritedBy({ ...others, ...Object.fromEntries(own.map(name => [name, 'x'])) })

    expect(inherited).toEqual({ ...others, PYTHONUNBUFFERED: '1' })
    expect(inheritedBy({ PYTHONUNBUFFERED: '' })).toEqual({ PYTHONUNBUFFERED: '' })
  })
})

describe('the environment of a lobby', () => {
  it('equals that of the real service', async ({ serve }) => {
    const { mock } = await serve({ scenario: scenario({}) })

    expect(mock.lobbyEnvironment('main')).toEqual(usual)
  })

  it('has the version name that its game lists', async ({ serve }) => {
    const first = { name_id: 'prod', version_id: 'version-a' }
    const second = { name_id: 'beta', version_id: 'version-b', game_modes: ['duel'], lobbies: [{ lobby_id: 'main' }] }
    const { mock } = await serve({ scenario: { games: [{ name_id: 'tanks', namespaces: [first, second] }] } })

    expect(mock.lobbyEnvironment('main')).toMatchObject({ RIVET_VERSION_ID: 'version-b', RIVET_VERSION_NAME: '0.0.2' })
  })

  it("has the lobby's config and its tags", async ({ serve }) => {
    const lobby = { lobby_config: { bots: [1, null] }, tags: { level: '3' } }
    const { mock } = await serve({ scenario: scenario({ lobby }) })

    expect(mock.lobbyEnvironment('main')).toEqual({
      ...usual,
      RIVET_LOBBY_CONFIG: '{"bots":[1,null]}',
      RIVET_LOBBY_TAGS: '{"level":"3"}',
    })
  })

  const range = { label: 'voice-chat', port_range: { min: 9000, max: 9010 }, proxy_protocol: 'udp' }
  it.for([
    [{ ports: { lobby_ports: [tcp('game-tcp', 7777), range] } }, { PORT_game_tcp: '7777' }],
    [{ development: { lobby_ports: [tcp('game-tcp', 7777), range] } }, { PORT_game_tcp: '7777' }],
    [
      { ports: { lobby_ports: [tcp('own', 1), range] }, development: { lobby_ports: [tcp('other', 2)] } },
      { PORT_own: '1' },
    ],
  ] as const)('has the ports of its mode, else of the namespace: %j', async ([given, ports], { serve }) => {
    const { mock } = await serve({ scenario: scenario(given) })

    const ranges = { PORT_RANGE_MIN_voice_chat: '9000', PORT_RANGE_MAX_voice_chat: '9010' }
    expect(mock.lobbyEnvironment('main')).toEqual({ ...common, ...ports, ...ranges })
  })

  it('has the given URL', async ({ serve }) => {
    const { mock } = await serve({ scenario: scenario({}) })

    const url = 'http://mock.test'
    expect(mock.lobbyEnvironment('main', { url })).toEqual({ ...usual, ...leadingTo(url) })
  })

  it('has the URL of the client', async ({ serve }) => {
    const { client } = await serve({ scenario: scenario({}) })
    const own = await client.worlds.put('own')

    const found = [await client.lobbyEnvironment('main'), await own.lobbyEnvironment('main')]

    expect(found).toEqual([client.url, own.url].map(url => ({ ...usual, ...leadingTo(url) })))
  })

  it('comes as lines for a shell', async ({ serve }) => {
    const { send, url } = await serve({ scenario: scenario({ lobby: { tags: { note: "it's" } } }) })

    const { status, headers, body } = await send({ method: 'GET', path: '/__mock/lobbies/main/env' })

    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(body).toContain(`export RIVET_API_ENDPOINT=${url}\n`)
    expect(body).toContain(`export RIVET_LOBBY_TAGS='{"note":"it'\\''s"}'\n`)
  })

  it('names a world that the request named in a header', async ({ serve }) => {
    const { mock, send, url } = await serve({ scenario: scenario({}) })
    await mock.worlds.put('own')
    const headers = { 'x-mock-world': 'own', accept: 'application/json' }

    const got = json(await send({ method: 'GET', path: '/__mock/lobbies/main/env', headers }))

    expect(got).toMatchObject({ RIVET_API_ENDPOINT: `${url}/w/own` })
  })

  it('lets a server act for the lobby', async ({ serve }) => {
    const { mock, client, send } = await serve({ scenario: scenario({ lobby: { status: 'starting' } }) })
    const { RIVET_TOKEN = '' } = await client.lobbyEnvironment('main')

    const got = await send({ method: 'POST', path: '/matchmaker/lobbies/ready', headers: bearer(RIVET_TOKEN) })

    expect([got.status, mock.world.lobbies.get('main')?.status]).toEqual([200, 'ready'])
  })

  it('is refused for a stopped or unknown lobby', async ({ serve }) => {
    const { mock, steer } = await serve({ scenario: scenario({ lobby: { status: 'stopped' } }) })

    const answers = [await steer('GET', '/__mock/lobbies/main/env'), await steer('GET', '/__mock/lobbies/x/env')]

    expect(answers.map(failure)).toEqual(['404 API_NOT_FOUND', '404 API_NOT_FOUND'])
    expect(answers.map(({ body }) => /"message":"(.*?): GET/.exec(body)?.[1])).toEqual([
      'lobby \\"main\\" has stopped',
      'there is no lobby \\"x\\"',
    ])
    expect(() => mock.lobbyEnvironment('x')).toThrow('POST /__mock/lobbies creates one')
  })
})
