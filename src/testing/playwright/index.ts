import type {
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test'
import * as playwright from '@playwright/test'
import { tooOld } from '../../core/lib/peers.js'
import { installedVersion } from '../../server/files/installed-version.js'
import { matchers } from '../matchers.js'
import { ScenarioCache } from '../scenario-cache.js'
import { onNewContext } from './browser-contexts.js'
import { FailureReport } from './page-failure.js'
import { openMock, type PageMock, type PageMockOptions } from './page-mock.js'
import { PageRequests } from './page-requests.js'
import { WorkerPages } from './worker-pages.js'

/** The fixtures that `test` adds to those of Playwright. */
export interface MockmakerFixtures {
  /** The mock of this test. Pages of all contexts reach it at the URL of the option `matchmaker`. */
  readonly mock: PageMock
}

type OptionFixtures = { [Key in keyof PageMockOptions]-?: PageMockOptions[Key] }

interface InternalFixtures {
  readonly mockmakerTest: { readonly mock: PageMock; readonly failure: FailureReport }
}

interface InternalWorkerFixtures {
  readonly mockmakerWorker: { readonly pages: WorkerPages; readonly known: ScenarioCache }
}

const extended = playwright.test.extend<OptionFixtures & MockmakerFixtures & InternalFixtures, InternalWorkerFixtures>({
  matchmaker: [undefined, { option: true }],
  scenario: [undefined, { option: true }],
  seed: [undefined, { option: true }],
  live: [undefined, { option: true }],
  watchTimeoutMs: [undefined, { option: true }],
  corsOrigins: [undefined, { option: true }],
  faults: [undefined, { option: true }],
  capsule: [undefined, { option: true }],
  strict: [undefined, { option: true }],
  server: [undefined, { option: true }],
  controlToken: [undefined, { option: true }],

  mockmakerWorker: [
    async ({ playwright }, use) => {
      const pages = new WorkerPages()
      // The process ends with this fixture.
      onNewContext(playwright, context => pages.add(context))
      await use({ pages, known: new ScenarioCache() })
    },
    { scope: 'worker', auto: true, box: true },
  ],

  mockmakerTest: [
    async (
      {
        mockmakerWorker: { pages, known },
        matchmaker,
        scenario,
        seed,
        live,
        watchTimeoutMs,
        corsOrigins,
        faults,
        capsule,
        strict,
        server,
        controlToken,
      },
      use,
      testInfo,
    ) => {
      const options = { matchmaker, scenario, seed, live, watchTimeoutMs, corsOrigins, faults, server, controlToken }
      known.begin(testInfo.file)
      const { mock, mounts, answer, close } = await openMock(options, known, ms => pages.advanceClocks(ms))
      const requests = new PageRequests(mounts, answer)
      const failure = new FailureReport(mock, testInfo, requests, capsule !== 'never')
      try {
        await pages.begin(requests)
        await use({ mock, failure })
        await failure.attachIfFailed()
        if (strict) await failure.checkFaults()
      } finally {
        await pages.end()
        await close(() => requests.settled())
      }
    },
    { auto: true, box: true },
  ],

  mock: ({ mockmakerTest }, use) => use(mockmakerTest.mock),

  context: async ({ context, mockmakerWorker, mockmakerTest }, use) => {
    // A context that Playwright reuses is not new.
    await mockmakerWorker.pages.add(context)
    await use(context)
    // The requests of its pages still wait.
    await mockmakerTest.failure.attachIfFailed()
  },
})

/**
 * Playwright's `test` with the fixture `mock`: a mock of its own for each test, which all pages reach. Set its options with
 * `test.use`. A test that fails has the requests and the world of its mock as attachments.
 */
export const test = extended as TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PageMockOptions & MockmakerFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>

const extendedExpect = playwright.expect.extend(matchers)
// Earlier versions return nothing.
if (!extendedExpect) throw tooOld('mockmaker/playwright', '@playwright/test', { versionOf: installedVersion })

/** Playwright's `expect` with our matchers. */
export const expect = extendedExpect

export type { MatcherResult } from '../matchers.js'
export type { PageMock, PageMockOptions } from './page-mock.js'
