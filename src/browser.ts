import { type SetupWorker, setupWorker } from 'msw/browser'
import { extended } from './extended.js'
import { createMock } from './mock.js'
import {
  type ListenOptions,
  type Mockmaker,
  type MockmakerOptions,
  type PassedOn,
  ridingOn,
  unhandled,
  withHandlers,
} from './mockmaker.js'

/** A Mockmaker with MSW's service worker, whose calls it passes on. `close` and `reset` are also the worker's. */
export interface BrowserMockmaker extends Mockmaker, PassedOn<SetupWorker> {
  readonly worker: SetupWorker
  /**
   * Registers the worker; once it resolves, the page's `fetch` is answered. Rejects where the worker's script is not at
   * `/mockServiceWorker.js`, or at `serviceWorker.url`: `npx msw init <public folder>` writes it, anew for each version of MSW.
   */
  listen(options?: ListenOptions & Pick<StartOptions, 'serviceWorker' | 'quiet'>): Promise<void>
}

/** What MSW's worker takes when it starts. */
export type StartOptions = NonNullable<Parameters<SetupWorker['start']>[0]>

/**
 * Makes a Mockmaker that answers this page, under MSW, once its `listen` has been called: before the page's own first
 * `fetch`. Throws `UsageError` where the scenario or an option is wrong.
 */
export function setupMockmaker(options: MockmakerOptions = {}): BrowserMockmaker {
  const mock = withHandlers(createMock(options), options)
  const worker = setupWorker(...mock.handlers)
  const { calls, listens } = ridingOn(mock, { msw: worker, stop: () => worker.stop() })
  const over = {
    worker,
    ...calls,
    async listen({ onUnhandledRequest, ...start }: Parameters<BrowserMockmaker['listen']>[0] = {}) {
      await worker.start({ ...start, ...unhandled({ onUnhandledRequest }) })
      listens()
    },
  }
  return extended(mock, over)
}

export type { ListenOptions, Mockmaker, MockmakerOptions, PassedOn } from './mockmaker.js'
