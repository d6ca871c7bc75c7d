import { bypass, http } from 'msw'
import { setupWorker } from 'msw/browser'
import { fetch } from '../../core/lib/real-globals.js'
import { UsageError } from '../../core/lib/usage-error.js'
import { startWorker } from '../../msw/controlled-page.js'
import { toMswOptions } from '../../msw/unhandled-requests.js'
import type { RunningTest } from '../running-tests.js'
import { createFixtures } from './fixture.js'
import type { Interception } from './hooks.js'

/** Intercepts the requests of this page by MSW's worker. A page cannot tell which of several tests has sent a request. */
function interceptPage(): Interception {
  const worker = setupWorker()
  let running: RunningTest | undefined
  return {
    http,
    fetch: (input, init) => fetch(bypass(input, init)),
    current: () => running,
    async start(handlers, decide) {
      worker.resetHandlers(...handlers)
      await startWorker(worker, { quiet: true, ...toMswOptions({ onUnhandledRequest: decide }) })
    },
    stop: () => worker.stop(),
    async run(test, handlers, body) {
      if (running) throw severalTests(running, test)
      running = test
      try {
        worker.resetHandlers(...handlers)
        await body()
      } finally {
        running = undefined
        worker.resetHandlers(...handlers)
      }
    },
    use: (_, handlers) => worker.use(...handlers),
  }
}

function severalTests(first: RunningTest, second: RunningTest): UsageError {
  return new UsageError(
    `"${second.name}" began while "${first.name}" runs: a page cannot tell whose request is whose. Write test(…) instead of test.concurrent(…), or run these tests in Node`,
  )
}

/** Creates a `test` of vitest with a mock for each test. */
export const mockmaker = createFixtures(interceptPage())
