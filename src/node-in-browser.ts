import { UsageError } from './lib/usage-error.js'

// What `mockmaker/node` is for a bundler of pages. It can be imported, because code that is built for both sides does so.

/** Throws a `UsageError`: there is no Node here. */
export function setupMockmaker(): never {
  throw new UsageError(
    'mockmaker/node needs Node, and was loaded for a browser: call setupMockmaker of mockmaker/browser in a page. In Jest with jsdom, set testEnvironmentOptions.customExportConditions to [""]',
  )
}
