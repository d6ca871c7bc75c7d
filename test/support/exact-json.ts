import { fc } from '@fast-check/vitest'

/** A JSON text as somebody may send it, and the text of the same value that answers have. */
export interface JsonText {
  readonly sent: string
  readonly answered: string
}

/** The text of a value that JavaScript holds. */
const plain = (sent: string): JsonText => ({ sent, answered: JSON.stringify(JSON.parse(sent)) })

const integer: fc.Arbitrary<JsonText> = fc
  .oneof(
    fc.bigInt(0n, 2n ** 64n - 1n),
    fc.bigInt(-(2n ** 63n), 2n ** 63n),
    fc.bigInt(-(10n ** 40n), 10n ** 40n),
    fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 5n),
    fc.constantFrom(76_561_197_960_287_678n, 10n ** 21n, 10n ** 23n),
  )
  .map(one => ({ sent: String(one), answered: String(one) }))

const fraction = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(one => plain(JSON.stringify(one))),
  fc.tuple(fc.bigInt(0n, 2n ** 64n), fc.integer({ min: -30, max: 30 })).map(([one, e]) => plain(`-${one}E${e}`)),
  fc.bigInt(0n, 2n ** 64n).map(one => plain(`${one}.50`)),
)

const text = fc.oneof(
  fc.string(),
  integer.map(({ sent }) => sent),
  fc.constantFrom('n76561197960287678', 's', '"n76561197960287678"', '\\', '\\n', ':', '": 1', '\u2028', '{"a":1}'),
)

const space = fc.constantFrom('', ' ', '\n  ')

/** Lists and objects with their parts between brackets. */
const joined = (parts: readonly JsonText[], [start, end]: readonly [string, string], around: string): JsonText => ({
  sent: start + parts.map(({ sent }) => around + sent).join(`${around},`) + around + end,
  answered: start + parts.map(({ answered }) => answered).join() + end,
})

/** No key is an index, which JavaScript puts first. */
const key = fc.oneof(
  { weight: 5, arbitrary: text.map(one => `k${one}`) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '') },
)

const { value, object } = fc.letrec<{ value: JsonText; object: JsonText }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    integer,
    fraction,
    text.map(one => plain(JSON.stringify(one))),
    fc.constantFrom('null', 'true', 'false').map(plain),
    fc.tuple(fc.array(tie('value'), { maxLength: 4 }), space).map(([list, around]) => joined(list, ['[', ']'], around)),
    tie('object'),
  ),
  object: fc
    .tuple(fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([name]) => name }), space)
    .map(([fields, around]) =>
      joined(
        fields.map(([name, { sent, answered }]) => {
          const start = JSON.stringify(name)
          return { sent: `${start}${around}:${around}${sent}`, answered: `${start}:${answered}` }
        }),
        ['{', '}'],
        around,
      ),
    ),
}))

/** Any JSON, with integers of any length, fractions, exponents, and texts that look like numbers. */
export const anyJsonText = value
export const anyJsonObjectText = object
