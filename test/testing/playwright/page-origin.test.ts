import { describe, expect, it } from 'vitest'
import type { MockRequest, MockResponse } from '../../../src/core/pipeline/message.js'
import { createMockmaker } from '../../../src/index.js'
import { hideFromForeignPage, isAllowedByPreflight, siteHeader } from '../../../src/testing/playwright/page-origin.js'

const { answer } = createMockmaker({ scenario: { game_modes: ['duel'] } })

const find = (headers: MockRequest['headers']): MockRequest => ({
  method: 'POST',
  path: '/matchmaker/lobbies/find',
  headers: { 'user-agent': 'Chrome', 'sec-ch-ua': 'Chrome', referer: 'https://other.example/', ...headers },
})
const other = { origin: 'https://other.example' }

describe('a preflight in place of the browser', () => {
  it.for<readonly [what: string, headers: MockRequest['headers'], isAllowed: boolean]>([
    ['allows a page of this machine', { origin: 'http://localhost:3000', 'content-type': 'application/json' }, true],
    ['refuses JSON of a foreign page', { ...other, 'content-type': 'application/json' }, false],
    ['refuses a token of a foreign page', { ...other, authorization: 'Bearer pub' }, false],
    ['refuses an own header of a foreign page', { ...other, 'x-mock-world': 'one' }, false],
    ['is not sent for a text', { ...other, 'content-type': 'text/plain; charset=utf-8' }, true],
    ['is not sent for a form', { ...other, 'content-type': 'multipart/form-data; boundary=x' }, true],
  ])('%s', async ([, headers, isAllowed]) => {
    expect(await isAllowedByPreflight(find(headers), answer)).toBe(isAllowed)
  })

  it('is sent for a method that forms do not have', async () => {
    expect(await isAllowedByPreflight({ ...find(other), method: 'PUT' }, answer)).toBe(false)
  })
})

describe('a response that a page may not read', () => {
  const response: MockResponse = { status: 200, headers: { 'x-a': '1' }, body: new Uint8Array() }

  it('allows only the origin of the mock', () => {
    const { headers } = hideFromForeignPage(response, 'https://matchmaker.example')

    expect(headers).toEqual({ 'x-a': '1', 'access-control-allow-origin': 'https://matchmaker.example' })
  })

  it('stays the same if it names an origin', () => {
    const allowed = { ...response, headers: { 'access-control-allow-origin': 'http://localhost' } }

    expect(hideFromForeignPage(allowed, 'https://matchmaker.example')).toBe(allowed)
  })
})

describe('the site of a request', () => {
  it.for([
    ['https://game.example', 'https://matchmaker.example', 'cross-site'],
    ['https://www.game.example', 'https://api.game.example', 'same-site'],
    ['http://www.game.example', 'https://api.game.example', 'cross-site'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:4100', 'same-site'],
    ['http://127.0.0.1:3000', 'http://10.0.0.1:4100', 'cross-site'],
    ['null', 'https://matchmaker.example', 'cross-site'],
  ] as const)('of %s at %s is %s', ([page, at, site]) => {
    expect(siteHeader(page, at)).toEqual({ 'sec-fetch-site': site })
  })
})
