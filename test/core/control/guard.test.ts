import { describe, expect } from 'vitest'
import { describeCalls } from '../../../src/core/control/api.js'
import type { Mockmaker } from '../../../src/index.js'
import { failure, json, sendTo, type TestRequest } from '../../support/http.js'
import { it, jsonHeaders, type ServedMock } from '../../support/served-mock.js'
import { stateOf } from '../../support/worlds.js'

/** Every write of the control API. A foreign request is refused before the mock looks at its ids and its body. */
const writes: readonly TestRequest[] = describeCalls()
  .filter(({ method }) => method !== 'GET')
  .map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/g, 'lobbies'), body: '{}' }))

const reset = { method: 'POST', path: '/__mock/reset', body: '{}' }

/** A fault that applies to no request of these tests. */
const delayed = { operation: 'devices.*', effect: { delay: '1s' } } as const

/** Returns all state that a call could have changed. */
function allOf(mock: Mockmaker) {
  const worlds = mock.worlds.list().map(({ id }) => id)
  return [stateOf(mock.world), worlds, mock.journal.find().length, mock.faults.list()]
}

/** Requests that a page of another site, or one behind a rebound name, can send. */
const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form of files', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['text, as fetch with no-cors sends it', { 'content-type': 'text/plain;charset=UTF-8' }],
  ['no content-type', {}],
  ['a type that only begins like JSON', { 'content-type': 'application/jsonx' }],
  ['another Origin', { ...jsonHeaders, origin: 'https://evil.example' }],
  ['an Origin of null', { ...jsonHeaders, origin: 'null' }],
  ['the Origin of a namespace, which may read answers', { ...jsonHeaders, origin: 'https://tanks.example' }],
  ['an Origin that only begins like this machine', { ...jsonHeaders, origin: 'http://localhost.evil.example' }],
  ['a page of another site, by sec-fetch-site', { ...jsonHeaders, 'sec-fetch-site': 'cross-site' }],
  ['a rebound Host', { ...jsonHeaders, host: 'evil.example' }],
]

/** Expects that a write is refused to requests of foreign pages, and changes nothing. */
async function expectRefused({ mock, url }: ServedMock, write: TestRequest, requests: typeof foreign) {
  await mock.worlds.put('there')
  mock.faults.add(delayed)
  await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })
  const before = allOf(mock)

  for (const [name, headers] of requests) {
    const got = await sendTo(url, { ...write, headers })

    expect(failure(got), name).toBe('403 API_FORBIDDEN')
    expect(allOf(mock), name).toEqual(before)
  }
}

describe('a write', () => {
  it.for(writes)('is refused to a form of a foreign page: $method $path', async (write, { serve }) => {
    await expectRefused(await serve(), write, foreign.slice(0, 1))
  })

  it('is refused to any request of a foreign page', async ({ serve }) => {
    await expectRefused(await serve(), reset, foreign)
  })

  it.for([
    ['a client outside of a browser', jsonHeaders],
    ['a client that sends the charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['a page of this machine', { ...jsonHeaders, origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
  ] as const)('is carried out for %s', async ([, headers], { serve }) => {
    const { url } = await serve()

    expect((await sendTo(url, { ...reset, headers })).status).toBe(200)
  })
})

describe('the message of a refused write', () => {
  it.for([
    [{}, 'because its content-type is missing: send "content-type: application/json"'],
    [
      { 'content-type': 'text/plain' },
      'because its content-type is "text/plain": send "content-type: application/json"',
    ],
  ] as const)('says what is wrong with the type of its body: %j', async ([headers, why], { serve }) => {
    const { url } = await serve()

    expect(json(await sendTo(url, { ...reset, headers }))).toMatchObject({ message: expect.stringContaining(why) })
  })
})

describe('a call that only reads', () => {
  const reads = [
    '/__mock/snapshot',
    '/__mock/tokens',
    '/__mock/changes',
    '/__mock/explain?path=/x',
    '/w/there/__mock/rows',
  ]
  const crossSite = { 'sec-fetch-site': 'cross-site' }

  it.for(reads)('is refused to a page of another site: %s', async (path, { serve }) => {
    const { mock, url } = await serve()
    await mock.worlds.put('there')
    const get = (headers: Readonly<Record<string, string>>) => sendTo(url, { method: 'GET', path, headers })

    const refused = [
      await get(crossSite),
      await get({ ...crossSite, 'sec-fetch-mode': 'no-cors' }),
      await get({ ...crossSite, origin: 'https://evil.example' }),
    ]

    expect(refused.map(failure)).toEqual(refused.map(() => '403 API_FORBIDDEN'))
  })

  it('needs no content-type with HEAD either', async ({ serve }) => {
    const { send } = await serve()

    expect((await send({ method: 'HEAD', path: '/__mock/tokens' })).status).toBe(200)
  })

  it.for([
    ['a page of this machine with another name', { ...crossSite, origin: 'http://localhost:5173' }],
    ['a page of this machine with another port', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
  ] as const)('is carried out for %s', async ([, headers], { serve }) => {
    const { send } = await serve()

    expect((await send({ method: 'GET', path: '/__mock/tokens', headers })).status).toBe(200)
  })
})

describe('the control API', () => {
  it('lets only pages of this machine read its answers', async ({ serve }) => {
    const { send } = await serve()
    const seenBy = async (origin: string) => {
      const { headers } = await send({ method: 'GET', path: '/__mock/tokens', headers: { origin } })
      return headers['access-control-allow-origin']
    }

    const seen = [await seenBy('http://localhost:5173'), await seenBy('https://tanks.example'), await seenBy('null')]

    expect(seen).toEqual(['http://localhost:5173', undefined, undefined])
  })

  it('answers preflights of pages of this machine', async ({ serve }) => {
    const { send } = await serve()
    const preflight = (origin: string) =>
      send({
        method: 'OPTIONS',
        path: '/__mock/lobbies/x',
        headers: { origin, 'access-control-request-method': 'PATCH' },
      })

    const [own, other] = [await preflight('http://127.0.0.1:5173'), await preflight('https://tanks.example')]

    expect([own.status, own.headers['access-control-allow-methods']]).toEqual([204, 'GET, POST, PUT, PATCH, DELETE'])
    expect(other.headers).not.toHaveProperty('access-control-allow-methods')
  })

  it('is absent if it is switched off', async ({ serve }) => {
    const { mock, steer } = await serve({ control: false })
    const before = stateOf(mock.world)

    const answers = [await steer('GET', '/__mock/health'), await steer('POST', '/__mock/lobbies', {})]

    expect(answers.map(failure)).toEqual(['404 API_NOT_FOUND', '404 API_NOT_FOUND'])
    expect(stateOf(mock.world)).toBe(before)
  })
})
