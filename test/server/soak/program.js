// @ts-check
// Serves a mock, sends many requests, and prints the memory in use after a warm-up and at the end. Needs --expose-gc.
import { setImmediate } from 'node:timers/promises'
import { scenarios } from '../../../dist/core/scenario/index.js'
import { createMockmaker } from '../../../dist/index.js'
import { listen } from '../../../dist/server/http/index.js'
import { openConnection } from './connection.js'
import { bearer, gameId, mixed, request, seeded } from './mix.js'

const [warmUp = 0, all = 0] = process.argv.slice(2).map(Number)
const lineCount = 20
/** The number of pipelined requests on each connection. */
const askedAtOnce = 4
/** The number of bursts in a round. The lists change after each. */
const burstCount = 3
/** The number of links in a round. A third completes, a third reaches its deadline, a third loses its client. */
const linkCount = 12
const roundsToReset = 10
const watchTimeoutMs = 40_000
/** The number of turns of the event loop to wait for a condition. */
const patience = 100_000

const mock = createMockmaker({ scenario: { ...scenarios.default, clock: 'frozen' }, watchTimeoutMs })
const { world } = mock
const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
const port = Number(new URL(url).port)
const lines = await Promise.all(Array.from({ length: lineCount }, () => openConnection(port)))
const random = seeded(5)
let exchanges = 0

/**
 * Sends requests on a connection, and throws if an answer has another status than expected.
 *
 * @param {import('./connection.js').Connection} line
 * @param {readonly import('./mix.js').Asked[]} asked
 */
async function exchange(line, asked) {
  const answers = await line.send(asked.map(({ text }) => text))
  exchanges += asked.length
  const wrong = asked.findIndex(({ status }, i) => answers[i]?.status !== status)
  if (wrong !== -1) throw new Error(`${asked[wrong]?.text}\nis answered ${JSON.stringify(answers[wrong])}`)
  return answers.map(({ body }) => body)
}

/**
 * Waits until a condition holds.
 *
 * @param {string} what
 * @param {() => boolean} isThere
 */
async function waitUntil(what, isThere) {
  for (let i = 0; i < patience; i++) {
    if (isThere()) return
    await setImmediate()
  }
  throw new Error(`timed out: ${what}`)
}

/** @param {string} query */
const watching = query => ({ status: 200, text: request(`GET /cloud/devices/links?${query}`) })

/** @param {readonly string[]} bodies */
const parsed = bodies => bodies.map(body => JSON.parse(body))

/** Creates device links, watches them, and completes, abandons or leaves them. */
async function exchangeLinks() {
  const [first] = lines
  if (!first) return
  const prepared = parsed(
    await exchange(first, Array(linkCount).fill({ status: 200, text: request('POST /cloud/devices/links') })),
  )
  const queries = prepared.map(({ device_link_token: token }) => `device_link_token=${token}`)
  const seen = parsed(await exchange(first, queries.map(watching)))
  const watches = seen.map(({ watch }, i) => watching(`${queries[i]}&watch_index=${watch.index}`))
  const third = linkCount / 3
  const leaving = await Promise.all(Array.from({ length: third }, () => openConnection(port)))
  leaving.forEach((connection, i) => void connection.send([watches[i]?.text ?? '']))
  const waiting = watches.slice(third).map((watch, i) => exchange(lines[i + 1] ?? first, [watch]))
  await waitUntil('all are blocked', () => world.waiters === linkCount)
  for (const connection of leaving) connection.hangUp()
  const completed = prepared.slice(-third).map(({ device_link_token }) => {
    const text = request('POST /cloud/devices/links/complete', bearer('cloud'), { device_link_token, game_id: gameId })
    return { status: 200, text }
  })
  await exchange(first, completed)
  await waitUntil('those who hang up are gone', () => world.waiters === third)
  await world.clock.advance(watchTimeoutMs)
  await Promise.all(waiting)
  exchanges += third
}

/** Opens connections that end within a body, or send something that is not HTTP. */
async function breakConnections() {
  const [inBody, noHttp] = await Promise.all([openConnection(port), openConnection(port)])
  const whole = request(`POST /cloud/games/${gameId}/namespaces/validate`, bearer('cloud'), {
    name_id: 'a'.repeat(2_000),
  })
  void inBody.send([whole.slice(0, -1_000)])
  void noHttp.send(['no HTTP\r\n\r\n'])
  inBody.hangUp()
  noHttp.hangUp()
  exchanges += 2
}

/** Returns the bytes in use after a reset, when all other connections are closed. */
async function bytesInUse() {
  await mock.reset()
  const sockets = () => process.getActiveResourcesInfo().filter(resource => resource === 'TCPSocketWrap').length
  await waitUntil('the lines alone are open', () => sockets() === 2 * lineCount)
  for (let i = 0; i < 3; i++) {
    await setImmediate()
    globalThis.gc?.()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Changes the player count of the oldest lobby, which drops the cached lists. */
function changeLists() {
  const lobby_id = world.lobbies.all()[0]?.lobby_id ?? ''
  return world.lobbies.update(q => q.where({ lobby_id }), {
    data(lobby) {
      lobby.total_player_count = 1 - Math.min(lobby.total_player_count, 1)
    },
  })
}

/** @param {number} count */
async function exchangeUntil(count) {
  for (let round = 0; exchanges < count; round++) {
    for (let burst = 0; burst < burstCount; burst++) {
      await Promise.all(lines.map(line => exchange(line, mixed(askedAtOnce, random))))
      await changeLists()
    }
    await exchangeLinks()
    await breakConnections()
    if (round % roundsToReset === 0) await mock.reset()
  }
}

await exchangeUntil(warmUp)
const before = await bytesInUse()
await exchangeUntil(all)
const after = await bytesInUse()
await close()
console.log(JSON.stringify({ exchanges, before, after }))
