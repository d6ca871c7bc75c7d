import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { file, serveJson } from '../../support/command.js'
import { dataPath } from '../../support/kept-worlds.js'

// A frozen clock: no seat expires, however long a round takes.
const scenario = `
now: 2026-11-20T20:00:00Z
clock: frozen
matchmaker: { lobby_count_max: 100000 }
game_modes: [{ game_mode_id: duel, max_players: 2 }]
`

/** Sends finds from several clients until the connection breaks. Collects the tokens of the seats that they got. */
async function findUntilKilled(url: string, tokens: string[]): Promise<void> {
  const client = async () => {
    for (;;) {
      const response = await fetch(`${url}/matchmaker/lobbies/find`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"game_modes":["duel"]}',
      })
      const { player } = (await response.json()) as { readonly player: { readonly token: string } }
      tokens.push(player.token)
    }
  }
  await Promise.allSettled([client(), client(), client(), client()])
}

describe('a command that is killed', () => {
  const rounds = inject('runs') < 1_000 ? 4 : 200

  it('has all seats that clients got, each once, whenever it was killed', { timeout: 300_000 }, async () => {
    const data = dataPath()
    const path = await file('duel.yaml', scenario)
    const tokens: string[] = []
    const pauses = fc.sample(fc.integer({ min: 5, max: 120 }), rounds)
    for (const [i, pause] of pauses.entries()) {
      const command = await serveJson([path, '--data', data])
      const [before, load] = [tokens.length, findUntilKilled(command.url, tokens)]
      // In every other round a client has a seat, also on a busy machine.
      if (i % 2 > 0) await expect.poll(() => tokens.length).toBeGreaterThan(before)
      await new Promise(resolve => setTimeout(resolve, pause)) // the moment is what the test varies
      command.signal('SIGKILL')
      await Promise.all([load, command.exited])
    }
    const { url } = await serveJson([path, '--data', data])

    const { players } = (await (await fetch(`${url}/__mock/players`)).json()) as {
      readonly players: readonly { readonly player_token: string; readonly lobby_id: string }[]
    }
    const known = new Set(players.map(({ player_token }) => player_token))
    const seatsOf = (id: string) => players.filter(({ lobby_id }) => lobby_id === id).length

    expect(tokens.length).toBeGreaterThan(0)
    expect(tokens.filter(token => !known.has(token))).toEqual([])
    expect(new Set(tokens).size).toBe(tokens.length)
    // Of each client, one answer may have been lost on its way.
    expect(players.length - tokens.length).toBeLessThanOrEqual(4 * rounds)
    expect(players.filter(({ lobby_id }) => seatsOf(lobby_id) > 2)).toEqual([])
  })
})
