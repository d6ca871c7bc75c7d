import { createClient } from '../client/client.js'
import type { Fault } from '../core/contract/faults.js'
import type { NewWorldOptions } from '../core/control/world-control.js'
import { AbortController, AbortSignal, real } from '../core/lib/real-globals.js'
import { testHasEnded } from '../core/mock/running-world.js'
import type { MockRequest, MockResponse } from '../core/pipeline/message.js'
import { withoutWorld } from '../core/pipeline/routes.js'
import { decisionOf, type ListenOptions } from '../msw/unhandled-requests.js'
import type { RunningTest } from './running-tests.js'
import { createTestClient } from './tested-mock.js'

/** Options of the world of a test on a running mock. */
export interface TestWorldOptions extends Pick<NewWorldOptions, 'scenario' | 'seed' | 'fork'>, ListenOptions {
  /** The URL of the running mock: `http://127.0.0.1:4100`. */
  readonly server: string
  /** The control token of the running mock. Default: in Node the variable `MOCKMAKER_CONTROL_TOKEN`, elsewhere none. */
  readonly controlToken?: string | undefined
  /** Faults to add before the test. Default: only those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
  /** The requests of the test that go to the mock: see `MockmakerOptions`. Default: `*`. */
  readonly baseUrl?: string | undefined
  /** Fails the test if a fault that its options or its code added never applied. Default: false. */
  readonly strict?: boolean | undefined
}

/** A `fetch` that MSW does not intercept. */
export type Fetch = typeof globalThis.fetch

export class TestCalls {
  readonly #open = new Set<Promise<unknown>>()
  hasEnded = false

  /** Returns a `fetch` that refuses all calls after the end. */
  guard(fetch: Fetch): Fetch {
    return (...args) => {
      if (this.hasEnded)
        return Promise.resolve(Response.json({ code: 'MISUSED', message: testHasEnded }, { status: 410 }))
      const call = fetch(...args).finally(() => this.#open.delete(call))
      this.#open.add(call)
      return call
    }
  }

  /** Refuses all later calls. Resolves when the earlier ones have ended. */
  async end(): Promise<void> {
    this.hasEnded = true
    await Promise.allSettled(this.#open)
  }
}

/** Creates a world for a test on a running mock. Rejects with `ClientError` if the mock does not answer, or refuses an option. */
export async function createWorldOn(
  { server, controlToken }: Pick<TestWorldOptions, 'server' | 'controlToken'>,
  options: NewWorldOptions,
  fetch: Fetch,
) {
  const calls = new TestCalls()
  const { worlds } = createClient(server, { fetch, controlToken })
  const { id } = await worlds.put(real.randomUUID(), options)
  const client = await createTestClient(server, { world: id, controlToken, fetch: calls.guard(fetch) })
  return {
    client,
    /** Deletes the world, which answers the requests that wait in it. `settled` resolves when none is on its way to it. */
    async end(settled?: () => void | Promise<void>): Promise<void> {
      await Promise.all([worlds.delete(id), calls.end()])
      await settled?.()
      // A request that was on its way has created the world again.
      while (await worlds.delete(id));
    },
  }
}

/** Creates a world on a running mock for a test. Rejects with `ClientError` if it does not answer, or refuses an option. */
export async function createTestWorld(
  name: string,
  {
    server,
    controlToken,
    faults = [],
    onUnhandledRequest = 'warn',
    baseUrl: _,
    strict: __,
    ...world
  }: TestWorldOptions,
  fetch: Fetch,
): Promise<RunningTest> {
  const decide = decisionOf(onUnhandledRequest)
  const running = new AbortController()
  const { client: mock, end } = await createWorldOn({ server, controlToken }, world, fetch)
  try {
    for (const fault of faults) await mock.faults.add(fault)
  } catch (error) {
    await end()
    throw error
  }
  return {
    name,
    mock,
    answer: request => forward(withoutWorld(request), { url: mock.url, fetch, ended: running.signal }),
    onUnhandledRequest: decide,
    end: () => end(() => running.abort()),
  }
}

/** Sends requests outside of tests to the running mock. */
export function outsideOnServer(name: string, url: string, fetch: Fetch): RunningTest {
  const running = new AbortController()
  return {
    name,
    mock: {},
    answer: request => forward(request, { url, fetch, ended: running.signal }),
    onUnhandledRequest: () => {},
    async end() {
      running.abort()
    },
  }
}

/** Headers of one connection. The next connection has its own (RFC 9110 § 7.6.1). */
export const connectionHeaders = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding', 'upgrade']

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
