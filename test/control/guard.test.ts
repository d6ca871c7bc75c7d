import { describe, expect } from 'vitest'
import type { Mockmaker } from '../../src/index.js'
import { failure, sendTo, type TestRequest } from '../support/http.js'
import { it, jsonHeaders } from '../support/served-mock.js'
import { tokens } from '../support/tanks.js'
import { stateOf } from '../support/worlds.js'

/** Every write of the control API, with a valid request. */
const writes: readonly TestRequest[] = [
  { method: 'PUT', path: '/__mock/worlds/other', body: '{}' },
  { method: 'DELETE', path: '/__mock/worlds/there' },
  { method: 'POST', path: '/__mock/reset', body: '{}' },
  { method: 'PUT', path: '/__mock/scenario', body: '{"name":"empty"}' },
  { method: 'PUT', path: '/__mock/clock', body: '{"mode":"running"}' },
  { method: 'POST', path: '/__mock/clock/advance', body: '{"by":"2h"}' },
  { method: 'DELETE', path: '/__mock/journal' },
  { method: 'PUT', path: '/__mock/client', body: '{"location":{"latitude":52.5,"longitude":13.4}}' },
  { method: 'PUT', path: '/__mock/snapshot', body: '{"revision":1}' },
  { method: 'POST', path: '/__mock/faults', body: '{"effect":{"reset":true}}' },
  { method: 'DELETE', path: '/__mock/faults' },
  { method: 'DELETE', path: '/__mock/faults/1' },
  { method: 'POST', path: '/__mock/faults/1/release', body: '{}' },
  { method: 'POST', path: `/__mock/device-links/${tokens.pending}/complete`, body: '{"game":"tanks"}' },
  { method: 'POST', path: `/__mock/device-links/${tokens.pending}/expire`, body: '{}' },
  { method: 'POST', path: '/__mock/lobbies', body: '{}' },
  { method: 'PATCH', path: '/__mock/lobbies/closed', body: '{"is_closed":false}' },
  { method: 'DELETE', path: '/__mock/lobbies/closed' },
]

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

describe.each(writes)('$method $path', write => {
  // One mock for all of them, because none changes it.
  it('is refused to requests of foreign pages, and nothing has happened', async ({ serve }) => {
    const { mock, url } = await serve()
    await mock.worlds.put('there')
    mock.faults.add(delayed)
    await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })
    const before = allOf(mock)

    for (const [name, headers] of foreign) {
      const got = await sendTo(url, { ...write, headers })

      expect(failure(got), name).toBe('403 API_FORBIDDEN')
      expect(allOf(mock), name).toEqual(before)
    }
  })

  it.for([
    ['a client outside of a browser', jsonHeaders],
    ['a client that sends the charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['a page of this machine', { ...jsonHeaders, origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }],
  ] as const)('is carried out for %s', async ([, headers], { serve }) => {
    const { mock, url } = await serve()
    await mock.worlds.put('there')
    mock.faults.add(delayed)

    const got = await sendTo(url, { ...write, headers })

    expect(got.status).toBe(200)
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
