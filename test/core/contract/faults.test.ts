import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Fault, FaultEntry } from '../../../src/core/contract/faults.js'
import { parseInput } from '../../../src/core/lib/issues.js'

/** The message about an invalid fault. */
function messageFor(input: unknown): string {
  try {
    parseInput(Fault(), input, 'fault')
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const reset = { reset: true } as const
const effects = 'delay, error, reset, empty, hold, spurious, index, truncate, outage, date'
const keys = 'operation, region, match, effect, times, after, for, chance'
const duration = 'a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m'

describe('a fault', () => {
  it.each([
    [{ effect: reset }],
    [{ effect: { empty: true } }],
    [{ effect: { hold: true } }],
    [{ effect: { delay: '300ms' } }],
    [{ effect: { delay: { min: '1s', max: '1s' } } }],
    [{ effect: { delay: { median: '100ms', p95: '1s' } } }],
    [{ effect: { error: { code: 'MATCHMAKER_LOBBY_FULL', message: 'no room' } } }],
    [{ effect: { error: { status: 403, code: 'MY_OWN', metadata: { a: [null] } } } }],
    [{ effect: { error: { status: 403, metadata: null } } }],
    [{ effect: reset, match: { query: JSON.parse('{"__proto__":"a"}') } }],
    [{ operation: 'devices.*', effect: { spurious: '2s' } }],
    [{ operation: '*', effect: { index: { offset: -5 } } }],
    [{ effect: { index: { offset: '-1234567890123456789' } } }],
    [{ effect: { truncate: true } }],
    [{ effect: { date: '+90s' } }],
    [{ region: 'lnd-fra', effect: { outage: true }, after: '5s', for: '30s' }],
    [{ operation: '*', effect: reset, times: 1, after: 0, for: '1m', chance: 0.5 }],
    [
      {
        effect: reset,
        match: { query: { a: '*' }, headers: { B: 'c' }, body: { d: [{}] }, game: 'e', namespace: 'f' },
      },
    ],
  ])('may be %j', fault => {
    expect(parseInput(Fault(), fault, 'fault')).toEqual(fault)
  })

  it.each([
    [5, 'fault is 5: expected object'],
    [{}, 'fault.effect is missing: expected object'],
    [{ effect: {} }, `fault.effect is {}: expected exactly one of ${effects}`],
    [
      { effect: { reset: true, empty: true } },
      `fault.effect is {"reset":true,"empty":true}: expected exactly one of ${effects}`,
    ],
    [{ effect: { reset: 1 } }, 'fault.effect.reset is 1: expected true'],
    [{ effect: { delay: 'soon' } }, `fault.effect.delay is "soon": expected ${duration}`],
    [
      { effect: { delay: 300 } },
      'fault.effect.delay is 300: expected a duration such as 300ms, {min, max}, or {median, p95}',
    ],
    [{ effect: { outage: true } }, 'fault.region is missing: expected the region that goes down'],
    [
      { effect: reset, region: 'lnd-fra' },
      'fault.region is "lnd-fra": expected no region: only {outage: true} has one',
    ],
    [
      { region: 'lnd-fra', effect: { outage: true }, operation: 'lobbies.find' },
      'fault.operation is "lobbies.find": expected no operation: an outage is of a region, not of requests',
    ],
    [
      { region: 'lnd-fra', effect: { outage: true }, after: 3 },
      'fault.after is 3: expected a duration such as 5s: an outage counts no requests',
    ],
    [{ effect: { date: '90s' } }, `fault.effect.date is "90s": expected ${duration}, with + or - before it`],
    [{ effect: { date: '+-5s' } }, `fault.effect.date is "+-5s": expected ${duration}, with + or - before it`],
    [{ effect: { delay: { min: '1s' } } }, 'fault.effect.delay.max is missing: expected string'],
    [{ effect: { delay: { min: '2s', max: '1s' } } }, 'fault.effect.delay.max is "1s": expected no less than min'],
    [{ effect: { delay: { median: '0s', p95: '1s' } } }, 'fault.effect.delay.median is "0s": expected more than 0ms'],
    [
      { effect: { delay: { median: '2s', p95: '1s' } } },
      'fault.effect.delay.p95 is "1s": expected no less than median',
    ],
    [{ effect: { error: {} } }, 'fault.effect.error is {}: expected a status, a code, or both'],
    [{ effect: { error: { status: 200 } } }, 'fault.effect.error.status is 200: expected at least 400'],
    [
      { effect: { error: { code: 'no' } } },
      'fault.effect.error.code is "no": expected a code in upper case, such as API_RATE_LIMIT',
    ],
    [
      { effect: { error: { code: 'MATCHMAKER_LOBY_FULL' } } },
      'fault.effect.error.code is "MATCHMAKER_LOBY_FULL": expected an error code of the service. A code of your own needs a status too, as in {status: 400, code: "MATCHMAKER_LOBY_FULL"}.… Did you mean MATCHMAKER_LOBBY_FULL?',
    ],
    [
      { effect: { error: { code: 'TEAPOT' } } },
      'fault.effect.error.code is "TEAPOT": expected an error code of the service. A code of your own needs a status too, as in {status: 400, code: "TEAPOT"}.…',
    ],
    [
      { effect: { error: { code: 'constructor', status: 400 } } },
      'fault.effect.error.code is "constructor": expected a code in upper case, such as API_RATE_LIMIT',
    ],
    [
      { effect: { error: { status: 403, metadata: { at: new Date(0) } } } },
      'fault.effect.error.metadata is {"at":"1970-01-01T00:00:00.000Z"}: expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
    ],
    [
      { effect: reset, match: JSON.parse('{"__proto__":{"a":"1"}}') },
      'fault.match.__proto__ is an unknown key. Known: query, headers, body, game, namespace.',
    ],
    [
      { effect: reset, match: { query: JSON.parse('{"__proto__":1}') } },
      'fault.match.query.__proto__ is 1: expected string',
    ],
    [{ effect: reset, after: -1 }, 'fault.after is -1: expected at least 0'],
    [{ effect: reset, after: true }, 'fault.after is true: expected a whole number from 0, or a duration such as 5s'],
    [{ effect: reset, for: 5 }, `fault.for is 5: expected ${duration}`],
    [{ effect: reset, chance: 2 }, 'fault.chance is 2: expected at most 1'],
    [{ effect: reset, match: { query: { a: 1 } } }, 'fault.match.query.a is 1: expected string'],
    [{ effect: reset, match: { body: [1] } }, 'fault.match.body is [1]: expected an object'],
    [{ effect: reset, tmes: 1 }, `fault.tmes is an unknown key. Known: ${keys}. Did you mean times?`],
    [
      { effect: { index: { offset: '12345678901234567890' } } },
      'fault.effect.index.offset is "12345678901234567890": expected a whole number, or one of up to 19 digits as text',
    ],
    [
      { operation: 'lobbies.list', effect: { index: { offset: 1 } } },
      'fault.effect.index is {"offset":1}: expected a watch as operation: games.getGameById, devices.links.get',
    ],
  ])('is not %j: the message says where, what is wrong, and what is expected', (input, message) => {
    expect(messageFor(input).replace(/ Known: API_.*? more\./, '…')).toBe(message)
  })

  it.each(['lobby.list', 'lobbies', 'devices.*.x', ''])(
    'of the unknown operation %j lists the known ones',
    operation => {
      expect(messageFor({ operation, effect: reset })).toMatch(
        /^fault\.operation is ".*": expected the id of an operation, or a pattern that matches one, such as devices\.\*\. Known: lobbies\.list, /,
      )
    },
  )

  it('of a mistyped operation suggests the right one', () => {
    expect(messageFor({ operation: 'lobby.list', effect: reset })).toMatch(/ Did you mean lobbies\.list\?$/)
  })
})

const counters = { id: '3', matched: 2, struck: 1, holding: 0, added_at: '2026-11-20T20:00:00.000Z' }

describe('a fault with counters', () => {
  it('is a valid entry', () => {
    const state = { effect: reset, ...counters, began_at: '2026-11-20T20:00:05.000Z' }

    expect(FaultEntry().parse(state)).toEqual(state)
  })

  it.each([{ id: '0' }, { id: 'x' }, { matched: -1 }, { added_at: 'today' }, { effect: {} }])(
    'is invalid with %j',
    wrong => {
      const state = { effect: reset, ...counters, ...wrong }

      expect(FaultEntry().safeParse(state).success).toBe(false)
    },
  )

  it('may lack the counters', () => {
    expect(FaultEntry().parse({ effect: reset })).toEqual({ effect: reset })
  })
})

it('the JSON Schema of a fault describes each key, and limits the effect to one key', () => {
  const { properties = {} } = z.toJSONSchema(Fault())

  expect(Object.entries(properties).filter(([, key]) => typeof key === 'boolean' || !key.description)).toEqual([])
  expect(properties.effect).toMatchObject({ minProperties: 1, maxProperties: 1, additionalProperties: false })
})
