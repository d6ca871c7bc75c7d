import { describe, expect } from 'vitest'
import type { SentRequest } from '../../../src/core/pipeline/history.js'
import { restoreExchange } from '../../../src/core/pipeline/journal.js'
import type { Mockmaker } from '../../../src/index.js'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { tokens } from '../../support/tanks.js'

const find = {
  method: 'POST',
  path: '/matchmaker/lobbies/find',
  query: 'token=x',
  headers: { authorization: `Bearer ${tokens.public}` },
  body: '{ "game_modes": ["duel"] }',
} as const

const path = (id: number | string) => ({ method: 'GET', path: `/__mock/journal/${id}/request` }) as const
const ownPage = { headers: { 'sec-fetch-site': 'same-origin' } } as const

/** The path of the newest request of a mock. */
const newest = ({ journal }: Pick<Mockmaker, 'journal'>) => path(journal.find().at(-1)?.id ?? 0)

describe('a past request as it was sent', () => {
  it('has its whole tokens and its own text', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find)
    const [entry] = mock.journal.find()

    const sent = await send({ ...path(entry?.id ?? 0), ...ownPage })

    expect(entry?.headers.authorization).toBe('Bearer pub_prod.…')
    expect(json(sent)).toMatchObject({ ...find, headers: expect.objectContaining(find.headers) })
  })

  it.for([
    [{}, 'missing'],
    [{ 'sec-fetch-site': 'none' }, '"none"'],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' }, '"same-site"'],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:5173' }, '"cross-site"'],
  ] as const)('is refused to a sender with %j', async ([headers, site], { serve }) => {
    const { mock, send } = await serve()
    await send(find)

    const refused = await send({ ...newest(mock), headers })

    expect(failure(refused)).toBe('403 API_FORBIDDEN')
    expect(json(refused)).toMatchObject({ message: expect.stringContaining(`sec-fetch-site is ${site}`) })
  })

  it('is refused to a page that has rebound its host name', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find)

    expect(failure(await send({ ...newest(mock), headers: { ...ownPage.headers, host: 'evil.example' } }))).toBe(
      '403 API_FORBIDDEN',
    )
  })

  it('has no CORS headers, even for a page of this machine', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find)

    const sent = await send({ ...newest(mock), headers: { ...ownPage.headers, origin: 'http://localhost:5173' } })

    expect(sent.status).toBe(200)
    expect(sent.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.for([
    ['no body if there was none', undefined, undefined],
    ['its body in base64 if that is not UTF-8', new Uint8Array([0xff, 0xfe]), '//4='],
    ['its body in base64 if that has a zero', 'a\0', 'YQA='],
  ] as const)('has %s', async ([, body, body_base64], { serve }) => {
    const { mock, send } = await serve()
    await send(body === undefined ? { method: 'GET', path: '/matchmaker/regions' } : { ...find, body })

    const sent = await send({ ...newest(mock), ...ownPage })

    expect(sent.status).toBe(200)
    expect(json(sent)).not.toHaveProperty('body')
    expect((json(sent) as SentRequest).body_base64).toBe(body_base64)
  })

  it.for([
    ['no JSON', 'no JSON'],
    [{ a: 1 }, '{"a":1}'],
    [undefined, undefined],
  ])('of a capsule is made from its entry, whose body is %j', ([body, text]) => {
    const request = { method: 'POST', path: '/nowhere', headers: { 'x-id': '7' } }
    const entry = { id: 1, time: '2026-11-20T20:00:00.000Z', world: 'default', status: 404, ms: 0, blocked_ms: 0 }
    const kept = { ...entry, ...request, query: { a: ['1', '2'], b: 'x y' }, ...(body === undefined ? {} : { body }) }
    const past = { revision: 1, caller: undefined }
    const withToken = { ...kept, headers: { authorization: 'Bearer pub_prod.…' } }

    expect(restoreExchange(kept, past).sentRequest?.()).toStrictEqual({
      ...request,
      query: 'a=1&a=2&b=x+y',
      ...(text === undefined ? {} : { body: text }),
    })
    expect(restoreExchange(withToken, past).sentRequest).toBeUndefined()
  })

  it.for(['99', 'one', '-1', '0x2', '2.0'])('does not exist for the id %s', async (id, { serve }) => {
    const { send } = await serve()
    await send(find)

    expect(failure(await send({ ...path(id), ...ownPage }))).toBe('404 API_NOT_FOUND')
  })

  it('is not kept in a snapshot, with a token or without', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find)
    await send({ ...find, headers: {} })
    await mock.restore(mock.snapshot({ with: ['journal'] }))
    const entries = mock.journal.find()

    const answers = await Promise.all(entries.map(({ id }) => send({ ...path(id), ...ownPage })))

    expect(answers.map(failure)).toEqual(Array(2).fill('404 API_NOT_FOUND'))
  })
})
