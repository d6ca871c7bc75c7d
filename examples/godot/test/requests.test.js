import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createMockmaker } from 'mockmaker'
import { createClient } from 'mockmaker/client'
import { listen } from 'mockmaker/express'
import { parseScenario } from 'mockmaker/scenarios'

const scripts = ['matchmaker.gd', 'main.gd'].map(name => readFileSync(name, 'utf8'))

/** The calls of the script: a method and a path, by the name. */
const calls = JSON.parse(/const CALLS := (\{[^}]*\})/.exec(scripts[0])[1])

/** Sends a call as Godot does: without a content type. */
async function send(url, [method, path], { query = '', body } = {}) {
  const response = await fetch(url + path + query, { method, ...(body && { body: JSON.stringify(body) }) })
  return { status: response.status, body: await response.json() }
}

/** Serves the scenario of the game, with its game servers. */
async function serve(t) {
  const mock = createMockmaker({ scenario: parseScenario(readFileSync('scenario.mockmaker.yaml', 'utf8')) })
  const { url, close } = await listen(mock, { port: 0, servers: true })
  t.after(close)
  return { mock: createClient(url), url }
}

test('the mock answers every call with the fields that the scripts read', { timeout: 60_000 }, async t => {
  const { mock, url } = await serve(t)
  const { body: seat } = await send(url, calls.find, { body: { game_modes: ['arena'], regions: ['lnd-tok'] } })
  const { body: list } = await send(url, calls.list)
  const { body: prepared } = await send(url, calls.prepare, { body: {} })
  const query = `?device_link_token=${prepared.device_link_token}`
  const { body: pending } = await send(url, calls.link, { query })
  const waiting = send(url, calls.link, { query: `${query}&watch_index=${pending.watch.index}` })
  await mock.blocked(1)
  await mock.completeDeviceLink(prepared.device_link_token)
  const { body: complete } = await waiting

  // The names of the variables in the scripts.
  const answers = { list, seat, prepared, link: { ...pending, ...complete } }
  const elements = { mode: list.game_modes[0], region: list.regions[0], lobby: list.lobbies[0] }
  const read = [
    ...scripts.join('\n').matchAll(/\b(list|seat|prepared|link|mode|region|lobby)((?:\.(?!has\b|is_empty\b)\w+)+)/g),
  ]
  for (const [text, name, path] of read) {
    const value = path
      .split('.')
      .slice(1)
      .reduce((inner, key) => inner?.[key], { ...answers, ...elements }[name])
    assert.notEqual(value, undefined, `the mock answers no ${text}`)
  }
  assert.ok(read.length >= 15)
})

test('the game server takes the player of a seat, and no other', { timeout: 60_000 }, async t => {
  const { mock, url } = await serve(t)
  const { body: seat } = await send(url, calls.find, { body: { game_modes: ['duel'] } })
  const { hostname, port } = seat.ports.default

  const greet = token =>
    new Promise((resolve, reject) => {
      const socket = connect(port, hostname, () => socket.write(`${token}\n`))
      t.after(() => socket.destroy())
      socket.once('data', data => resolve(String(data).trim())).once('error', reject)
    })

  assert.equal(await greet(seat.player.token), 'welcome')
  assert.equal(await greet('nobody'), 'who are you?')
  const lobby = await mock.world.lobbies.get(seat.lobby.lobby_id)
  assert.equal(lobby.total_player_count, 1)
  assert.deepEqual(await mock.warnings.list(), [])
})
