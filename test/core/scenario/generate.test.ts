import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { generateLobbies, maps, nicknameFirst, nicknameLast } from '../../../src/core/scenario/generate.js'
import type { GameMode } from '../../../src/core/scenario/matchmaker-entries.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { problemLines, rowsOf, worldOf } from '../../support/worlds.js'

const most = fc.oneof(
  fc.nat(64),
  fc.maxSafeNat().map(n => n % 2 ** 32),
  fc.constant(4_294_967_295),
)
const regionIds = ['lnd-fra', 'lnd-atl', 'lnd-syd']
const mode = fc.record({
  game_mode_id: fc.constantFrom('duel', 'ffa', 'sandbox', '__proto__'),
  max_players: fc.record({ normal: most, direct: most, party: most }),
  regions: fc.subarray(regionIds),
})
type FoundMode = typeof mode extends fc.Arbitrary<infer Mode> ? Mode : never
const modes = fc
  .uniqueArray(mode, { minLength: 1, selector: ({ game_mode_id }) => game_mode_id })
  .filter(all => all.some(({ regions }) => regions.length > 0))

const duel: GameMode = {
  game_mode_id: 'duel',
  max_players_normal: 32,
  max_players_direct: 40,
  max_players_party: 40,
  regions: regionIds,
  listable: true,
}
const gameMode = ({ game_mode_id, max_players, regions }: FoundMode): GameMode => ({
  ...duel,
  game_mode_id,
  max_players_normal: max_players.normal,
  regions,
})
const generate = (count: number, seed = 1) => [...generateLobbies(count, [duel], seed)]

describe('generated lobbies', () => {
  it.prop([modes, fc.nat(50), fc.integer()], { numRuns: 3 * inject('runs') })(
    'are valid as entries of a scenario',
    (game_modes, count, seed) => {
      const scenario: ScenarioInput = { regions: regionIds, game_modes, generate: { lobbies: count } }
      const { lobbies } = rowsOf(scenario, { seed })

      const listed = lobbies.map(({ lobby_id, game_mode_id, region_id, total_player_count, state }) => {
        return { lobby_id, game_mode_id, region_id, total_player_count, state }
      })

      expect(listed).toHaveLength(count)
      expect(problemLines(() => readScenario({ regions: regionIds, game_modes, lobbies: listed }))).toEqual([])
    },
  )

  it.prop([modes, fc.integer()], { numRuns: 3 * inject('runs') })(
    'have from 0 to the normal maximum of players',
    (game_modes, seed) => {
      for (const lobby of rowsOf({ game_modes, generate: { lobbies: 50 } }, { seed }).lobbies) {
        expect(lobby.total_player_count).toBeGreaterThanOrEqual(0)
        expect(lobby.total_player_count).toBeLessThanOrEqual(lobby.max_players_normal)
      }
    },
  )

  it('are empty, full and in between, in all regions, most often in the first', () => {
    const lobbies = generate(3000)
    const counts = regionIds.map(id => lobbies.filter(lobby => lobby.region_id === id).length).sort((a, b) => b - a)
    const players = new Set(lobbies.map(lobby => lobby.total_player_count))

    expect(players.size).toBe(33)
    expect(counts[0]).toBeGreaterThan(1.8 * (counts[1] ?? 0))
    expect(counts[2]).toBeGreaterThan(300)
  })

  it('have a state with a map, a host, a phase and a round', () => {
    expect(generate(1)[0]?.state).toEqual({
      map: expect.stringMatching(/\w/),
      host: expect.stringMatching(/\w/),
      phase: expect.stringMatching(/^(waiting|running|ending)$/),
      round: expect.any(Number),
    })
  })

  it.prop([modes, fc.integer()], { numRuns: 3 * inject('runs') })(
    'wait for players only with a free seat, and play only with players',
    (all, seed) => {
      for (const { state, total_player_count = 0, ...lobby } of generateLobbies(50, all.map(gameMode), seed)) {
        const { phase, round } = state as { readonly phase: string; readonly round: number }
        const most = all.find(({ game_mode_id }) => game_mode_id === lobby.game_mode_id)?.max_players.normal ?? 0
        if (total_player_count === 0) expect(phase).toBe('waiting')
        else if (total_player_count === most) expect(phase).not.toBe('waiting')
        else if (total_player_count === 1) expect(phase).toBe('waiting')
        if (phase === 'waiting') expect(round).toBe(1)
      }
    },
  )

  it('repeat for the same seed, and differ for another', () => {
    expect(generate(20)).toEqual(generate(20))
    expect(generate(20, 2)).not.toEqual(generate(20))
  })

  it('look like those of a game', () => {
    const states = generate(200).map(({ state }) => state as { readonly map: string; readonly host: string })

    const nickname = new RegExp(`^(${nicknameFirst.join('|')})(${nicknameLast.join('|')})?$`)
    expect(new Set(states.map(({ map }) => map)).size).toBe(8)
    for (const { map, host } of states) {
      expect(maps).toContain(map)
      expect(host).toMatch(nickname)
    }
  })

  it('follow those that the scenario lists', () => {
    const { lobbies } = rowsOf({ game_modes: ['duel'], lobbies: [{ lobby_id: 'L' }], generate: { lobbies: 2 } })

    expect(lobbies.map(lobby => lobby.lobby_id === 'L')).toEqual([true, false, false])
  })

  const generated = (lobbies: number) => worldOf({ game_modes: ['duel', 'ffa'], generate: { lobbies } }).lobbies.count()

  it('can be 100,000', { tags: ['slow', 'matrix'] }, () => {
    expect(generated(100_000)).toBe(100_000)
  })
})
