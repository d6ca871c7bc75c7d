import { describe, expect } from 'vitest'
import { mockOf } from '../../../src/core/mock/facade.js'
import { failure, json, responseTo, sendTo } from '../../support/http.js'
import { it } from '../../support/served-mock.js'

const probe = { method: 'GET', path: '/healthz' }

describe('GET /healthz', () => {
  it('answers that the mock is ready', async ({ serve }) => {
    const { send } = await serve()

    const got = await send(probe)

    expect([got.status, json(got)]).toEqual([200, { status: 'ok' }])
    expect(got.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' })
  })

  it.for([
    ['a Host that the server does not answer to', { host: 'evil.example' }],
    ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['an unknown world', { 'x-mock-world': 'nobody' }],
    ['a wrong token', { authorization: 'Bearer nonsense' }],
  ] as const)('comes before all checks: %s', async ([, headers], { serve }) => {
    const { mock, send } = await serve({ control: false })

    expect((await send({ ...probe, headers })).status).toBe(200)
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    expect(mock.journal.find()).toEqual([])
  })

  it('answers a Host that appears twice, and a whole URL in the request line', async ({ serve }) => {
    const { url } = await serve()

    const twice = await responseTo(url, 'GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n')
    const whole = await responseTo(url, 'GET http://evil.example/healthz HTTP/1.1\r\nconnection: close\r\n\r\n')

    expect([twice.status, whole.status]).toEqual([200, 200])
  })

  it('answers HEAD without a body', async ({ serve }) => {
    const { send } = await serve()

    const got = await send({ method: 'HEAD', path: '/healthz' })

    expect([got.status, got.body]).toEqual([200, ''])
  })

  it('exists under no world, and for no other method', async ({ serve }) => {
    const { send } = await serve()

    expect((await send({ ...probe, path: '/w/default/healthz' })).status).toBe(404)
    expect((await send({ ...probe, method: 'POST' })).status).toBe(404)
  })

  it('gives the reasons why the mock is not ready', async ({ serve }) => {
    const { mock, send } = await serve()
    const { notReady } = mockOf(mock, 'test')
    notReady.add('the storage is away').add('the lease is lost')

    const got = await send({ ...probe, headers: { origin: 'http://localhost:5173', host: 'evil.example' } })
    notReady.clear()

    expect(failure(got)).toBe('503 API_UNAVAILABLE')
    expect(json(got)).toMatchObject({ message: 'the storage is away, and the lease is lost' })
    expect(got.headers).toMatchObject({ 'retry-after': '1', 'access-control-allow-origin': 'http://localhost:5173' })
    expect((await send(probe)).status).toBe(200)
  })

  it('answers 503 once the mock closes', async ({ serve }) => {
    const { mock, url } = await serve()
    let answer: Promise<string> | undefined
    mockOf(mock, 'test').atClose(async () => {
      answer ??= sendTo(url, probe).then(failure)
      await answer
    })

    await mock.close()

    expect(await answer).toBe('503 API_UNAVAILABLE')
  })
})
