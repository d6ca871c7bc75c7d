import { describe, expect, inject, it } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { answerEntryPoint, commandEntryPoint, type EntryPoint, type OpenMock } from '../../support/entry-points.js'

const scenario: ScenarioInput = {
  seed: 3,
  now: '2026-11-20T06:00:00Z',
  clock: 'frozen',
  client: { latitude: 50, longitude: 8 },
  tokens: { public: 'pub.mock' },
  game_modes: [{ game_mode_id: 'duel', max_players: 2 }, 'ffa'],
  lobbies: [{ lobby_id: 'listed', game_mode_id: 'ffa', total_player_count: 7 }],
  players: { concurrent: 15, session: '9m' },
}

/** Uses the clock of a world in this process, and else the control API. */
async function advance({ world, url }: OpenMock, by: string): Promise<void> {
  if (world) return world.clock.advance(by)
  await fetch(`${url}/__mock/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ by }),
  })
}

/** Plays hours of a day. Each hour it records the lobbies, the player count, and the answer to a find. */
const hours = inject('runs') < 1_000 ? 3 : 24

async function playDay(entryPoint: EntryPoint): Promise<readonly string[]> {
  const mock = await entryPoint.open(scenario)
  const headers = { authorization: 'Bearer pub.mock' }
  const seen: string[] = []
  for (let hour = 0; hour < hours; hour++) {
    await advance(mock, '1h')
    for (const path of ['/lobbies/list', '/players/statistics'])
      seen.push((await mock.send({ method: 'GET', path: `/matchmaker${path}`, headers })).body)
    const body = JSON.stringify({ game_modes: ['ffa'] })
    seen.push((await mock.send({ method: 'POST', path: '/matchmaker/lobbies/find', headers, body })).body)
  }
  await mock.close()
  return seen
}

describe('a simulated day', () => {
  // The tests of parity compare the other entry points.
  it('is the same in this process and in that of the command', async () => {
    const [here, there] = await Promise.all([answerEntryPoint, commandEntryPoint].map(playDay))

    expect(new Set(here).size).toBeGreaterThan(2.5 * hours)
    expect(there).toEqual(here)
  })
})
