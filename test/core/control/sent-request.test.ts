import { describe, expect } from 'vitest'
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

  it('has no body if there was none, or if it is not UTF-8', async ({ serve }) => {
    const { mock, send } = await serve()
    const requests = [
      { method: 'GET', path: '/matchmaker/regions' },
      { ...find, body: new Uint8Array([0xff, 0xfe]) },
    ]

    for (const request of requests) {
      await send(request)
      const sent = await send({ ...newest(mock), ...ownPage })
      expect(sent.status).toBe(200)
      expect(json(sent)).not.toHaveProperty('body')
    }
  })

  it.for(['99', 'one', '-1', '0x2', '2.0'])('does not exist for the id %s', async (id, { serve }) => {
    const { send } = await serve()
    await send(find)

    expect(failure(await send({ ...path(id), ...ownPage }))).toBe('404 API_NOT_FOUND')
  })

  it('is not kept in a snapshot', async ({ serve }) => {
    const { mock, send } = await serve()
    await send(find)
    await mock.restore(mock.snapshot({ with: ['journal'] }))
    const [entry] = mock.journal.find()

    expect(failure(await send({ ...path(entry?.id ?? 0), ...ownPage }))).toBe('404 API_NOT_FOUND')
  })
})
