import { Faker, type LocaleDefinition } from '@faker-js/faker'
import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Draws } from '../../src/scenario/draws.js'
import { generateLobbies, maps, nicknameFirst, nicknameLast } from '../../src/scenario/generate.js'

const seed = fc.oneof(fc.integer(), fc.maxSafeInteger())
const values = fc.array(fc.nat(), { minLength: 1, maxLength: 20 })
const weighted = fc.array(fc.record({ value: fc.nat(), weight: fc.integer({ min: 1, max: 9 }) }), { minLength: 1 })
const bounds = fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
/** Enough draws to use up the state of the generator, which holds 624 numbers. */
const rounds = 80

const fakerOf = (locale: LocaleDefinition, from: number) => new Faker({ locale, seed: from })
const locale: LocaleDefinition = {
  person: { first_name: { generic: nicknameFirst }, last_name: { generic: nicknameLast } },
}

describe('draws', () => {
  it.prop([seed, values, weighted, bounds], { numRuns: 25 })(
    'are those of @faker-js/faker',
    (from, list, choices, [min, max]) => {
      const draws = new Draws(from)
      const { helpers, number } = fakerOf({}, from)

      for (let i = 0; i < rounds; i++) {
        expect(draws.int(min, max)).toBe(number.int({ min, max }))
        expect(draws.float(min, max)).toBe(number.float({ min, max }))
        expect(draws.pick(list)).toBe(helpers.arrayElement(list))
        expect(draws.pickWeighted(choices)).toBe(helpers.weightedArrayElement(choices))
        expect(draws.shuffle(list)).toEqual(helpers.shuffle(list))
        const count = 1 + (i % list.length)
        expect(draws.sample(list, count)).toEqual(helpers.arrayElements(list, count))
      }
    },
  )

  it('leave a list as it is', () => {
    const list = Object.freeze([1, 2, 3])

    expect(new Draws(1).shuffle(list).toSorted()).toEqual(list)
    expect(new Draws(1).sample(list, 2)).toHaveLength(2)
  })
})

describe('the host of a generated lobby', () => {
  it.prop([seed])('is a display name of @faker-js/faker', from => {
    const mode = {
      ...{ game_mode_id: 'duel', max_players_normal: 2, max_players_direct: 2, max_players_party: 2 },
      ...{ regions: ['lnd-fra'], listable: true },
    }
    const faker = fakerOf(locale, from)

    const [lobby] = generateLobbies(1, [mode], from)

    // The draws before the host: eight maps, the mode, the region, the players, the map.
    faker.helpers.arrayElements(maps, 8)
    faker.helpers.weightedArrayElement([{ value: 0, weight: 1 }])
    faker.number.float({ min: -0.15, max: 1.15 })
    faker.helpers.weightedArrayElement([{ value: 0, weight: 1 }])
    faker.helpers.arrayElement([1, 2, 3, 4, 5, 6, 7, 8])
    expect(lobby?.state).toMatchObject({ host: faker.internet.displayName() })
  })
})
