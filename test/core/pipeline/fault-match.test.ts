import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/index.js'
import { link, list, mockWithFaults, nowhere, validate } from '../../support/faults.js'
import { ask, type TestRequest } from '../../support/http.js'
import { bearer, ids, tokens } from '../../support/tanks.js'

/** Tells whether a fault with that match applies to a request. */
async function strikes(match: Fault['match'], sent: TestRequest): Promise<boolean> {
  const { mock } = mockWithFaults([{ match, effect: { reset: true } }])
  const { status } = await ask(mock, sent)
  expect(status).not.toBe(500)
  return status === 0
}

const withQuery = (query: string) => ({ ...list, query })
const withHeaders = (headers: TestRequest['headers']) => ({ ...list, headers }) as TestRequest
const withBody = (body: string | Uint8Array) => ({ ...validate, body })
const config = (game: string, namespace: string) => ({
  method: 'POST',
  path: `/cloud/games/${game}/namespaces/${namespace}/mm-config`,
  headers: bearer(tokens.cloud),
  body: '{}',
})

describe('a fault that matches a query', () => {
  it.each([
    [{ a: '1' }, 'a=1', true],
    [{ a: '1' }, 'a=12', false],
    [{ a: '1' }, 'A=1', false],
    [{ a: '1' }, '', false],
    [{ a: '' }, 'a', true],
    [{ a: '*' }, 'a=', true],
    [{ a: '*' }, 'b=1', false],
    [{ a: 'x*z' }, 'a=x%20yz', true],
    [{ a: '1', b: '2' }, 'b=2&a=1', true],
    [{ a: '1', b: '2' }, 'a=1', false],
    [{ a: '2' }, 'a=1&a=2', true],
    [{}, '', true],
  ])('%j, of %j: %j', async (query, sent, expected) => {
    expect(await strikes({ query }, withQuery(sent))).toBe(expected)
  })
})

describe('a fault that matches headers', () => {
  it.each([
    [{ 'X-Client': 'a' }, { 'x-client': 'a' }, true],
    [{ 'x-client': 'a' }, { 'x-client': 'A' }, false],
    [{ 'x-client': 'godot/*' }, { 'x-client': 'godot/4' }, true],
    [{ 'x-client': '*' }, {}, false],
    [{ toString: '*' }, {}, false],
    [{ constructor: '*' }, {}, false],
  ])('%j, of %j: %j', async (headers, sent, expected) => {
    expect(await strikes({ headers }, withHeaders(sent))).toBe(expected)
  })

  it('matches any of several headers of one name', async () => {
    const { mock } = mockWithFaults([{ match: { headers: { 'x-a': '2' } }, effect: { reset: true } }])

    expect((await mock.answer({ ...list, headers: { 'x-a': ['1', '2'] } })).status).toBe(0)
  })
})

describe('a fault that matches a body', () => {
  it.each([
    [{ a: 1 }, '{"a":1,"b":2}', true],
    [{ a: 1 }, '{"a":"1"}', false],
    [{ a: 1 }, '{"b":1}', false],
    [{ a: { b: { c: null } } }, '{"a":{"b":{"c":null,"d":1}}}', true],
    [{ a: { b: { c: null } } }, '{"a":{"b":{}}}', false],
    [{ a: [1, { b: 2 }] }, '{"a":[1,{"b":2,"c":3}]}', true],
    [{ a: [1, 2] }, '{"a":[1,2,3]}', false],
    [{ a: [1, 2] }, '{"a":[2,1]}', false],
    [{ a: [] }, '{"a":[1]}', false],
    [{ a: [] }, '{"a":{}}', false],
    [{ a: {} }, '{"a":[]}', false],
    [{ a: { length: 1 } }, '{"a":[1]}', false],
    [{ a: {} }, '{"a":null}', false],
    [{ a: false }, '{"a":false}', true],
    [{ toString: {} }, '{}', false],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}', true],
    [JSON.parse('{"__proto__":{}}'), '{}', false],
    [{ a: 1 }, '{"a":1', false],
    [{ a: 1 }, '[{"a":1}]', false],
    [{ a: 1 }, 'null', false],
    [{}, '', true],
    [{}, '{', false],
    [{}, new Uint8Array([0x7b, 0xff, 0x7d]), false],
  ])('%j, of %j: %j', async (body, sent, expected) => {
    expect(await strikes({ body }, withBody(sent))).toBe(expected)
  })
})

