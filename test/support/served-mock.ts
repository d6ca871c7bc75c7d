import { it as base, expect, onTestFinished } from 'vitest'
import { type Client, createClient } from '../../src/client/index.js'
import type { Mockmaker, MockmakerOptions } from '../../src/index.js'
import { setupMockmaker } from '../../src/msw/node.js'
import { type ListenOptions, listen } from '../../src/server/http/index.js'
import { noteAnswers } from './evidence.js'
import { sendTo, type TestRequest, type TestResponse } from './http.js'
import { tanks } from './tanks.js'

/** A mock of tanks on a socket, and a client of its control API. */
export interface ServedMock {
  readonly mock: Mockmaker
  readonly client: Client
  readonly url: string
  /** Calls the control API. The body is sent as JSON. */
  steer(method: string, path: string, body?: unknown): Promise<TestResponse>
  send(sent: TestRequest): Promise<TestResponse>
  close(): Promise<void>
}

type Serve = (options?: ServeOptions) => Promise<ServedMock>

/** Serves mocks, and closes them after the test. `atEnd` looks at each of them before. */
function serving(atEnd: (mock: Mockmaker) => void) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  return async ({}, use: (serve: Serve) => Promise<void>) => {
    const ends: (() => Promise<unknown>)[] = []
    const mocks: Mockmaker[] = []
    await use(async ({ control, ...options } = {}) => {
      const mock = setupMockmaker({ scenario: tanks, ...options })
      const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1', control })
      mocks.push(mock)
      ends.push(close)
      return {
        mock,
        url,
        close,
        client: createClient(url),
        send: sent => sendTo(url, sent),
        steer: (method, path, body) => {
          const [pathname = '', query] = path.split('?')
          const sent = { method, path: pathname, ...(query === undefined ? {} : { query }) }
          if (body === undefined) return sendTo(url, { ...sent, headers: jsonHeaders })
          return sendTo(url, { ...sent, headers: jsonHeaders, body: JSON.stringify(body) })
        },
      }
    })
    for (const mock of mocks) atEnd(mock)
    await Promise.all(ends.map(end => end()))
  }
}

/** Serves mocks, and closes them after the test. */
export const it = base.extend<{ serve: Serve }>({ serve: serving(() => {}) })

/** The same, for clients of others, whose answers count as evidence. A test fails if one gets a warning. */
export const itWithoutWarnings = base.extend<{ serve: Serve }>({
  serve: serving(mock => {
    noteAnswers(mock)
    expect(mock.warnings.list()).toEqual([])
  }),
})

/** Serves a mock until the end of the test, and returns its URL. */
export async function serveMock(mock: Mockmaker, options: ListenOptions = {}): Promise<string> {
  const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1', ...options })
  onTestFinished(close)
  return url
}

/** The header that the control API requires for a write. */
export const jsonHeaders = { 'content-type': 'application/json' } as const

type ServeOptions = MockmakerOptions & { readonly control?: boolean }
