// @ts-check
// Loaded into a server with `--import`, together with `--expose-gc`: tells the bench what only the process itself knows.
import { subscribe } from 'node:diagnostics_channel'

/**
 * What a server process says of itself. Memory in bytes, after a garbage collection.
 *
 * @typedef {{ readonly requests: number, readonly heap: number, readonly resident: number }} Reading
 */

let requests = 0
subscribe('http.server.request.start', () => {
  requests += 1
})

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ requests, heap: heapUsed + external, resident: rss })
})
// Listening must not keep a server alive that has ended.
process.channel?.unref()
