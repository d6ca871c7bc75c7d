import { getResponse } from 'msw'
import { describe, expect, vi } from 'vitest'
import { createMockmaker, UsageError } from '../../src/index.js'
import { it, listUrl, origin } from './node-mock.js'

describe('a request that no operation matches', () => {
  it.for([
    ['GET', '/matchmaker/lobbies', 404, 'API_NOT_FOUND'],
    ['DELETE', '/matchmaker/lobbies/list', 400, 'API_METHOD_NOT_ALLOWED'],
    ['POST', '/', 404, 'API_NOT_FOUND'],
    ['OPTIONS', '/matchmaker/lobbies/list', 204, undefined],
  ] as const)(
    '%s %s is answered by the mock if the base URL names an origin',
    async ([method, path, status, code], { setup }) => {
      setup({ baseUrl: origin, onUnhandledRequest: 'error' })

      const response = await fetch(`${origin}${path}`, { method })

      const text = await response.text()
      expect([response.status, text && JSON.parse(text).code]).toEqual([status, code ?? ''])
    },
  )

  it('is passed on if the base URL is *', async ({ setup }) => {
    const mock = setup()
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:2/matchmaker/lobbies').catch(() => {})

    expect(unhandled).toEqual(['http://127.0.0.1:2/matchmaker/lobbies'])
  })

  it("is an error with onUnhandledRequest: 'error'", async ({ setup }) => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    setup({ onUnhandledRequest: 'error' })

    const error = await fetch('http://127.0.0.1:2/elsewhere').catch(error => error)

    expect([error.name, error.cause?.code]).toEqual(['TypeError', undefined])
    expect(consoleSpy.mock.calls.flat().join()).toContain('/elsewhere')
    consoleSpy.mockRestore()
  })

  it.for([
    ['warn', 'GET', '/lobbies/list', 'did you mean GET /matchmaker/lobbies/list?'],
    ['error', 'GET', '/lobbies/list', 'did you mean GET /matchmaker/lobbies/list?'],
    ['error', 'GET', '/w/default/matchmaker/lobbies/lst', 'did you mean GET /w/default/matchmaker/lobbies/list?'],
    ['error', 'POST', '/matchmaker/lobbies/list', 'POST is not allowed on /matchmaker/lobbies/list: use GET'],
  ] as const)(
    'gets the hint %s if it resembles an operation: %s %s',
    async ([strategy, method, path, said], { setup }) => {
      const consoleSpy = vi.spyOn(console, strategy).mockImplementation(() => {})
      setup({ onUnhandledRequest: strategy })

      await fetch(`http://127.0.0.1:2${path}`, { method }).catch(() => {})

      const printed = consoleSpy.mock.calls.flat().join('\n')
      consoleSpy.mockRestore()
      expect(printed).toContain(`mockmaker: ${method} http://127.0.0.1:2${path}: `)
      expect(printed).toContain(said)
      expect(printed).toContain('without a matching request handler')
    },
  )

  it('is passed to the function onUnhandledRequest', async ({ setup }) => {
    const consoleSpy = vi.spyOn(console, 'error').mockImplementation(() => {})
    const asked: string[] = []
    setup({
      onUnhandledRequest(request, print) {
        asked.push(`${request.method} ${request.url}`)
        if (request.url.endsWith('/failing')) print.error()
      },
    })

    const results = await Promise.allSettled([
      fetch('http://127.0.0.1:2/failing'),
      fetch('http://127.0.0.1:2/passing', { method: 'POST' }),
    ])

    const printed = consoleSpy.mock.calls.flat().join('\n')
    consoleSpy.mockRestore()
    expect(asked).toEqual(['GET http://127.0.0.1:2/failing', 'POST http://127.0.0.1:2/passing'])
    const causes = results.map(result => result.status === 'rejected' && result.reason.cause?.code)
    expect(causes).toEqual([undefined, 'ECONNREFUSED'])
    expect([printed.includes('/failing'), printed.includes('/passing')]).toEqual([true, false])
  })

  it.for(['eror', 5, null, {}] as const)(
    'throws UsageError for an unknown onUnhandledRequest: %j',
    (onUnhandledRequest, { setup }) => {
      const listen = () => setup({ onUnhandledRequest: onUnhandledRequest as never }) // no type lets it pass

      expect(listen).toThrow(UsageError)
      expect(listen).toThrow('onUnhandledRequest is')
    },
  )

  it('can be an OPTIONS request that is not a preflight, if the base URL is *', async () => {
    const { handlers } = createMockmaker()

    expect(await getResponse(handlers, new Request(listUrl, { method: 'OPTIONS' }))).toBeUndefined()
  })

  it('is left alone if its origin is not the base URL', async ({ setup }) => {
    const mock = setup({ baseUrl: origin })
    const unhandled: string[] = []
    mock.events.on('request:unhandled', ({ request }) => void unhandled.push(request.url))

    await fetch('http://127.0.0.1:2/matchmaker/lobbies/list').catch(() => {})

    expect(unhandled).toHaveLength(1)
  })
})

