import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { JsonToYaml } from '../../src/scenario/write-yaml.js'

/** Converts JSON to YAML, in pieces of that length. */
function yamlOf(json: string, length = json.length): string {
  const writer = new JsonToYaml()
  const pieces = Array.from({ length: Math.ceil(json.length / length) }, (_, i) =>
    json.slice(i * length, (i + 1) * length),
  )
  return pieces.map(piece => writer.push(piece)).join('') + writer.end()
}

const readYaml = (text: string) => JSON.stringify(parse(text, { stringKeys: true, maxAliasCount: 0 }))

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
const text = fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 5 }))
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
  it.prop([json, fc.integer({ min: 1, max: 20 }), fc.constantFrom(undefined, 2)], { numRuns: 1_000 })(
    'parses to the same value, in pieces of any size',
    (value, length, space) => {
      const yaml = yamlOf(JSON.stringify(value, null, space), length)

      expect(readYaml(yaml)).toBe(JSON.stringify(value))
      expect(yaml).toBe(yamlOf(JSON.stringify(value)))
    },
  )

  it('is readable', () => {
    const value = {
      title: 'Friday night',
      now: '2026-11-20T20:00:00.000Z',
      regions: ['lnd-fra', { region_id: 'moon', datacenter_coord: { latitude: 0, longitude: -1.5 } }],
      games: [],
      lobbies: [{ lobby_id: '88888888-8888-4888-8888-888888888888', tags: {}, state: { text: 'yes: no', on: 'no' } }],
    }

    expect(yamlOf(JSON.stringify(value))).toBe(`title: Friday night
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
    const yaml = yamlOf(JSON.stringify({ a: '\u001b[31m\u009b\u202e\u2028' }))

    expect(yaml.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u)
  })

  it.each([
    '',
    '{',
    '[1',
    '{"a"}',
    '{"a":}',
    '{"a":1,}x',
    '[1 2]',
    '[}',
    '{]',
    '"a',
    '1 2',
    '<h1>',
    'nul',
    '{"a":1}}',
    '{1:2}',
    '{"a" "b"}',
  ])('is refused if it is not JSON: %j', wrong => {
    expect(() => yamlOf(wrong, 3)).toThrow(SyntaxError)
  })

  it('keeps a text of megabytes that arrives in small pieces', () => {
    const json = JSON.stringify({ text: `${'x\\'.repeat(1_000_000)}` })

    expect(yamlOf(json, 16_384).length).toBeGreaterThan(3_000_000)
  })
})
