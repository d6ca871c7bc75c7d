// @ts-check
// A mock of so many device links behind `listen` of mockmaker/express; on the message `release` one transaction completes all of
// them: `node links-server.js <port> <scenario file>`.
import { readFileSync } from 'node:fs'
import { createMockmaker } from '../../../dist/index.js'
import { listen } from '../../../dist/server/http/index.js'
import { watchTimeoutMs } from './link.js'

const [, , port, file = ''] = process.argv
const scenario = JSON.parse(readFileSync(file, 'utf8'))
const mock = createMockmaker({ scenario, watchTimeoutMs })
const [game] = mock.world.games.all()
const { url, close } = await listen(mock, { port: Number(port), host: '127.0.0.1' })
console.log(url)

process.on('message', question => {
  if (question !== 'release') return
  process.send?.(mock.world.transaction(completeAll))
})
process.once('SIGTERM', () => void close().then(() => process.exit()))

/** Returns for how many ms it has written. @param {import('../../../src/core/store/world-tables.js').TransactionTables} tx */
function completeAll({ deviceLinks }) {
  const startedAt = performance.now()
  const complete = { status: 'complete', game_id: game?.game_id, cloud_token: 'cloud.mock.0123456789abcdefghijklmn' }
  for (const { device_link_token } of deviceLinks.all()) {
    deviceLinks.update(q => q.where({ device_link_token }), {
      data: link => void Object.assign(link, complete),
    })
  }
  return performance.now() - startedAt
}
