import { UsageError } from './lib/usage-error.js'

// What `mockmaker/express` is for a bundler of pages. It can be imported, because code that is built for both sides does so.

function refuse(): never {
  throw new UsageError(
    'mockmaker/express needs Node, and was loaded for a browser: call setupMockmaker of mockmaker/browser in a page. In Jest with jsdom, set testEnvironmentOptions.customExportConditions to [""]',
  )
}

/** All of them throw a `UsageError`: there is no Node here. */
export { refuse as createApp, refuse as listen, refuse as mockExpress }
