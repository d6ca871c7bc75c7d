import { startPage, UsageError } from '../core/lib/messages.js'

// Metro, and Jest with the preset of React Native, get this file for the entry points that need Node or a page.

function refuse(): never {
  throw new UsageError(
    `this entry point does not work in React Native: call createMockmaker of mockmaker, and give its handlers to setupServer of msw/native. ${startPage}`,
  )
}

/** All exports of `mockmaker/node`, `mockmaker/browser` and `mockmaker/express`. All throw `UsageError`. */
export { refuse as createApp, refuse as listen, refuse as mockExpress, refuse as setupMockmaker }
