import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Random } from '../../../src/core/store/random.js'

/** FNV-1a of a text from the nth basis, and the end of lowbias32. It shares no code with the source. */
function hashed(text: string, nth: number): number {
  const low = (value: bigint) => BigInt.asUintN(32, value)
  const fnv = [...text].reduce(
    (value, letter) => low((value ^ BigInt(letter.charCodeAt(0))) * 0x01000193n),
    0x811c9dc5n ^ BigInt(nth),
  )
  const once = low((fnv ^ (fnv >> 15n)) * 0x2c1b3c6dn)
  const twice = low((once ^ (once >> 12n)) * 0x297a2d39n)
  return Number(twice ^ (twice >> 15n))
}

/** sfc32 as its author wrote it in C: three words and a counter, all unsigned. */
function sfc32(seeds: readonly number[]): () => number {
  const [a, b, c, counter] = [0, 1, 2, 3] as const
  const words = Uint32Array.from(seeds)
  const word = (i: number) => words[i] ?? 0
  return () => {
    const result = (word(a) + word(b) + word(counter)) >>> 0
    words[counter] = word(counter) + 1
    words[a] = word(b) ^ (word(b) >>> 9)
    words[b] = word(c) + word(c) * 8
    words[c] = ((word(c) << 21) | (word(c) >>> 11)) + result
    return result
  }
}

const seed = fc.integer()
const stream = fc.constantFrom('world', 'ray', 'faker')
const some = (draw: () => number) => Array.from({ length: 20 }, draw)
const words = (random: Random) => some(() => random.uint32())

describe('the random generator', () => {
  it.prop([seed, stream])('is sfc32, seeded with four hashes of seed and stream', (seed, stream) => {
    const draw = sfc32([1, 2, 3, 4].map(nth => hashed(`${seed}/${stream}`, nth)))

    const values = words(new Random(seed, stream))

    expect(values).toEqual(some(draw))
  })

  it('always gives the same numbers for seed 42', () => {
    const random = new Random(42, 'world')

    const values = [random.uint32(), random.uuid(), random.token('cloud')]

    expect(values).toEqual([541518091, 'a66a7919-7e07-442b-a5b0-dadcd1eb53ef', 'cloud.mock.9yfda74v2acru9vrqcp704ph'])
  })

  it.prop([seed, stream])('repeats for the same seed and stream', (seed, stream) => {
    const [one, other] = [new Random(seed, stream), new Random(seed, stream)]

    expect(words(one)).toEqual(words(other))
  })

  it.prop([seed, seed])('differs for another seed', (seed, another) => {
    fc.pre(seed !== another)

    const [one, other] = [new Random(seed, 'world'), new Random(another, 'world')]

    expect(words(one)).not.toEqual(words(other))
  })

  it.prop([seed])('differs for another stream', seed => {
    const [one, other] = [new Random(seed, 'world'), new Random(seed, 'ray')]

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

  it('makes 10,000 different UUIDs', () => {
    const random = new Random(1, 'world')

    expect(new Set(Array.from({ length: 10_000 }, () => random.uuid())).size).toBe(10_000)
  })

  it.prop([seed])('makes numbers from 0 up to 1, exclusive', seed => {
    const random = new Random(seed, 'world')

    const values = some(() => random.float())

    expect(values.every(value => value >= 0 && value < 1)).toBe(true)
  })

  it('distributes its numbers uniformly', () => {
    const random = new Random(3, 'world')
    const tenths = Array.from({ length: 10 }, () => 0)

    for (let i = 0; i < 10_000; i++) {
      const tenth = Math.floor(random.float() * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }

    expect(tenths.every(count => count > 850 && count < 1150)).toBe(true)
  })

  it.prop([seed, fc.nat(40)])('makes as many lower-case letters and digits as asked', (seed, length) => {
    const letters = new Random(seed, 'world').letters(length)

    expect([letters.length, /^[0-9a-z]*$/.test(letters)]).toEqual([length, true])
  })

  it.prop([seed])('makes tokens that start with their label and contain the word mock', seed => {
    expect(new Random(seed, 'world').token('pub_prod')).toMatch(/^pub_prod\.mock\.[0-9a-z]{24}$/)
  })
})
