import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker } from '../../../src/index.js'
import { anyCharacter } from '../../support/any-character.js'
import { ask, json, post } from '../../support/http.js'
import { tokens } from '../../support/tanks.js'

const place = { provider_display_name: 'Own', datacenter_coord: { latitude: 1, longitude: 2 } }

/** Draws the story of a player that waits for its server, and whose seat expires. Another one takes the last seat of both lobbies. */
async function drawn({ mode = 'duel', region = 'Frankfurt' } = {}): Promise<string> {
  const regions = [{ ...place, region_id: 'fra', region_display_name: region }]
  const game_modes = [{ game_mode_id: mode, max_players: 2 }]
  const now = '2026-11-20T20:00:00Z'
  const scenario = { servers: 'manual', clock: 'frozen', now, tokens: { public: tokens.public }, regions, game_modes }
  const mock = createMockmaker({ scenario } as Parameters<typeof createMockmaker>[0])
  await mock.world.lobbies.create({ lobby_id: '0123456789', game_mode_id: mode, region_id: 'fra', players: 1 })
  const find = () => ask(mock, post('/matchmaker/lobbies/find', { game_modes: [mode] }, tokens.public))
  const call = (path: string, lobby: string, body: object) =>
    ask(mock, post(`/matchmaker/${path}`, body, lobbyTokenOf(lobby)))
  await find()
  await mock.clock.advance('5ms')
  const answer = find()
  await mock.clock.advance('7ms')
  const other = find()
  await mock.clock.advance('800ms')
  const [lobby] = mock.world.lobbies.findMany(q => q.where({ status: 'starting' }))
  const lobbyId = lobby?.lobby_id ?? ''
  await call('lobbies/ready', lobbyId, {})
  const { player } = json(await answer) as { player: { token: string } }
  await other
  await mock.clock.advance('2m1s')
  await call('players/connected', lobbyId, { player_token: player.token })
  const { name, mermaid = '' } = mock.stories.get(player.token, { mermaid: true }) ?? {}
  const names = mock.stories.list({ simulated: false }).stories.map(story => story.name)
  const [second = '', , first = ''] = names
  return mermaid.replaceAll(String(name), 'Me').replaceAll(second, 'Second').replaceAll(first, 'First')
}

describe('the diagram of a story', () => {
  it('has who called, when and why, and the other players where they took the seats', async () => {
    expect((await drawn()).split('\n')).toEqual([
      '```mermaid',
      'sequenceDiagram',
      '    participant c as Me',
      '    participant m as Matchmaker',
      '    participant s as Game server',
      '    participant p0 as First',
      '    participant p1 as Second',
      '    Note over c,s: 2026-11-20, times in UTC<br/>Lost the seat in duel in Frankfurt after 2 min 1 s: its server<br/>called players.connected 1 s too late.',
      '    p0->>m: 20:00:00.000 lobbies.find<br/>Seat 2 of 2. duel in Frankfurt',
      '    c->>m: 20:00:00.005 Found<br/>The client called lobbies.find, and got duel in Frankfurt: no<br/>lobby in the requested game modes and regions had a free seat<br/>that fits, so the mock created one. The answer came after 807<br/>ms.<br/>not 01234567 in fra: full',
      '    Note over m: 20:00:00.005 Seat reserved<br/>Seat 1 of 2.',
      '    p1->>m: 20:00:00.012 lobbies.find<br/>Seat 2 of 2. duel in Frankfurt',
      '    s->>m: 20:00:00.812 (+807 ms) Lobby ready<br/>The server of the lobby is ready. The seat is lost after 2 min.',
      '    m-->>c: 20:00:00.812 Answered<br/>The client got its seat.',
      '    Note over m: 20:02:00.812 (+2 min) Seat expired<br/>No server called players.connected in time, so the seat is free<br/>again.',
      '    s-xm: 20:02:01.812 (+1 s) players.connected refused<br/>players.connected: Refused: the seat had expired.',
      '```',
    ])
  })

  // Mermaid ends a statement with a semicolon, reads #…; as a character, and %%{…}%% as its configuration.
  const nasty = fc.constantFrom(
    'end',
    ';',
    '#35;',
    '%%{init:{}}%%',
    '<b onclick="x">',
    '```',
    'Note over c: x',
    '$$',
    '\\',
  )
  const text = fc.oneof(
    nasty,
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.tuple(nasty, nasty).map(parts => parts.join('')),
  )
  property.prop(
    [
      text.map(one => one.replaceAll(/[\s/\p{C}]/gu, '')).filter(one => one !== ''),
      text.map(one => one.replaceAll('\0', ' ').trim()).filter(one => one !== ''),
    ],
    { numRuns: inject('runs') },
  )('keeps its form, whatever the names are', async (mode, region) => {
    const lines = (await drawn({ mode, region })).split('\n')

    expect(lines).toHaveLength(17)
    const words = String.raw`(?:[\p{L}\p{N} .,:()/+'_-]|#\d+;|<br/>)*`
    const line = new RegExp(
      `^ {4}(?:participant \\w+ as [A-Za-z ]+|(?:Note over \\w+(?:,\\w+)?|\\w+(?:->>|-->>|-x)\\w+): \\d\\d${words})$`,
      'u',
    )
    for (const one of lines.slice(2, -1)) expect(one).toMatch(line)
  })
})
