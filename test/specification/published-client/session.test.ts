import { RivetClient, RivetError } from '@rivet-gg/api'
import { it as base, describe, expect } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { listen } from '../../../src/server/http/index.js'
import { itKeepsEvidence, noteAnswers } from '../../support/evidence.js'
import { ids, tanks, tokens } from '../../support/tanks.js'

/** A new mock of `tanks` on a socket for each test, and a client for each token. */
const it = base.extend<{ url: string; as: (token?: string) => RivetClient }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  url: async ({}, use) => {
    const mock = createMockmaker({ scenario: { ...tanks, clock: 'running', now: undefined } })
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    await use(url)
    noteAnswers(mock)
    // One session plays with a development token, and joins the lobby of its canned seat.
    expect(mock.warnings.list().filter(({ rule }) => rule !== 'canned answers')).toEqual([])
    await close()
  },
  as: ({ url }, use) => use(token => new RivetClient({ environment: url, ...(token === undefined ? {} : { token }) })),
})

/** Returns the token of a lobby, as a person finds it to start the game server. */
async function lobbyToken(url: string, lobbyId: string): Promise<string> {
  const answer = await fetch(`${url}/__mock/tokens?kind=lobby&lobby_id=${lobbyId}`)
  const { tokens: shown } = (await answer.json()) as { tokens: { token: string }[] }
  return shown[0]?.token ?? ''
}

const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof RivetError ? (error.body as { code: string }).code : error),
  )

describe('the published client', () => {
  it('plays a whole session', async ({ url, as }) => {
    const player = as(tokens.public).matchmaker
    const before = (await player.lobbies.list()).lobbies.find(({ lobbyId }) => lobbyId === 'empty')
    const found = await player.lobbies.find({ gameModes: ['ffa'] })
    const server = as(await lobbyToken(url, found.lobby.lobbyId)).matchmaker
    const playerToken = found.player.token
    const listed = async () => (await player.lobbies.list()).lobbies.find(({ lobbyId }) => lobbyId === 'empty')

    await server.lobbies.ready()
    await server.players.connected({ playerToken })
    const there = await listed()
    const statistics = await as(tokens.public).matchmaker.players.getStatistics()
    await server.lobbies.setState({ map: 'ice' })
    const state = await server.lobbies.getState('empty')
    await server.lobbies.setClosed({ isClosed: true })
    const closed = await listed()
    const twice = await codeOf(server.players.connected({ playerToken }))
    await server.players.disconnected({ playerToken })
    await server.lobbies.setClosed({ isClosed: false })

    expect(before).toMatchObject({ totalPlayerCount: 0 })
    expect(found).toMatchObject({
      lobby: { lobbyId: 'empty', region: { regionId: 'lnd-syd', displayName: 'Sydney' } },
      ports: { default: { host: '127.0.0.1:7777', port: 7777, isTls: true }, voice: { portRange: { min: 26_000 } } },
    })
    expect(there).toMatchObject({ totalPlayerCount: 1 })
    expect(statistics.gameModes.ffa).toEqual({
      playerCount: 1,
      regions: { 'lnd-syd': { playerCount: 1 }, 'lnd-fra': { playerCount: 0 } },
    })
    expect(state).toEqual({ map: 'ice' })
    expect([closed, twice]).toEqual([undefined, 'MATCHMAKER_PLAYER_ALREADY_CONNECTED'])
    expect(await listed()).toMatchObject({ totalPlayerCount: 0 })
  })

  it('plays a session with a development token, which changes nothing', async ({ as }) => {
    const { matchmaker } = as(tokens.development)
    const { lobbies } = await matchmaker.lobbies.list()

    const { lobby, player, ports } = await matchmaker.lobbies.find({ gameModes: ['duel'] })
    await matchmaker.lobbies.join({ lobbyId: lobby.lobbyId })
    await matchmaker.lobbies.create({ gameMode: 'duel', publicity: 'private' })
    await matchmaker.lobbies.ready()
    await matchmaker.players.connected({ playerToken: player.token })
    await matchmaker.lobbies.setState({ map: 'ice' })
    const state = await matchmaker.lobbies.getState(lobby.lobbyId)
    await matchmaker.lobbies.setClosed({ isClosed: true })
    await matchmaker.players.disconnected({ playerToken: player.token })
    const statistics = await matchmaker.players.getStatistics()
    const { regions } = await matchmaker.regions.list()

    expect(lobby.lobbyId).toBe(lobbies[0]?.lobbyId)
    expect(ports.default).toEqual({ hostname: '127.0.0.1', host: '127.0.0.1:7777', port: 7777, isTls: true })
    expect([state, statistics]).toEqual([{}, { playerCount: 0, gameModes: {} }])
    expect(regions.map(({ regionId }) => regionId)).toEqual(['dev-lcl'])
    expect(await as(tokens.public).matchmaker.lobbies.list()).toMatchObject({ lobbies: { length: 2 } })
  })

  it('creates a namespace and a development token, and finds a seat with it', async ({ as }) => {
    const { namespaces } = as(tokens.cloud).cloud.games
    const { namespaceId } = await namespaces.createGameNamespace(ids.tanks, {
      displayName: 'Beta',
      nameId: 'beta',
      versionId: '77777777-7777-4777-8777-777777777777',
    })
    const { token } = await namespaces.createGameNamespaceTokenDevelopment(ids.tanks, namespaceId, {
      hostname: '127.0.0.1',
      ports: { default: { port: 9000, protocol: 'http' } },
    })

    const { lobby, ports, player } = await as(token).matchmaker.lobbies.find({ gameModes: ['duel'] })

    expect(lobby.region).toEqual({ regionId: 'dev-lcl', displayName: 'Local' })
    expect(ports).toEqual({ default: { hostname: '127.0.0.1', host: '127.0.0.1:9000', port: 9000, isTls: false } })
    expect(player.token).toMatch(/^dev_player\./)
  })

  it('sees a player join and leave a lobby with a simulated server', async ({ url, as }) => {
    const { matchmaker } = as(tokens.public)
    await matchmaker.lobbies.join({ lobbyId: 'empty' })
    const advance = (by: string) =>
      fetch(`${url}/__mock/clock/advance`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ by }),
      })
    const count = async () =>
      (await matchmaker.lobbies.list()).lobbies.find(({ lobbyId }) => lobbyId === 'empty')?.totalPlayerCount

    await advance('2s')
    const there = await count()
    await advance('30m')

    expect([there, await count()]).toEqual([1, 0])
  })
})

itKeepsEvidence()
