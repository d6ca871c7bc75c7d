import { fc, it as prop } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import { findLobby } from '../../../src/core/operations/matchmaking.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { closedAfterTest, live } from '../../support/worlds.js'

const modeIds = ['duel', 'ffa', 'race'] as const
const regionIds = ['lnd-fra', 'lnd-syd', 'lnd-atl', 'lnd-tok'] as const
const scenario: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  regions: [...regionIds],
  // The scenario repeats a region, which still counts once.
  game_modes: modeIds.map(game_mode_id => ({ game_mode_id, regions: [...regionIds, 'lnd-fra'] })),
}

interface Asked {
  readonly game_modes: readonly string[]
  readonly regions?: readonly string[] | undefined
}

/**
 * Finds a lobby in an empty world. Returns the places that it searches, in order, and the number of lookups of game
 * modes, regions and fullest lobbies.
 */
function find({ game_modes, regions }: Asked): { readonly places: string[]; readonly lookUps: number } {
  const mock = closedAfterTest(createMockmaker({ scenario }))
  const world = live(mock.world)
  const { tables, random, hasPassed, seed, starter, outageOf } = world
  const places: string[] = []
  let lookUps = 0
  const counting = <Counted extends object>(table: Counted): Counted =>
    new Proxy(table, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          lookUps += 1
          if (name === 'firstInIndex') places.push(placeOf(args[1] as string))
          return member.apply(target, args)
        }
      },
    })
  world.transaction(() =>
    findLobby({
      caller: { kind: 'public', namespaceId: tables.namespaces.all()[0]?.namespace_id ?? '' },
      client: { address: '127.0.0.1', isLocal: true },
      input: { game_modes: [...game_modes], regions: regions && [...regions] },
      tables: {
        ...tables,
        gameModes: counting(tables.gameModes),
        regions: counting(tables.regions),
        lobbies: counting(tables.lobbies),
      },
      hasPassed,
      seed,
      starter,
      outageOf,
      random,
      now: world.clock.now(),
    }),
  )
  return { places, lookUps }
}

/** Returns the place of a group in the index `fullest`. */
function placeOf(group: string): string {
  const [region_id, game_mode_id] = group.split(' ')
  return `${game_mode_id}/${region_id}`
}

const repeated = <T>(items: readonly T[], times: number): T[] => Array.from({ length: times }, () => items).flat()

describe('the index lookups of a find', () => {
  prop.prop(
    [
      fc.array(fc.constantFrom(...modeIds), { minLength: 1 }),
      fc.array(fc.constantFrom(...regionIds), { minLength: 1 }),
    ],
    { numRuns: 3 * inject('runs') },
  )('are the same as for the lists without doubles, in the same order', (game_modes, regions) => {
    const { places } = find({ game_modes, regions })

    const expected = [...new Set(game_modes)].flatMap(mode => [...new Set(regions)].map(region => `${mode}/${region}`))
    expect(places).toEqual(expected)
  })

  it('are at most as many as the world has groups, however long the lists are', () => {
    const game_modes = repeated(modeIds, 20_000)

    expect(find({ game_modes, regions: repeated(regionIds, 20_000) }).places).toHaveLength(12)
    expect(find({ game_modes }).places).toHaveLength(12)
  })

  it('are as many for doubled lists as for plain ones', () => {
    const plain = find({ game_modes: modeIds, regions: regionIds })

    const doubled = find({ game_modes: repeated(modeIds, 5_000), regions: repeated(regionIds, 5_000) })

    expect(doubled).toEqual(plain)
  })
})
