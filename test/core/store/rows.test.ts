import { describe, expect, it } from 'vitest'
import type { LiveWorld } from '../../../src/core/store/world.js'
import { lobby, smallRows, smallWorld } from '../../support/small-world.js'

/** JSON with that many levels, alternately objects and arrays. */
const nested = (levels: number) => {
  const open = Array.from({ length: levels }, (_, i) => (i % 2 === 0 ? '{"a":' : '['))
  const close = open.map(text => (text === '[' ? ']' : '}')).reverse()
  return [...open, '1', ...close].join('')
}

const stored = (world: LiveWorld) => JSON.stringify(world.lobbies.get('nasty')?.state)
const isNasty = { lobby_id: 'nasty' }

const nasty = [
  ['with a key __proto__', '{"__proto__":{"admin":true},"x":1}'],
  ['with a deep key __proto__', '{"a":[{"__proto__":{"__proto__":1}}]}'],
  ['with a key constructor', '{"constructor":{"prototype":{"a":1}}}'],
  ['with keys of Object.prototype', '{"toString":1,"hasOwnProperty":2,"valueOf":null,"then":3}'],
  ['with keys that are numbers', '{"0":"a","1":"b","length":2}'],
  ['that nests 60 levels', nested(60)],
  ['that nests 64 levels', nested(64)],
  ['that is an empty object', '{}'],
  ['that is null', 'null'],
  ['that is false', 'false'],
  ['that is a list', '[[],[null,"",0]]'],
  ['with right-to-left and astral text', '{"שם":"👩‍🚀","\\ud800":"\\u0000"}'],
]

describe.each(nasty)('a state %s', (_what, text) => {
  it('is the same after a create, byte for byte', async () => {
    const world = smallWorld()

    await world.lobbies.create({ ...isNasty, state: JSON.parse(text) })

    expect(stored(world)).toBe(text)
  })

  it('is the same after an update, byte for byte', async () => {
    const world = smallWorld({ rows: { ...smallRows(), lobbies: [lobby('nasty')] } })

    await world.lobbies.update(q => q.where(isNasty), {
      data(draft) {
        draft.state = JSON.parse(text)
      },
    })

    expect(stored(world)).toBe(text)
  })

  it('is the same after an update of another field, byte for byte', async () => {
    const world = smallWorld()
    await world.lobbies.create({ ...isNasty, state: JSON.parse(text) })

    await world.lobbies.update(q => q.where(isNasty), {
      data(draft) {
        draft.total_player_count = 3
      },
    })

    expect(stored(world)).toBe(text)
  })

  it('is the same in a new world, byte for byte', () => {
    const world = smallWorld({ rows: { ...smallRows(), lobbies: [{ ...lobby('nasty'), state: JSON.parse(text) }] } })

    expect(stored(world)).toBe(text)
  })

  it('adds nothing to the prototypes of objects', async () => {
    const world = smallWorld()

    await world.lobbies.create({ ...isNasty, state: JSON.parse(text) })

    expect('admin' in {}).toBe(false)
  })
})

describe.each(nasty.filter(([, text]) => text !== nested(64)))('a value in a state, %s,', (_what, text) => {
  it('is the same after an update of another field, byte for byte', async () => {
    const world = smallWorld()
    await world.lobbies.create({ ...isNasty, state: { kept: JSON.parse(text), round: 1 } })

    await world.lobbies.update(q => q.where(isNasty), {
      data(draft) {
        Object.assign(draft.state as object, { round: 2 })
      },
    })

    expect(stored(world)).toBe(`{"kept":${text},"round":2}`)
  })
})

describe('a state with 65 levels', () => {
  const tooDeep = JSON.parse(nested(65))

  it('is refused by a create', async () => {
    const world = smallWorld()

    const create = world.lobbies.create({ ...isNasty, state: tooDeep })

    await expect(create).rejects.toThrow(/^lobbies\.create: state is .*: expected JSON that nests at most 64 levels$/)
  })

  it('is refused by an update', async () => {
    const world = smallWorld()

    const update = world.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
      data(draft) {
        draft.state = tooDeep
      },
    })

    await expect(update).rejects.toThrow(/^lobbies\.update: state is .*: expected JSON that nests at most 64 levels$/)
  })
})

describe('a row', () => {
  const state = () => ({ map: 'dust', players: [{ name: 'Ann' }] })
  const frozenWithin = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozenWithin))

  it('is deeply frozen after an update', async () => {
    const world = smallWorld()

    const row = await world.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
      data(draft) {
        draft.state = state()
      },
    })

    expect(frozenWithin(row)).toBe(true)
  })

  it('that was returned does not change with later writes', async () => {
    const world = smallWorld()
    const before = world.lobbies.get('l0')

    await world.lobbies.update(q => q.where({ lobby_id: 'l0' }), {
      data(draft) {
        draft.total_player_count = 5
      },
    })

    expect(before?.total_player_count).toBe(0)
  })
})
