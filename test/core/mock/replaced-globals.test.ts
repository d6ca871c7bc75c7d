import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { tanks, tokens } from '../../support/tanks.js'

const saved = new Map<PropertyKey, PropertyDescriptor | undefined>()
const restore = () => {
  for (const [name, descriptor] of saved) if (descriptor) Object.defineProperty(globalThis, name, descriptor)
  saved.clear()
}
afterEach(restore)

/** Replaces a global, however it is declared. */
function replace(name: string, value: unknown): void {
  saved.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

/** The globals that the mock uses, and those that tests replace most. */
const names = [
  ...['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'queueMicrotask'],
  ...['performance', 'fetch', 'crypto', 'AbortController', 'AbortSignal', 'MessageChannel', 'structuredClone'],
  ...['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'btoa', 'Headers', 'Request', 'Response'],
  ...['ReadableStream', 'TransformStream', 'TextDecoderStream'],
]

const ways = {
  throwing: () =>
    vi.fn(() => {
      throw new Error('a stub')
    }),
  // As tests freeze `new Date()`.
  constant: () => vi.fn(() => new Proxy({}, { get: () => () => 0 })),
} as const

/** Uses a mock in all ways that need globals, and returns what it answers. Ids, times and lengths of waits are left out. */
async function use() {
  const mock = createMockmaker({ scenario: { ...tanks, clock: 'running' }, watchTimeoutMs: 8 })
  const encoded = new Map<string, Uint8Array<ArrayBuffer>>(bodies)
  const send = async (method: string, path: string, more: object = {}) => {
    const { status, body } = await mock.answer({ method, path, headers: {}, ...more })
    return [status, body.length > 0] as const
  }
  const post = (path: string, body: string) => send('POST', path, { body: encoded.get(body) })
  const link = '/cloud/devices/links'
  mock.delay('lobbies.join', '5ms')
  mock.on('regions.list', async ({ original }) => await original())
  const index = mock.world.revision
  const seen = await Promise.all([
    send('GET', '/matchmaker/lobbies/list', { query: 'include_state=true' }),
    send('GET', '/matchmaker/regions'),
    post('/matchmaker/lobbies/find', bodies[0][0]),
    post('/matchmaker/lobbies/find', bodies[1][0]),
    post('/matchmaker/lobbies/join', bodies[0][0]),
    send('GET', link, { query: `device_link_token=${tokens.pending}` }),
    send('GET', link, { query: `device_link_token=${tokens.pending}&watch_index=${index}` }),
    mock.next('lobbies.find', {}, { timeout: 1 }).catch(error => error.name),
  ])
  const entries = mock.journal.find()
  const [found] = entries.filter(entry => entry.operation === 'lobbies.find')
  const explained = found && mock.explain({ exchange: found.id })
  const written = mock.snapshot({ with: ['journal'] })
  await mock.clock.advance('1s')
  await mock.reset()
  const read = {
    entries: entries.map(({ operation, status }) => [operation, status]).sort(),
    times: entries.every(({ time }) => /^\d{4}-/.test(time)),
    explained: typeof explained,
    written: Object.keys(written).sort(),
    jobs: mock.schedule().map(({ at }) => /^\d{4}-/.test(at)),
    beginsAt: /^\d{4}-/.test(mock.journal.beginsAt()),
    worlds: mock.worlds.list().map(({ used_at }) => /^\d{4}-/.test(used_at ?? '')),
    watched: await mock.world.deviceLinks.findFirst(q => q.where({ device_link_token: tokens.pending })),
  }
  await mock.close()
  return [seen, read]
}

const bodies = ['{"game_modes":["duel"]}', '{"game_modes":'].map(
  text => [text, new TextEncoder().encode(text)] as const,
) as [readonly [string, Uint8Array<ArrayBuffer>], readonly [string, Uint8Array<ArrayBuffer>]]

const asLoaded = await use()

describe.each(names)('with %s replaced', name => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])('by %s, a mock answers as before', async way => {
    replace(name, ways[way]())

    const got = await use()
    restore()

    expect(got).toEqual(asLoaded)
  })
})
