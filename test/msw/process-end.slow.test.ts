import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Nothing but the mock holds this process, and at its end none does. */
const program = `
import { createMockmaker } from './dist/index.js'
import { setupMockmaker } from './dist/msw/node.js'

const seen = {}
const status = async (path, init) => (await fetch('http://mock.test' + path, init)).status
const link = '/cloud/devices/links?device_link_token=device.mock.tv'
const mock = setupMockmaker({
  scenario: { game_modes: ['duel'], device_links: [{ token: 'device.mock.tv' }] },
  watchTimeoutMs: 50,
})
mock.listen({ onUnhandledRequest: 'error' })

mock.delay('lobbies.list', '50ms')
seen.delayed = await status('/matchmaker/lobbies/list')
const { watch } = await (await fetch('http://mock.test' + link)).json()
seen.watched = await status(link + '&watch_index=' + watch.index)
mock.hold('regions.list')
seen.held = await status('/matchmaker/regions', { signal: AbortSignal.timeout(50) }).catch(error => error.name)
seen.expected = await mock.next('lobbies.find', {}, { timeout: 50 }).catch(error => error.name)

const fast = { game_modes: ['duel'], servers: 'manual', clock: { mode: 'running', rate: 10_000 } }
const body = new TextEncoder().encode('{"game_modes":["duel"]}')
const starting = createMockmaker({ scenario: fast })
seen.started = (await starting.answer({ method: 'POST', path: '/matchmaker/lobbies/find', headers: {}, body })).status

// What ended no longer holds it: a test, a reset, a closed mock. A world with players is idle.
await mock.isolated(async own => {
  own.hold('lobbies.list')
  void status('/matchmaker/lobbies/list').catch(() => {})
  await own.blocked(1)
})
void status('/matchmaker/regions').catch(() => {})
await mock.blocked(1)
await mock.reset()
const closing = createMockmaker()
closing.delay('lobbies.list', '1h')
void closing.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
await closing.blocked(1)
await closing.close()
createMockmaker({ live: true })
const endsAt = performance.now()
process.on('exit', code => console.log(JSON.stringify({ ...seen, code, endsSoon: performance.now() - endsAt < 5_000 })))
`

it('a process waits for the requests of its clients, and then ends by itself', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })

  expect(JSON.parse(output)).toEqual({
    delayed: 200,
    watched: 200,
    held: 'TimeoutError',
    expected: 'TimeoutError',
    started: 400,
    code: 0,
    endsSoon: true,
  })
})
