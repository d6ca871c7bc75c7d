import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** The CORS headers of an answer, with these origins allowed beyond the usual ones. */
async function corsOf(origin: string, corsOrigins: readonly string[]) {
  const mock = createMockmaker({ corsOrigins })
  const { headers } = await mock.answer({ ...list, headers: { origin } })
  return Object.entries(headers).filter(([name]) => name.startsWith('access-control'))
}

describe('corsOrigins', () => {
  it.each(['https://play.example', 'https://play.example/', 'https://Play.Example'])(
    'allows the pages of an origin that is written as %s',
    async written => {
      expect(await corsOf('https://play.example', [written])).toContainEqual([
        'access-control-allow-origin',
        'https://play.example',
      ])
    },
  )

  it.each([
    ['another scheme', 'http://play.example'],
    ['another port', 'https://play.example:8443'],
    ['a name below it', 'https://a.play.example'],
    ['no origin', 'null'],
  ])('does not allow pages of %s', async (_, origin) => {
    expect(await corsOf(origin, ['https://play.example', 'null'])).toEqual([])
  })
})

describe('a preflight', () => {
  it('names the methods, and the headers that were asked for', async () => {
    const mock = createMockmaker()
    const asked = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,x-coords',
    }

    const { status, headers, body } = await mock.answer({ ...list, method: 'OPTIONS', headers: asked })

    expect([status, body.length]).toEqual([204, 0])
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization,x-coords',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
  })
})
