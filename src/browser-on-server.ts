import { UsageError } from './lib/usage-error.js'

// What `mockmaker/browser` is where no page is. It can be imported, because code that is built for both sides does so.

/** Throws a `UsageError`: there is no page here. */
export function setupMockmaker(): never {
  throw new UsageError(
    'mockmaker/browser mocks a page, and this runs on a server or in a test without a browser: call setupMockmaker of mockmaker/node here',
  )
}
