import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { hopsOf } from '../../../src/server/http/proxy-headers.js'

const letters = [..."!#$%&'*+-.^_`|~0aZ"]
const token = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 })
const space = fc.constantFrom('', '', ' ', '\t ')
const text = fc.string({ maxLength: 8 })

/** Writes a text between quotes. */
function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

const value = fc.oneof(
  token.map(written => ({ written, value: written })),
  text.map(value => ({ written: quoted(value), value })),
)

/** A parameter that names no client. */
const other = fc.tuple(token, value).filter(([name]) => name.toLowerCase() !== 'for')

/** What a proxy writes: its client, if it names one, between other parameters. */
const element = fc
  .record({
    client: fc.option(fc.tuple(fc.constantFrom('for', 'For', 'FOR'), value), { nil: undefined }),
    before: fc.array(other, { maxLength: 2 }),
    after: fc.array(other, { maxLength: 2 }),
    space,
  })
  .filter(({ client, before, after }) => client !== undefined || before.length + after.length > 0)
  .map(({ client, before, after, space }) => ({
    written: [...before, ...(client ? [client] : []), ...after]
      .map(([name, { written }]) => `${space}${name}=${written}`)
      .join(`${space};`),
    hop: client?.[1].value || 'unknown',
  }))

describe('the hops of a Forwarded header', () => {
  test.prop([fc.array(element, { maxLength: 4 }), space])(
    'are the clients that its proxies name',
    (elements, space) => {
      const header = elements.map(({ written }) => written).join(`${space},${space}`)

      expect(hopsOf(header)).toEqual(elements.map(({ hop }) => hop))
    },
  )

  test.prop([fc.array(element, { minLength: 1, maxLength: 3 }), fc.constantFrom('"', '=', 'for', ' x', '\\', '[')])(
    'are unknown if something else follows',
    (elements, rest) => {
      expect(hopsOf(`${elements.map(({ written }) => written).join()};${rest}`)).toEqual(['unknown'])
    },
  )
})
