import { describe, expect, vi } from 'vitest'
import { it, origin } from './setup.js'

describe('what no operation matches', () => {
  it.for([
    ['GET', '/matchmaker/lobbies', 404, 'API_NOT_FOUND'],
    ['DELETE', '/matchmaker/lobbies/list', 400, 'API_METHOD_NOT_ALLOWED'],
    ['POST', '/', 404, 'API_NOT_FOUND'],
    ['OPTIONS', '/matchmaker/lobbies/list', 204, undefined],
  ] as const)(
    '%s %s is answered by the mock, where the base URL says that the origin is its own',
    async ([method, path, status, code], { setup }) => {
      setup({ baseUrl: origin, onUnhandledRequest: 'error' })

      const response = await fetch(`${origin}${path}`, { method })

      const text = await response.text()
      expect([response.status, text && JSON.parse(text).code]).toEqual([status, code ?? ''])
    },
  )

  it('is passed on, where the base URL is *', async ({ setup }) => {
    const mock = setup()
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:2/matchmaker/lobbies').catch(() => {})

    expect(unhandled).toEqual(['http://127.0.0.1:2/matchmaker/lobbies'])
  })

  it('is an error where onUnhandledRequest says so', async ({ setup }) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    setup({ onUnhandledRequest: 'error' })

    await expect(fetch('http://127.0.0.1:2/elsewhere')).rejects.toThrow()
    expect(told.mock.calls.flat().join()).toContain('/elsewhere')
    told.mockRestore()
  })

  it('of another origin is left alone, where the base URL is explicit', async ({ setup }) => {
    const mock = setup({ baseUrl: origin })
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:2/matchmaker/lobbies/list').catch(() => {})

    expect(unhandled).toHaveLength(1)
  })
})
