// @ts-check
// Loaded into a server with `--import`, together with `--expose-gc`: tells the bench what only the process itself knows.
import { subscribe } from 'node:diagnostics_channel'

/**
 * What a server process says of itself when it is asked `requests` or `memory`: how many requests have come, and bytes
 * after a garbage collection.
 *
 * @typedef {{ readonly heap: number, readonly resident: number }} Memory
 */

let requests = 0
subscribe('http.server.request.start', () => {
  requests += 1
})

process.on('message', question => {
  if (question === 'requests') process.send?.(requests)
  if (question === 'memory') process.send?.(memory())
})
// Listening must not keep a server alive that has ended.
process.channel?.unref()

/** @returns {Memory} */
function memory() {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, resident: rss }
}
