// @ts-check
// Loaded into a server with `--import`: tells how many requests have come.
import { subscribe } from 'node:diagnostics_channel'

let requests = 0
subscribe('http.server.request.start', () => {
  requests += 1
})
process.on('message', () => process.send?.(requests))
// Listening must not keep a server alive that has ended.
process.channel?.unref()
