import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { it as base, describe, expect } from 'vitest'
import { listenTanks } from '../../support/entry-points.js'
import { bearer, ids, tokens } from '../../support/tanks.js'

/** A server, and an agent with one keep-alive connection, like an engine's HTTP client. */
const it = base.extend<{ url: string; agent: Agent }>({
  url: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    async ({}, use) => {
      const { url, close } = await listenTanks()
      await use(url)
      await close()
    },
    { scope: 'file' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  agent: async ({}, use) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await use(agent)
    agent.destroy()
  },
})

interface Sent {
  readonly url: string
  readonly agent: Agent
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: string
}

interface Got {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly json: unknown
  /** Tells whether the request reused a connection. */
  readonly reused: boolean
}

/** Sends exactly these headers, and Host. */
async function send({ url, path, body, ...options }: Sent): Promise<Got> {
  const outgoing = request(url + path, options)
  const incoming = await answerTo(outgoing, body)
  const text = (await buffer(incoming)).toString()
  return {
    status: incoming.statusCode,
    connection: incoming.headers.connection,
    json: text === '' ? undefined : JSON.parse(text),
    reused: outgoing.reusedSocket,
  }
}

function answerTo(outgoing: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject)
    outgoing.end(body)
  })
}

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) } as const
const link = { method: 'GET', path: `/cloud/devices/links?device_link_token=${tokens.pending}` } as const
const validate = {
  method: 'POST',
  path: `/cloud/games/${ids.tanks}/namespaces/validate`,
  headers: bearer(tokens.cloud),
} as const
const names = JSON.stringify({ display_name: 'Beta', name_id: 'beta' })

describe('an engine plugin', () => {
  it('can send a body without Content-Type', async ({ url, agent }) => {
    const got = await send({ url, agent, ...validate, body: names })

    expect(got).toMatchObject({ status: 200, json: { errors: [] } })
  })

  it.for([
    ['with its length', { 'content-length': 2 }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const)('can send {} as the body of a GET, %s, and continue', async ([, framing], { url, agent }) => {
    const first = await send({ url, agent, ...list, headers: { ...list.headers, ...framing }, body: '{}' })
    const second = await send({ url, agent, ...list })

    expect(first).toMatchObject({ status: 200, json: { lobbies: { length: 2 } } })
    expect(second.json).toEqual(first.json)
    expect(second.reused).toBe(true)
  })

  it('can send a large body with a GET, and continue', async ({ url, agent }) => {
    const body = 'x'.repeat(300_000)
    const first = await send({ url, agent, ...list, headers: { ...list.headers, 'content-length': body.length }, body })

    expect(first.status).toBe(200)
    expect((await send({ url, agent, ...list })).status).toBe(200)
  })

  it('can send application/json without a body', async ({ url, agent }) => {
    const headers = { 'content-type': 'application/json' }

    const read = await send({ url, agent, ...list, headers })
    const write = await send({ url, agent, method: 'POST', path: '/cloud/devices/links', headers })

    expect([read.status, write.status]).toEqual([200, 200])
  })

  it.for([
    ['with Content-Length 0', { 'content-length': 0 }],
    ['without chunks', { 'transfer-encoding': 'chunked' }],
  ] as const)('can POST nothing %s', async ([, headers], { url, agent }) => {
    const got = await send({ url, agent, method: 'POST', path: '/cloud/devices/links', headers })

    expect(got).toMatchObject({ status: 200, json: { device_link_token: expect.any(String) } })
  })

  it('can keep its connection open, after failures and empty answers too', async ({ url, agent }) => {
    const config = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`
    const limits = JSON.stringify({ lobby_count_max: 1, max_players: 1 })
    const calls = [
      list,
      { ...list, headers: bearer('nobody') },
      { ...list, path: '/nowhere' },
      { ...validate, body: '{' },
      { ...validate, path: config, body: limits },
      { ...validate, headers: {}, body: 'x'.repeat(2_000_000) },
      link,
    ]

    const got: Got[] = []
    for (const call of calls) got.push(await send({ url, agent, ...call }))

    expect(got.map(({ status }) => status)).toEqual([200, 400, 404, 400, 200, 401, 200])
    expect(got.map(({ reused }) => reused)).toEqual([false, true, true, true, true, true, true])
  })

  it('can close its connection with each request', async ({ url }) => {
    const agent = new Agent({ keepAlive: false })

    const got = [await send({ url, agent, ...list }), await send({ url, agent, ...validate, body: names })]

    expect(got).toMatchObject([
      { status: 200, connection: 'close', reused: false },
      { status: 200, connection: 'close', reused: false },
    ])
  })

  it('can send a request in the style of HTTP/1.0: no keep-alive, and an address as Host', async ({ url }) => {
    const agent = new Agent()
    const headers = { connection: 'close', host: '127.0.0.1' }

    expect(await send({ url, agent, ...list, headers })).toMatchObject({ status: 200, connection: 'close' })
  })
})
