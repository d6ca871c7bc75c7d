import { describe, expect, it } from 'vitest'
import { playerName } from '../../src/core/store/player-names.js'
import { lobbyTokenOf } from '../../src/core/store/tokens.js'
import { createMockmaker } from '../../src/index.js'
import { freePort } from '../support/command.js'
import { ask, json, post, serveDuringTest } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'
import { tanks, tokens } from '../support/tanks.js'

const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)

/** Serves a mock whose player plays for a while, until the end of the test. */
async function servedPlayer(world?: string) {
  const mock = createMockmaker({ scenario: tanks })
  const url = await serveMock(mock)
  const played = world === undefined ? mock : await mock.worlds.put(world)
  const { player, lobby } = json(await ask(played, find)) as {
    player: { token: string }
    lobby: { lobby_id: string }
  }
  const { token } = player
  const body = { player_token: token }
  await played.clock.advance('1600ms')
  await ask(played, post('/matchmaker/players/connected', body, lobbyTokenOf(lobby.lobby_id)))
  await played.clock.advance('18400ms')
  await ask(played, post('/matchmaker/players/disconnected', body, lobbyTokenOf(lobby.lobby_id)))
  return { mock, played, url, token, lobby: lobby.lobby_id }
}

describe('mockmaker story', () => {
  it('tells what happened to a player in sentences, with times and the lobbies that lost', async () => {
    const { url, token, lobby } = await servedPlayer()

    const { code, stdout, stderr } = await runHere(['story', token, '--url', url])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      `${playerName(token)}  ${token}`,
      'Played 18.4 s of duel in Frankfurt, and left because its server said so.',
      '',
      expect.stringMatching(
        /^2026-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {16}Found {10}The client called lobbies\.find, and got .* \(request 2\)$/,
      ),
      expect.stringMatching(/^ {54}not \S+ in \S+: closed \(is_closed\)$/),
      expect.stringMatching(/^ {54}not \S+ in \S+: private \(publicity\)$/),
      expect.stringMatching(/ {2}Seat reserved {2}Seat \d+ of \d+\. It is lost after 2 min\. \(request 2\)$/),
      expect.stringMatching(/ {8}\+1\.6 s {2}Connected {6}The server called players\.connected\. \(request 5\)$/),
      expect.stringMatching(/ {7}\+18\.4 s {2}Left {11}The server called players\.disconnected\. \(request 8\)$/),
      '',
      expect.stringMatching(new RegExp(`^lobby {3}${lobby} {2}duel in Frankfurt, ready, \\d+ of \\d+ seats taken$`)),
      '',
    ])
  })

  it('takes the name of the player, and says what the story does not have', async () => {
    const { played, url, token } = await servedPlayer()
    played.journal.clear()

    const { code, stdout } = await runHere(['story', playerName(token), '--url', url])

    expect(code).toBe(0)
    expect(stdout).toContain(`${playerName(token)}  ${token}\n`)
    expect(stdout).toMatch(/\nThe journal does not have all of its requests: .*\n$/)
  })

  it('prints the answer of the mock with --json', async () => {
    const { played, url, token } = await servedPlayer()

    const { stdout } = await runHere(['story', token, '--url', url, '--json'])

    expect(JSON.parse(stdout)).toEqual(played.stories.get(token))
  })

  it('prints the diagram of the mock with --mermaid, to paste into an issue', async () => {
    const { played, url, token } = await servedPlayer()

    const { code, stdout } = await runHere(['story', token, '--url', url, '--mermaid'])

    expect({ code, stdout }).toEqual({ code: 0, stdout: `${played.stories.get(token, { mermaid: true })?.mermaid}\n` })
    expect(stdout).toMatch(/^```mermaid\nsequenceDiagram\n/)
  })

  it('lists the newest twenty players without a token, to choose one by its name', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', regions: ['lnd-fra'], game_modes: ['ffa'] } })
    const url = await serveMock(mock)
    const none = await runHere(['story', '--url', url])
    for (let i = 0; i < 21; i += 1) {
      await mock.clock.advance(1)
      await ask(mock, post('/matchmaker/lobbies/find', { game_modes: ['ffa'] }))
    }
    // Its story goes on later than those of newer players.
    await mock.world.players.delete(q => q.where({ player_token: mock.stories.list().stories[9]?.token ?? '' }))

    const { code, stdout } = await runHere(['story', '--url', url])
    const { stories } = mock.stories.list({ limit: 20 })

    expect(none.stdout).toBe('No players yet. Each find begins a story.\n')
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines.slice(0, -1).map(line => line.split(/ {2,}/)[1])).toEqual(stories.map(({ name }) => name))
    const times = lines.slice(0, -1).map(line => line.slice(0, '2026-11-29 14:22:40.000'.length))
    expect(times).toEqual(times.toSorted().reverse())
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}\w+ +Has a seat in ffa in .+, and has not connected yet\.$/,
    )
    expect(lines.at(-1)).toBe('The newest 20 of 21 players: mockmaker story <name> tells what happened')
    expect(JSON.parse((await runHere(['story', '--url', url, '--json'])).stdout)).toMatchObject({ stories, total: 21 })
  })

  it.for([
    [['--mermaid'], '--mermaid draws one player: name it. mockmaker story lists the newest'],
    [['x', '--mermaid', '--json'], 'use either --mermaid or --json'],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stderr } = await runHere(['story', ...args])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('asks the world in the URL, and creates none if its name is mistyped', async () => {
    const { mock, url, token } = await servedPlayer('test-42')

    const [known, mistyped] = [
      await runHere(['story', token, '--url', `${url}/w/test-42`]),
      await runHere(['story', token, '--url', `${url}/w/test-24`]),
    ]

    expect(known.stdout).toContain(token)
    expect({ ...mistyped, stderr: '' }).toEqual({ code: 1, stdout: '', stderr: '' })
    expect(mistyped.stderr).toContain('there is no world "test-24"')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'test-42'])
  })

  it('ends with 1 if there is no such player, and names the nearest', async () => {
    const { url, token } = await servedPlayer()

    const { code, stdout, stderr } = await runHere(['story', `${playerName(token)}x`, '--url', url])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`this world has no story of such a player. Did you mean ${playerName(token)}?`)
  })

  it('ends with 1 if no mock runs, or if the server is none', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const other = await serveDuringTest((_, response) => response.end('{"token":"x"}'))

    const results = [
      await runHere(['story', 'player.x', '--url', nobody]),
      await runHere(['story', 'player.x', '--url', other]),
    ]

    expect(results).toEqual([
      { code: 1, stdout: '', stderr: expect.stringContaining(`nothing answers at ${nobody}: start mockmaker there`) },
      { code: 1, stdout: '', stderr: `the server at ${other} is not mockmaker: pass the URL of a mock with --url\n` },
    ])
  })
})
