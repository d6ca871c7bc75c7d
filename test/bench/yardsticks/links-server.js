// @ts-check
// Bare node:http where each link has a promise, on which a request with a watch_index waits; the message `release` resolves
// all of them: `node links-server.js <port> <file with a scenario>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , port, file = ''] = process.argv
/** @type {{ device_links: { token: string }[] }} */
const { device_links: links } = JSON.parse(readFileSync(file, 'utf8'))

/** @type {Map<string | null, { readonly completed: Promise<unknown>, complete(value: unknown): void }>} */
const completions = new Map(links.map(({ token }) => [token, createCompletion()]))
const pending = { watch: { index: String(Date.now()) } }

createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  const link = completions.get(searchParams.get('device_link_token'))
  answer(response, searchParams.has('watch_index') ? await link?.completed : pending)
}).listen(Number(port), '127.0.0.1')

process.on('message', question => {
  if (question !== 'release') return
  const startedAt = performance.now()
  const index = String(Date.now())
  for (const { complete } of completions.values())
    complete({ cloud_token: 'cloud.mock.0123456789abcdefghijklmn', watch: { index } })
  process.send?.(performance.now() - startedAt)
})

function createCompletion() {
  let complete = (/** @type {unknown} */ _value) => {}
  const completed = new Promise(resolve => {
    complete = resolve
  })
  return { completed, complete }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {unknown} value
 */
function answer(response, value) {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
