// Pages get this file for `#stories`.
import { setupWorker } from 'msw/browser'
import { startPage, UsageError } from '../../core/lib/messages.js'
import { startWorker } from '../../msw/controlled-page.js'
import type { StartStories } from './worker.js'

export const startStories: StartStories = async options => {
  const worker = setupWorker()
  try {
    await startWorker(worker, { quiet: true, serviceWorker: { url: scriptUrl() }, ...options })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `MSW's worker did not start: ${reason}. List "mockmaker/storybook" in the addons of .storybook/main: it serves the script. ${startPage}`,
    )
  }
  return worker
}

function scriptUrl(): string {
  const script = 'mockServiceWorker.js'
  return location.pathname.endsWith('/iframe.html') ? `./${script}` : `/${script}`
}
