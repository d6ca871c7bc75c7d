import { startPage, UsageError } from '../core/lib/messages.js'

// Node gets this file for `mockmaker/browser`, because code for both sides imports it.

/** Throws `UsageError`. */
export function setupMockmaker(): never {
  throw new UsageError(
    `mockmaker/browser mocks a page, and this runs on a server or in a test without a browser: call setupMockmaker of mockmaker/node here. ${startPage}`,
  )
}
