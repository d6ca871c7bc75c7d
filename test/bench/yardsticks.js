// @ts-check
// Small servers to compare with: `node yardsticks.js http|express|post|watch|page <port> [file with the JSON to answer]`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , kind = '', port, file] = process.argv
const value = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
/** The watches that wait. @type {(() => void)[]} */
let waiting = []

/** @type {Readonly<Record<string, import('node:http').RequestListener>>} */
const listeners = {
  http: (_request, response) => answer(response, value),
  post(request, response) {
    if (request.method !== 'POST') return answer(response, {})
    /** @type {Buffer[]} */
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      answer(response, value)
    })
  },
  async watch(request, response) {
    if (request.method === 'POST') {
      for (const release of waiting) release()
      waiting = []
    }
    if (request.url?.includes('watch_index')) await new Promise(resolve => waiting.push(() => resolve(undefined)))
    answer(response, { cloud_token: 'cloud.mock.0123456789abcdefghijklmn', watch: { index: String(Date.now()) } })
  },
  // A page without content has no first paint.
  page(_request, response) {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><html lang="en"><title>page</title><link rel="icon" href="data:,"><p>page</p></html>')
  },
}

if (kind === 'express') {
  const { default: express } = await import('express')
  const app = express()
  app.get('/matchmaker/lobbies/list', (_request, response) => void response.json(value))
  app.listen(Number(port), '127.0.0.1')
} else createServer(listeners[kind]).listen(Number(port), '127.0.0.1')

/**
 * @param {import('node:http').ServerResponse} response
 * @param {object} value
 */
function answer(response, value) {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
