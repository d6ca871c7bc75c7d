import fc from 'fast-check'
import { type HttpHandler, HttpResponse, http } from 'msw'
import { describe, expect, inject, it } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { createMockmaker } from '../../../src/index.js'
import { tanks } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const baseUrls = ['*', '*/api', '/api', 'https://mock.test', 'HTTPS://Mock.test/V1/', 'http://[::1]:4100/api']

/** Spellings of a text that a matcher may or may not treat as equal. */
const spelt = (text: string) =>
  fc.oneof(
    fc.constant(text),
    fc.constantFrom(text.toUpperCase(), `${text}/`),
    fc.constantFrom(`${text}//`, `/${text}`, `${text}x`, text.slice(0, -1)),
    // One character is percent-encoded.
    fc.nat(Math.max(text.length - 1, 0)).map(i => text.slice(0, i) + encoded(text.slice(i, i + 1)) + text.slice(i + 1)),
  )
const encoded = (text: string) => [...text].map(each => `%${each.charCodeAt(0).toString(16)}`).join('')

const segment = fc.constantFrom('g', 'a%20b', 'a%2Fb', '%', '%zz', '', 'a:b', 'é', ':game_id', '*', '.', '..')
const operationPath = fc
  .record({ id: fc.constantFrom(...operationIds), segments: fc.tuple(segment, segment) })
  .map(({ id, segments: [first, second] }) =>
    operations[id].path.replace('{game_id}', first).replace(/\{\w+\}/, second),
  )
const prefix = fc.constantFrom('', '/api', '/v1', '/V1', '/a/b', '/%', '/%76')
const origin = fc.constantFrom('https://mock.test', 'https://MOCK.test:443', 'http://a.test', 'http://b.test:81')
const rest = fc.constantFrom('', '?', '?a=%', '#h', '?x=/matchmaker/lobbies/list', '#/matchmaker/lobbies/list')

const request = fc.record({
  method: fc.oneof(fc.constantFrom('GET', 'POST'), fc.constantFrom('get', 'HEAD', 'post', 'PUT', 'PATCH', 'DELETE')),
  url: fc
    .tuple(origin, prefix, operationPath.chain(spelt), rest)
    .map(parts => parts.join(''))
    .filter(url => URL.canParse(url)),
})

/** Handlers of MSW with the same patterns. */
const plainHandlers = (ours: readonly HttpHandler[]) =>
  ours.map(({ info }) => {
    const handler = http.all(info.path as string, () => HttpResponse.json({}))
    handler.info.method = info.method
    return handler
  })

/** Tells whether a handler answers. MSW 2 throws if it cannot decode a matching path, whatever the method. */
const answers = (handler: HttpHandler, { method, url }: { readonly method: string; readonly url: string }) => {
  const request = new Request(url, { method })
  const { method: wanted } = handler.info
  const isWanted = wanted instanceof RegExp ? wanted.test(request.method) : wanted === request.method
  return handler.run({ request, requestId: '1', resolutionContext: { baseUrl: 'https://mock.test' } }).then(
    result => result !== null,
    error => error instanceof URIError && isWanted,
  )
}

describe('a handler', () => {
  it.for(baseUrls)('answers the same requests as an MSW handler with its pattern and method: %s', async baseUrl => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks, baseUrl }))
    const plain = plainHandlers(mock.handlers)

    await fc.assert(
      fc.asyncProperty(request, async asked => {
        const [ours, theirs] = await Promise.all(
          [mock.handlers, plain].map(handlers => Promise.all(handlers.map(handler => answers(handler, asked)))),
        )
        expect(ours).toEqual(theirs)
      }),
      { numRuns: Math.ceil(inject('runs') / 3) },
    )
  })
})
