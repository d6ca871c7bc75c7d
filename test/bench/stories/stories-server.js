// @ts-check
// A mock that has already answered requests of many players, who take seats and connect. Its world `few` has answered some:
// `node stories-server.js <port> <players> <requests> <scenario file>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createMockmaker } from '../../../dist/index.js'
import { createApp } from '../../../dist/server/http/index.js'
import { seatBody, seatPath } from '../life/crowd.js'
import { tokens } from '../scenario.js'

const few = 10

const [, , port, players, requests, file = ''] = process.argv
const mock = createMockmaker({ scenario: JSON.parse(readFileSync(file, 'utf8')), journalSize: Number(requests) })
await fill(mock, { players: Number(players), requests: Number(requests) })
await fill(await mock.worlds.put('few'), { players: few, requests: (few * Number(requests)) / Number(players) })
createServer(createApp(mock)).listen(Number(port), '127.0.0.1')

/**
 * @param {{ answer: typeof mock.answer }} world
 * @param {{ readonly players: number, readonly requests: number }} counts
 */
async function fill(world, { players, requests }) {
  let made = 0
  for (let i = 0; i < players; i++) {
    const { player, lobby } = await ask(post(seatPath, seatBody, tokens.public))
    const call = (/** @type {string} */ name) =>
      ask(post(`/matchmaker/players/${name}`, { player_token: player.token }, `lobby.mock.${lobby.lobby_id}`))
    if (i % 2 === 0) await call('connected')
    if (i % 4 === 0) await call('disconnected')
  }
  while (made < requests) await ask({ method: 'GET', path: '/matchmaker/regions', headers: bearer(tokens.public) })

  /** @param {import('../../../dist/index.js').MockRequest} request */
  async function ask(request) {
    made += 1
    const { status, body } = await world.answer(request)
    const text = new TextDecoder().decode(body)
    if (status !== 200) throw new Error(`${request.path} answers ${status}: ${text}`)
    return JSON.parse(text)
  }
}

/**
 * @param {string} path
 * @param {object} body
 * @param {string} token
 */
function post(path, body, token) {
  return { method: 'POST', path, headers: bearer(token), body: new TextEncoder().encode(JSON.stringify(body)) }
}

/** @param {string} token */
function bearer(token) {
  return { authorization: `Bearer ${token}` }
}
