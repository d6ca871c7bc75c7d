import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { type Address, parseAddress, printAddress, viewNames } from '../../src/dashboard/world/address.js'
import { anyCharacter } from '../support/any-character.js'

const plain: Address = parseAddress('')

/** A text as somebody may type it, or the id of something. */
const text = fc.string({ minLength: 1, unit: anyCharacter })
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fc.nat(999))
  .map(([hours, minutes, seconds, ms]) =>
    new Date(Date.UTC(2026, 0, 1, hours, minutes, seconds, ms)).toISOString().slice(11, 23),
  )
const address: fc.Arbitrary<Address> = fc.record({
  view: fc.constantFrom(...viewNames),
  opened: fc.option(
    fc.oneof(
      fc.record({ kind: fc.constant('request' as const), id: fc.nat(Number.MAX_SAFE_INTEGER) }),
      fc.record({ kind: fc.constantFrom('lobby' as const, 'player' as const, 'server' as const), id: text }),
    ),
    { nil: undefined },
  ),
  at: fc.option(fc.oneof(fc.record({ revision: fc.nat(Number.MAX_SAFE_INTEGER) }), fc.record({ time })), {
    nil: undefined,
  }),
  lobbies: fc.constantFrom('running' as const, 'free' as const, 'hidden' as const, 'stopped' as const),
  errors: fc.boolean(),
  mode: fc.option(text, { nil: undefined }),
  region: fc.option(text, { nil: undefined }),
  q: fc.option(text, { nil: undefined }),
  sort: fc.option(text, { nil: undefined }),
  operation: fc.option(text, { nil: undefined }),
})

describe('the address of the page', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(address, one => {
        expect(parseAddress(printAddress(one))).toEqual(one)
        // A browser may write the URL in its own way.
        expect(parseAddress(new URL(`http://localhost/${printAddress(one)}`).search)).toEqual(one)
      }),
    )
  })

  it('is empty for what the page shows at first, and short for all else', () => {
    expect(printAddress(plain)).toBe('')
    expect(printAddress({ ...plain, opened: { kind: 'request', id: 3421 }, at: { revision: 4812 } })).toBe(
      '?request=3421&at=change:4812',
    )
    expect(printAddress({ ...plain, view: 'servers', at: { time: '20:04:46.112' }, mode: 'tanks/prod/duel' })).toBe(
      '?view=servers&at=20:04:46.112&mode=tanks/prod/duel',
    )
  })

  it('with a part that is not valid shows the rest', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), query => {
        expect(() => parseAddress(`?${query}`)).not.toThrow()
      }),
    )
    const wrong = ['view=none', 'request=-1', 'request=1e3', 'at=25:00', 'at=change:x', 'lobbies=all', 'lobby=']
    for (const part of wrong) expect(parseAddress(`?${part}&q=fox`), part).toEqual({ ...plain, q: 'fox' })
  })
})