describe('a preflight', () => {
  const preflight = (headers: Record<string, string>, method = 'GET') =>
    new Request(listUrl, { method: 'OPTIONS', headers: { 'access-control-request-method': method, ...headers } })
  const page = 'http://localhost:3000'

  it.for([
    ['its Origin', { origin: page }, undefined],
    ['its Referer', { referer: `${page}/game` }, undefined],
    ['the page of this process, without either header', {}, `${page}/`],
  ] as const)('is answered for %s', async ([, headers, location]) => {
    if (location !== undefined) vi.stubGlobal('location', new URL(location))
    const { handlers } = createMockmaker()

    const response = await getResponse(handlers, preflight(headers))

    vi.unstubAllGlobals()
    expect([response?.status, response?.headers.get('access-control-allow-origin')]).toEqual([204, page])
  })

  it.for([
    ['POST', 'https://matchmaker.example/matchmaker/lobbies/find', 204],
    ['GET', 'https://matchmaker.example/matchmaker/lobbies/list', 204],
    ['GET', `${page}/matchmaker/lobbies/list`, undefined],
    ['GET', 'https://matchmaker.example/matchmaker/lobbies', undefined],
  ] as const)(
    'from happy-dom under MSW 3, which loses its headers, is answered for a page of another origin: %s %s',
    async ([method, url, status]) => {
      vi.stubGlobal('location', new URL(page))
      const { handlers } = createMockmaker()

      const response = await getResponse(handlers, new Request(url, { method: 'OPTIONS' }))

      vi.unstubAllGlobals()
      const headers = ['origin', 'methods'].map(name => response?.headers.get(`access-control-allow-${name}`) ?? '')
      expect([response?.status, headers[0], headers[1]?.includes(method)]).toEqual(
        status === undefined ? [undefined, '', false] : [status, page, true],
      )
    },
  )

  it('from happy-dom at about:blank is answered for the origin null', async () => {
    vi.stubGlobal('location', new URL('about:blank'))
    const { handlers } = createMockmaker()

    const response = await getResponse(handlers, new Request(listUrl, { method: 'OPTIONS' }))

    vi.unstubAllGlobals()
    expect([response?.status, response?.headers.get('access-control-allow-origin')]).toEqual([204, 'null'])
  })

  it('is answered without CORS headers if the origin of the page is unknown', async () => {
    const response = await getResponse(createMockmaker().handlers, preflight({}))

    expect([response?.status, response?.headers.get('access-control-allow-origin')]).toEqual([204, null])
  })

  it('is passed on if no operation has its method', async () => {
    expect(await getResponse(createMockmaker().handlers, preflight({ origin: page }, 'DELETE'))).toBeUndefined()
  })
})
