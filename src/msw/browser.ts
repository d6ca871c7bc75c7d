import * as msw from 'msw'
import { type SetupWorker, setupWorker } from 'msw/browser'
import type { Mockmaker } from '../core/mock/facade.js'
import { createMock } from '../core/mock/mock.js'
import type { MockmakerOptions } from '../core/mock/options.js'
import { startWorker } from './controlled-page.js'
import { claimListening, combineWithMsw, type MswMethods, releaseListening } from './life-cycle.js'
import { toMockmaker } from './mockmaker.js'
import { checkMswOptions, type ListenOptions, toMswOptions } from './unhandled-requests.js'

/** A Mockmaker with MSW's service worker and its methods. `close` and `reset` also stop and reset the worker. */
export interface BrowserMockmaker extends Mockmaker, MswMethods<SetupWorker> {
  readonly worker: SetupWorker
  /**
   * Registers the worker. Once it resolves, the page's `fetch` is answered. Rejects if the worker's script is not at
   * `/mockServiceWorker.js`, or at `serviceWorker.url`. `npx msw init public --save` writes it, anew for each version of MSW.
   */
  listen(options?: ListenOptions & Pick<StartOptions, 'serviceWorker' | 'quiet'>): Promise<void>
}

/** The options of MSW's `worker.start`. */
export type StartOptions = NonNullable<Parameters<SetupWorker['start']>[0]>

/**
 * Creates a Mockmaker that answers this page, under MSW, from `listen` on. Await `listen` before the page's first `fetch`.
 * Throws `UsageError` if the scenario or an option is wrong.
 */
export function setupMockmaker(options: MockmakerOptions = {}): BrowserMockmaker {
  const mock = createMock(options)
  return toMockmaker(mock, options, {
    http: msw.http,
    more({ list }) {
      const worker = setupWorker(...list())
      return {
        worker,
        ...combineWithMsw(mock, worker, () => worker.stop()),
        async listen(options: Parameters<BrowserMockmaker['listen']>[0]) {
          checkMswOptions(options, ['serviceWorker', 'quiet'])
          const { onUnhandledRequest, ...start } = options ?? {}
          const mswOptions = toMswOptions({ onUnhandledRequest })
          claimListening(mock.default)
          try {
            await startWorker(worker, { ...start, ...mswOptions })
          } catch (error) {
            releaseListening(mock.default)
            throw error
          }
        },
      }
    },
  })
}

export type { Mockmaker } from '../core/mock/facade.js'
export type { MockmakerOptions } from '../core/mock/options.js'
export type { MswMethods } from './life-cycle.js'
export type { ListenOptions } from './unhandled-requests.js'
