// @ts-check
// A mock that changes lobbies at a steady rate for `GET /bench/changes?seconds=&rate=`: `node changes-server.js <port> <scenario file>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createMockmaker } from '../../../dist/index.js'
import { createApp } from '../../../dist/server/http/index.js'

const [, , port, file = ''] = process.argv
const mock = createMockmaker({ scenario: JSON.parse(readFileSync(file, 'utf8')) })
const app = createApp(mock)
const ids = mock.world.lobbies.all().map(({ lobby_id }) => lobby_id)

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (pathname !== '/bench/changes') return void app(request, response)
  const [seconds, rate] = [Number(searchParams.get('seconds')), Number(searchParams.get('rate'))]
  change(seconds * 1000, rate, made =>
    response.end(JSON.stringify({ perSecond: made / seconds, revision: made && mock.world.revision })),
  )
}).listen(Number(port), '127.0.0.1')

/**
 * @param {number} ms
 * @param {number} rate Change sets a second.
 * @param {(made: number) => void} done
 */
function change(ms, rate, done) {
  const startedAt = performance.now()
  let made = 0
  const timer = setInterval(() => {
    const now = performance.now() - startedAt
    for (const due = (Math.min(now, ms) * rate) / 1000; made < due && performance.now() - startedAt < ms; made++) {
      const lobby_id = ids[(made * 7919) % ids.length] ?? ''
      mock.world.transaction(({ lobbies }) => {
        lobbies.update(q => q.where({ lobby_id }), {
          data: lobby => void Object.assign(lobby, { state: { round: made } }),
        })
      })
    }
    if (now < ms) return
    clearInterval(timer)
    done(made)
  }, 10)
}