describe('a fault that matches a game or a namespace', () => {
  const of = (token: string) => ({ ...list, headers: bearer(token) })
  const tanksProd = config(ids.tanks, ids.prod)
  it.each<[Fault['match'], string, TestRequest, boolean]>([
    [{ game: 'tanks' }, 'by its name, in the path', tanksProd, true],
    [{ game: ids.tanks }, 'by its id, in the path', tanksProd, true],
    [{ game: 'boats' }, 'another in the path', tanksProd, false],
    [{ game: 'tanks' }, 'in a path without a namespace', validate, true],
    [{ game: 'unknown' }, 'that is not there, by its id in the path', config('unknown', 'x'), true],
    [{ namespace: 'prod' }, 'by its name, in the path', tanksProd, true],
    [{ namespace: 'tanks/prod' }, 'by both names, in the path', tanksProd, true],
    [{ namespace: ids.prod }, 'by its id, in the path', tanksProd, true],
    [{ namespace: 'boats/prod' }, 'of another game', tanksProd, false],
    [{ namespace: 'closed' }, 'another in the path', tanksProd, false],
    [{ namespace: 'x' }, 'that is not there, by its id in the path', config('unknown', 'x'), true],
    [
      { namespace: 'prod' },
      'with a path that names only its game',
      { ...validate, headers: bearer(tokens.public) },
      false,
    ],
    [{ game: 'tanks' }, 'by a public token', of(tokens.publicClosed), true],
    [{ namespace: 'tanks/closed' }, 'by a public token', of(tokens.publicClosed), true],
    [{ namespace: 'prod' }, 'by the token of another', of(tokens.publicClosed), false],
    [{ namespace: 'prod' }, 'by a development token', of(tokens.development), true],
    [{ namespace: 'prod' }, 'by an origin', { ...list, headers: { origin: 'https://tanks.example' } }, true],
    [{ game: 'tanks', namespace: 'prod' }, 'by default, without a token', list, true],
    [{ game: 'boats' }, 'by a cloud token', { ...link, headers: bearer(tokens.cloudBoats) }, true],
    [
      { namespace: 'prod' },
      'by a cloud token, which has no namespace',
      { ...link, headers: bearer(tokens.cloud) },
      false,
    ],
    [{ game: 'tanks' }, 'without a token', link, false],
    [{ game: 'tanks' }, 'by a token that nobody has', of('nobody'), false],
    [{ game: 'tanks' }, 'with an unknown path', { ...nowhere, headers: bearer(tokens.cloud) }, false],
    [{ game: 'tanks' }, 'with a wrong method', { ...validate, method: 'PUT' }, false],
  ])('%j, %s', async (match, _, sent, expected) => {
    expect(await strikes(match, sent)).toBe(expected)
  })
})

it.each<[Fault['effect'], string, (index: number) => TestRequest, number]>([
  [{ index: { offset: 1 } }, 'a watch', () => link, 1],
  [{ index: { offset: 1 } }, 'no watch', () => list, 0],
  [{ index: { offset: 1 } }, 'an unknown path', () => nowhere, 0],
  [{ spurious: '1ms' }, 'a watch that blocks', at => ({ ...link, query: `${link.query}&watch_index=${at}` }), 1],
  [{ spurious: '1ms' }, 'a watch without an index', () => link, 0],
  [{ spurious: '1ms' }, 'no watch', at => ({ ...list, query: `watch_index=${at}` }), 0],
])('a fault with the effect %j and a request to %s', async (effect, _, request, matched) => {
  const { mock, index } = mockWithFaults([{ effect }])

  const answer = ask(mock, request(index))
  await mock.clock.advance('1ms')

  expect((await answer).status).not.toBe(500)
  expect(mock.faults.list()).toMatchObject([{ matched }])
})

it('a fault that matches a game or a namespace skips a request with an unknown token', async () => {
  const { mock } = mockWithFaults([{ match: { game: 'tanks' }, effect: { empty: true } }, { effect: { reset: true } }])

  expect(await ask(mock, { ...list, headers: bearer('nobody') })).toMatchObject({ disconnect: 'reset' })
})

it('a fault of all operations skips a request without one', async () => {
  const { mock } = mockWithFaults([{ operation: '*', effect: { reset: true } }])

  expect([(await ask(mock, nowhere)).status, (await ask(mock, list)).status]).toEqual([404, 0])
})

it('a fault applies only if all its conditions match', async () => {
  const match = { query: { a: '1' }, headers: { 'x-a': '1' }, game: 'tanks' }
  const right = { ...list, query: 'a=1', headers: { 'x-a': '1' } }

  const struck = await Promise.all([
    strikes(match, right),
    strikes(match, { ...right, query: '' }),
    strikes(match, { ...right, headers: {} }),
    strikes({ ...match, game: 'boats' }, right),
  ])

  expect(struck).toEqual([true, false, false, false])
})
