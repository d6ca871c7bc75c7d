import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import * as yaml from 'yaml'
import { jsonToYaml, longestAsYaml } from '../../../src/core/scenario/write-yaml.js'
import { anyCharacter } from '../../support/any-character.js'

const yamlOf = (value: unknown) => jsonToYaml(JSON.stringify(value), yaml)
const readYaml = (text: string) => JSON.stringify(yaml.parse(text, { stringKeys: true, maxAliasCount: 0 }))

/** Texts that YAML would read as other values. */
const odd = fc.constantFrom(
  ...[
    '',
    ' ',
    'a ',
    ' a',
    'null',
    '~',
    'Yes',
    'off',
    '1e3',
    '0x10',
    '-',
    '- a',
    'a: b',
    'a #b',
    '#',
    '&a',
    '*a',
    '!x',
    '%',
  ],
  ...[
    '<<',
    '__proto__',
    '2026-11-20',
    '2026-11-20T20:00:00.250Z',
    '?',
    ':',
    '[]',
    '{}',
    '"',
    "'",
    '|',
    '>',
    '\\',
    '\\"',
  ],
  ...[
    '\n',
    '\r\n',
    '\t',
    '\u0085',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\u009b31m',
    '\ud800',
    '🎯',
    'é',
    'Ünter uns',
    'x'.repeat(2_000),
  ],
)
const text = fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 5 }))
const { json } = fc.letrec(tie => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie('json')), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
  ),
}))

describe('JSON written as YAML', () => {
  const word = fc.constantFrom('duel', 'free-for-all', 'Old Town')
  const { words } = fc.letrec(tie => ({
    words: fc.oneof(
      { maxDepth: 4 },
      word,
      fc.nat(),
      fc.array(tie('words'), { maxLength: 4 }),
      fc.dictionary(word, tie('words'), { maxKeys: 4 }),
    ),
  }))

  it.prop([words, fc.constantFrom(1, 100)], { numRuns: inject('runs') })(
    'has the form that the library gives it, whatever its size',
    (value, times) => {
      const many = Array.from({ length: times }, () => value)
      const large = { many, more: [[many, { other: many }]] }
      const document = new yaml.Document(large, { aliasDuplicateObjects: false })

      const text = yamlOf(large)

      if (!text.startsWith('{')) expect(text).toBe(document.toString({ lineWidth: 0 }))
    },
  )

  it.prop([json], { numRuns: 10 * inject('runs') })('parses to the same value', value => {
    expect(readYaml(yamlOf(value))).toBe(JSON.stringify(value))
  })

  it('is readable', () => {
    const value = {
      title: 'Friday night',
      now: '2026-11-20T20:00:00.000Z',
      regions: ['lnd-fra', { region_id: 'moon', datacenter_coord: { latitude: 0, longitude: -1.5 } }],
      games: [],
      lobbies: [{ lobby_id: '88888888-8888-4888-8888-888888888888', tags: {}, state: { text: 'yes: no', on: 'no' } }],
    }

    expect(yamlOf(value)).toBe(`title: Friday night
now: 2026-11-20T20:00:00.000Z
regions:
  - lnd-fra
  - region_id: moon
    datacenter_coord:
      latitude: 0
      longitude: -1.5
games: []
lobbies:
  - lobby_id: 88888888-8888-4888-8888-888888888888
    tags: {}
    state:
      text: "yes: no"
      "on": "no"
`)
  })

  it('contains no control characters for a terminal', () => {
    const text = yamlOf({ a: '\u001b[31m\u009b\u202e\u2028' })

    expect(text.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u)
  })

  it.each(['', '{', '{"a":1,}x', '<h1>'])('is refused if it is not JSON: %j', wrong => {
    expect(() => jsonToYaml(wrong, yaml)).toThrow(SyntaxError)
  })

  it('stays JSON if its values are so deep that its YAML is long', () => {
    const json = JSON.stringify({
      lobbies: [{ state: JSON.parse(`${'['.repeat(60)}${'1,'.repeat(3_000)}1${']'.repeat(60)}`) }],
    })

    expect(jsonToYaml(json, yaml)).toBe(json)
  })

  it('stays JSON if it is long', () => {
    const jsonOf = (length: number) => JSON.stringify({ title: 'x'.repeat(length - '{"title":""}'.length) })

    expect(jsonToYaml(jsonOf(longestAsYaml), yaml)).toMatch(/^title: x+\n$/)
    expect(jsonToYaml(jsonOf(longestAsYaml + 1), yaml)).toBe(jsonOf(longestAsYaml + 1))
  })
})
