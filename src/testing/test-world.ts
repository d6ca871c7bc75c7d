import { type Client, createClient } from '../client/client.js'
import type { Fault } from '../contract/faults.js'
import type { NewWorldOptions } from '../control/world-control.js'
import { testHasEnded } from '../mock/end-world.js'
import { UsageError } from '../lib/usage-error.js'
import { createMock } from '../mock/mock.js'
import type { MockRequest, MockResponse } from '../server/message.js'
import { withoutWorld } from '../server/routes.js'
import { decisionOf, type ListenOptions } from '../msw/unhandled-requests.js'
import type { TestMock } from './test-mock.js'

/** Options of the world of a test on a running mock. */
export interface TestWorldOptions extends Pick<NewWorldOptions, 'scenario' | 'seed' | 'fork'>, ListenOptions {
  /** The URL of the running mock: `http://127.0.0.1:4100`. */
  readonly server: string
  /** Faults to add before the test. Default: only those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
  /** The requests of the test that go to the mock: see `MockmakerOptions`. Default: `*`. */
  readonly baseUrl?: string | undefined
  /** Fails the test if a fault that its options or its code added never applied. Default: false. */
  readonly strict?: boolean | undefined
}

/** A `fetch` that MSW does not intercept. */
export type Fetch = typeof globalThis.fetch

/**
 * Creates a world on a running mock for a test, and sends the requests of the test there. Rejects with `ClientError` if the
 * mock does not answer, or refuses an option.
 */
export async function createTestWorld(
  name: string,
  { server, faults = [], onUnhandledRequest = 'warn', baseUrl: _, strict: __, ...world }: TestWorldOptions,
  fetch: Fetch,
): Promise<TestMock<Client>> {
  const decide = decisionOf(onUnhandledRequest)
  const running = new AbortController()
  const { worlds } = createClient(server, { fetch })
  const { id, url } = await worlds.put(crypto.randomUUID(), world)
  const mock = createClient(server, {
    world: id,
    fetch(...request) {
      if (running.signal.aborted) throw new UsageError(testHasEnded)
      return fetch(...request)
    },
  })
  try {
    for (const fault of faults) await mock.faults.add(fault)
  } catch (error) {
    await worlds.delete(id)
    throw error
  }
  return {
    name,
    mock,
    answer: request => forward(withoutWorld(request), { url, fetch, ended: running.signal }),
    refuse: (request, error) => createMock().refuse(request, error),
    onUnhandledRequest: decide,
    async end() {
      await worlds.delete(id)
      running.abort()
      // A request that was on its way creates the world again.
      while (await worlds.delete(id));
    },
  }
}

/** Sends requests outside of tests to the running mock. */
export function outsideOnServer(url: string, fetch: Fetch): TestMock<undefined> {
  const running = new AbortController()
  return {
    name: 'outside of tests',
    mock: undefined,
    answer: request => forward(request, { url, fetch, ended: running.signal }),
    refuse: (request, error) => createMock().refuse(request, error),
    onUnhandledRequest: () => {},
    async end() {
      running.abort()
    },
  }
}

/** Headers of one connection. The next connection has its own (RFC 9110 § 7.6.1). */
export const connectionHeaders = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding', 'upgrade']

/** Sends a request to the world at a URL. Never rejects. */
async function forward(
  request: MockRequest,
  { url, fetch, ended }: { readonly url: string; readonly fetch: Fetch; readonly ended: AbortSignal },
): Promise<MockResponse> {
  const { method, path, query, body } = request
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || connectionHeaders.includes(name) ? [] : [[name, [value].flat().join(', ')]],
  )
  const left = request.signal?.()
  // MSW passes on the signal of a Fetch request.
  const signal = left instanceof AbortSignal ? AbortSignal.any([left, ended]) : ended
  try {
    const response = await fetch(url + path + (query ? `?${query}` : ''), {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    })
    const answer = new Uint8Array(await response.arrayBuffer())
    const kept = [...response.headers].filter(([name]) => !connectionHeaders.includes(name))
    return { status: response.status, headers: Object.fromEntries(kept), body: answer }
  } catch {
    return { status: 0, headers: {}, body: new Uint8Array(), disconnect: 'reset' }
  }
}
