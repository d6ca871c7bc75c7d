// @ts-check
// Bare node:http that parks requests with a watch_index and releases all of them on a POST: `node watch-server.js <port>`.
import { createServer } from 'node:http'

/** @type {(() => void)[]} */
let parked = []
let index = Date.now()

createServer(async (request, response) => {
  if (request.method === 'POST') {
    index += 1
    const released = parked
    parked = []
    for (const release of released) release()
    return answer(response, {})
  }
  if (request.url?.includes('watch_index')) await new Promise(resolve => parked.push(() => resolve(undefined)))
  answer(response, { cloud_token: 'cloud.mock.0123456789abcdefghijklmn', watch: { index: String(index) } })
}).listen(Number(process.argv[2]), '127.0.0.1')

/**
 * @param {import('node:http').ServerResponse} response
 * @param {object} value
 */
function answer(response, value) {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
