import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestHandler } from 'msw'
import { setupServer } from 'msw/node'
import { tooOld } from '../../core/lib/peers.js'
import { Headers } from '../../core/lib/real-globals.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { contextIsLost, promisesKeepContext } from '../../msw/async-context.js'
import { http, isThree } from '../../msw/light/http.js'
import { toMswOptions } from '../../msw/unhandled-requests.js'
import { installedVersion } from '../../server/files/installed-version.js'
import { isScenarioPath, loadScenarioSync } from '../../server/files/scenario-file.js'
import type { RunningTest } from '../running-tests.js'
import { createFixtures } from './fixture.js'
import type { Interception } from './hooks.js'
import { LoneTest } from './lone-test.js'
import { createRunner, isWhole, type SuitePart } from './runner.js'

const why = `${contextIsLost}. Write test(…) instead of test.concurrent(…), or run these tests without that library`

/** Intercepts the requests of this process. Each belongs to the test that has caused it, also if other tests run. */
function interceptProcess(): Interception {
  const server = setupServer()
  if (!server.boundary) throw tooOld('mockmaker/vitest', 'msw', { versionOf: installedVersion })
  const running = new AsyncLocalStorage<RunningTest>()
  /** Functions that run another one inside the boundary of a test. */
  const boundaries = new WeakMap<RunningTest, (run: () => void) => void>()
  /** Handlers that a test has added before its boundary. */
  const early = new WeakMap<RunningTest, readonly RequestHandler[]>()
  const lone = new LoneTest()
  let unpatched = globalThis.fetch
  let listen = () => {}
  return {
    http,
    scenarios,
    loadScenario: loadScenarioSync,
    isScenarioPath,
    async withFile(name, text, use) {
      const folder = await mkdtemp(join(tmpdir(), 'mockmaker-'))
      try {
        const path = join(folder, name)
        await writeFile(path, text)
        return await use(path)
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    fetch(input, init) {
      const headers = new Headers(init?.headers)
      // A busy process may send a request on a connection that the server has just closed, because it was idle.
      headers.set('connection', 'close')
      // MSW 3 intercepts connections, so it also sees the requests of the `fetch` from before. Its `bypass` sends this header.
      if (isThree) headers.append('accept', 'msw/passthrough')
      return unpatched(input, { ...init, headers })
    },
    current: () => lone.running ?? running.getStore(),
    start(handlers, decide) {
      unpatched = globalThis.fetch
      server.resetHandlers(...handlers)
      listen = () => server.listen(toMswOptions({ onUnhandledRequest: decide }))
      listen()
    },
    stop: () => server.close(),
    async run(test, handlers, body) {
      // All servers of MSW share the interception: a test that closes one of its own ends it for the tests after it.
      if (globalThis.fetch === unpatched) {
        server.close()
        listen()
      }
      const all = [...(early.get(test) ?? []), ...handlers]
      if (!(await promisesKeepContext())) return lone.run(test, why, () => server.resetHandlers(...all), body)
      return running.run(
        test,
        server.boundary(async () => {
          server.resetHandlers(...all)
          boundaries.set(test, AsyncLocalStorage.snapshot())
          await body()
        }),
      )
    },
    use(test, handlers) {
      const inBoundary = boundaries.get(test)
      if (lone.running === test) server.use(...handlers)
      else if (inBoundary) inBoundary(() => server.use(...handlers))
      else early.set(test, [...handlers, ...(early.get(test) ?? [])])
    },
  }
}

/** The part of vitest that older versions have there. A constant would be an error in tools that look for all modules. */
const partOfOlder = async (name: string): Promise<Partial<SuitePart>> =>
  isWhole ? {} : import(/* @vite-ignore */ name).catch(() => ({}))

/** Creates a `test` of vitest with a mock for each test. */
export const mockmaker = createFixtures(
  interceptProcess(),
  createRunner(await partOfOlder('vitest/suite'), installedVersion),
)

export type { MockmakerMatchers } from '../matchers.js'
export type { ServedExpectation } from '../served.js'
export type { TestWorldOptions } from '../test-world.js'
export type {
  ClientFixtures,
  CreateTest,
  MockFixtures,
  TestMockOptions,
  VitestMock,
  VitestOptions,
  VitestServerOptions,
} from './fixture.js'
