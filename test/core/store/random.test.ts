import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Random } from '../../../src/core/store/random.js'

const seed = fc.integer()
const some = (draw: () => number) => Array.from({ length: 20 }, draw)
const words = (random: Random) => some(() => random.uint32())

describe('the random generator', () => {
  it('always gives the same numbers for seed 42', () => {
    const random = new Random(42, 'world')

    const values = [random.uint32(), random.uuid(), random.token('cloud')]

    expect(values).toEqual([541518091, 'a66a7919-7e07-442b-a5b0-dadcd1eb53ef', 'cloud.mock.9yfda74v2acru9vrqcp704ph'])
  })

  it.prop([seed, seed])('differs for another seed', (seed, another) => {
    fc.pre(seed !== another)

    const [one, other] = [new Random(seed, 'world'), new Random(another, 'world')]

    expect(words(one)).not.toEqual(words(other))
  })

  it.prop([seed, fc.nat(30)])('continues from a saved state', (seed, drawn) => {
    const random = new Random(seed, 'world')
    for (let i = 0; i < drawn; i++) random.uint32()
    const saved = random.save()
    const values = words(random)

    random.restore(saved)

    expect(words(random)).toEqual(values)
  })

  it.prop([seed])('makes version 4 UUIDs', seed => {
    expect(new Random(seed, 'world').uuid()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })
})
