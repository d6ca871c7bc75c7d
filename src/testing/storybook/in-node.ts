// Node gets this file for `#stories`: it composes stories in jsdom, without a worker.
import { setupServer } from 'msw/node'
import type { StartStories } from './worker.js'

export const startStories: StartStories = async options => {
  const server = setupServer()
  server.listen(options)
  return server
}
