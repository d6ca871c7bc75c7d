import { startPage, UsageError } from '../core/lib/messages.js'

// Bundlers of pages get this file for `mockmaker/node` and `mockmaker/express`, because code for both sides imports them.

function refuse(entry: string): never {
  throw new UsageError(
    `${entry} needs Node, and was loaded for a browser: call setupMockmaker of mockmaker/browser in a page. In Jest with jsdom, set preset: 'mockmaker'. ${startPage}`,
  )
}

const refuseExpress = () => refuse('mockmaker/express')

/** The export of `mockmaker/node`. Throws `UsageError`. */
export const setupMockmaker = () => refuse('mockmaker/node')

/** The exports of `mockmaker/express`. All throw `UsageError`. */
export { refuseExpress as createApp, refuseExpress as listen, refuseExpress as mockExpress }
