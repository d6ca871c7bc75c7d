import * as msw from 'msw'
import { setupWorker } from 'msw/browser'
import { fetch } from '../../core/lib/real-globals.js'
import { startWorker } from '../../msw/controlled-page.js'
import { toMswOptions } from '../../msw/unhandled-requests.js'
import { createFixtures } from './fixture.js'
import type { Interception } from './hooks.js'
import { LoneTest } from './lone-test.js'
import { createRunner } from './runner.js'

const why =
  'a page cannot tell whose request is whose. Write test(…) instead of test.concurrent(…), or run these tests in Node'

function interceptPage(): Interception {
  const worker = setupWorker()
  const lone = new LoneTest()
  return {
    http: msw.http,
    fetch: (input, init) => fetch(msw.bypass(input, init)),
    current: () => lone.running,
    async start(handlers, decide) {
      worker.resetHandlers(...handlers)
      await startWorker(worker, { quiet: true, ...toMswOptions({ onUnhandledRequest: decide }) })
    },
    stop: () => worker.stop(),
    run: (test, handlers, body) => lone.run(test, why, () => worker.resetHandlers(...handlers), body),
    use: (_, handlers) => worker.use(...handlers),
  }
}

/** Creates a `test` of vitest with a mock for each test. */
export const mockmaker = createFixtures(interceptPage(), createRunner())
