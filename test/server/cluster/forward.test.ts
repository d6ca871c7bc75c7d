import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { RedisError, type ScriptCommand } from '../../../src/server/cluster/redis-client.js'
import { bind, createListener } from '../../../src/server/http/server.js'
import { comparable, failure, json, ok, post, request, sendTo } from '../../support/http.js'
import { jsonHeaders } from '../../support/served-mock.js'
import { type ServedReplica, serveReplica, sharedModel } from '../../support/served-replicas.js'
import { startAt, tanks, tokens } from '../../support/tanks.js'

const list = request('GET', '/matchmaker/lobbies/list', tokens.public)
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)
const startedAt = new Date(startAt).toUTCString()
const control = (method: string, path: string, body?: unknown) => ({
  method,
  path: `/__mock${path}`,
  headers: jsonHeaders,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

/** Serves two replicas. The first one owns the world `default`. */
async function serveTwo(): Promise<readonly [owner: ServedReplica, other: ServedReplica]> {
  const model = sharedModel()
  const [owner, other] = [await serveReplica(model), await serveReplica(model)]
  ok(await sendTo(owner.url, list))
  return [owner, other]
}

/** Serves a mock that shares its worlds with no other process. Returns the URL. */
async function servedAlone(): Promise<string> {
  const bound = await bind({ port: 0, host: '127.0.0.1' })
  const mock = createMock({ scenario: tanks })
  bound.serve(createListener(mock))
  onTestFinished(() => bound.close(mock))
  return bound.url
}

describe('a request to a replica that does not run its world', () => {
  it('is answered by the one that does, to the byte', async () => {
    const [owner, other] = await serveTwo()

    const [here, there] = [await sendTo(owner.url, list), await sendTo(other.url, list)]
    const found = ok(await sendTo(other.url, find)) as { lobby: { lobby_id: string } }
    const seen = ok(await sendTo(owner.url, list)) as { lobbies: readonly { lobby_id: string }[] }

    expect(comparable(there)).toEqual(comparable(here))
    expect([here, there].map(({ headers }) => headers.date)).toEqual([startedAt, startedAt])
    expect(seen.lobbies.map(({ lobby_id }) => lobby_id)).toContain(found.lobby.lobby_id)
    expect(other.mock.worlds.inMemory('default')).toBeUndefined()
  })

  it('keeps its status, its error, and its answer to HEAD and OPTIONS', async () => {
    const [owner, other] = await serveTwo()
    const origin = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' }
    const asked = [
      post('/matchmaker/lobbies/join', { lobby_id: 1 }, tokens.public),
      { ...list, method: 'HEAD' },
      { method: 'OPTIONS', path: '/matchmaker/lobbies/find', headers: origin },
      { method: 'GET', path: '/matchmaker/lobies/list' },
    ]

    for (const one of asked)
      expect(comparable(await sendTo(other.url, one))).toEqual(comparable(await sendTo(owner.url, one)))
  })

  it('has the address of its client, and no header of a replica', async () => {
    const [owner, other] = await serveTwo()
    const sent = openRequest(`${other.url}${find.path}`, {
      method: 'POST',
      headers: { ...find.headers, 'mockmaker-forwarded': 'nonsense e30' },
      localAddress: '127.0.0.2',
    })

    const status = await new Promise(resolve => {
      sent.on('response', response => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.end(find.body)
    })

    const world = owner.mock.worlds.inMemory('default')
    const [entry] = world?.journal.find({ operation: 'lobbies.find' }) ?? []
    expect(status).toBe(200)
    expect(world?.world.players.all().map(({ address }) => address)).toContain('127.0.0.2')
    expect(JSON.stringify(world?.journal.sentRequest(entry?.id ?? 0))).not.toContain('mockmaker-forwarded')
  })

  it.for([16_383, 16_384])('may have as many bytes of headers as at any mock: %i', async size => {
    const [owner, other] = await serveTwo()
    const mock = await servedAlone()
    const statusOf = async (url: string) => {
      const own = { ...list.headers, host: 'localhost', connection: 'close', 'x-filler': '' }
      const used = [list.path, ...Object.entries(own).flat()].join('').length
      const headers = { ...own, 'x-filler': 'x'.repeat(size - used) }
      const [response] = await once(openRequest(`${url}${list.path}`, { headers }).end(), 'response')
      return `${response.statusCode} ${(JSON.parse(await text(response)) as { code?: string }).code}`
    }

    const statuses = await Promise.all([owner.url, other.url, mock].map(statusOf))

    const expected = size < 16_384 ? '200 undefined' : '400 API_BAD_HEADERS'
    expect(statuses).toEqual([expected, expected, expected])
  })

  it('goes on to the next owner with its body, if the one that was asked before is none any more', async () => {
    const model = sharedModel()
    const [first, next, other] = [await serveReplica(model), await serveReplica(model), await serveReplica(model)]
    ok(await sendTo(first.url, list))
    ok(await sendTo(other.url, list))
    first.mock.worlds.drop('default', 'a test moves it')
    await expect.poll(() => model.worlds.get('default')?.owner).toBe('')
    ok(await sendTo(next.url, list))

    ok(await sendTo(other.url, find))

    expect(next.mock.default.journal.find({ operation: 'lobbies.find' })).toHaveLength(1)
    expect(first.mock.worlds.inMemory('default')).toBeUndefined()
  })

  it('sends its body when the owner takes it, also a large one', async () => {
    const [owner, other] = await serveTwo()
    const state = { text: 'x'.repeat(3 * 1024 ** 2) }

    const got = await sendTo(
      other.url,
      control('PUT', '/scenario', { scenario: { game_modes: ['duel'], lobbies: [{ state }] } }),
    )

    expect(got.status).toBe(200)
    expect(owner.mock.worlds.inMemory('default')?.world.lobbies.all()[0]?.state).toEqual(state)
  })

  it('ends with its world, if that is deleted meanwhile', async () => {
    const [owner, other] = await serveTwo()
    ok(await sendTo(owner.url, { ...list, path: `/w/mine${list.path}` }))
    const url = `${other.url}/w/mine`
    const world = owner.mock.worlds.inMemory('mine')
    const path = '/cloud/devices/links'
    const query = `device_link_token=${tokens.pending}`
    const { watch } = ok(await sendTo(url, { method: 'GET', path, query })) as { watch: { index: string } }
    world?.faults.add({ operation: 'lobbies.find', effect: { hold: true } })
    const events = await createClient(url).changes()
    // The change of the find is not kept yet when the world is deleted.
    const waiting = [
      sendTo(url, { method: 'GET', path, query: `${query}&watch_index=${watch.index}` }),
      sendTo(url, find),
    ]
    await world?.waits.blocked(2, undefined, {})

    const deleted = await sendTo(other.url, control('DELETE', '/worlds/mine'))

    expect((await Promise.all([deleted, ...waiting])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await events.next()).done).toBe(true)
    expect(failure(await sendTo(url, control('GET', '/world')))).toBe('404 API_NOT_FOUND')
  })

  it.for(['reset', 'empty'] as const)('breaks like its connection to the owner would: %s', async effect => {
    const [owner, other] = await serveTwo()
    owner.mock.worlds.inMemory('default')?.faults.add({ operation: 'lobbies.list', effect: { [effect]: true } })

    const errors = await Promise.all(
      [owner, other].map(({ url }) =>
        sendTo(url, list).then(
          ({ status }) => status,
          (error: NodeJS.ErrnoException) => error.code,
        ),
      ),
    )

    expect(errors).toEqual(['ECONNRESET', 'ECONNRESET'])
  })

  it('waits there, and frees the owner when the client disconnects', async () => {
    const [owner, other] = await serveTwo()
    const world = owner.mock.worlds.inMemory('default')
    const path = '/cloud/devices/links'
    const query = `device_link_token=${tokens.pending}`
    const { watch } = ok(await sendTo(other.url, { method: 'GET', path, query })) as { watch: { index: string } }
    const watching = `${path}?${query}&watch_index=${watch.index}`

    const answered = sendTo(other.url, { method: 'GET', path: watching })
    await world?.waits.blocked(1, undefined, {})
    const client = createClient(other.url)
    await client.completeDeviceLink(tokens.pending, { game: 'tanks' })
    const answer = ok(await answered)

    const { watch: next } = ok(await sendTo(other.url, { method: 'GET', path, query })) as { watch: { index: string } }
    const abandoned = openRequest(`${other.url}${path}?${query}&watch_index=${next.index}`).on('error', () => {})
    abandoned.end()
    await world?.waits.blocked(1, undefined, {})
    abandoned.destroy()

    expect(answer).toHaveProperty('cloud_token')
    await expect.poll(() => world?.world.waiters).toBe(0)
  })

  it('streams events, and ends the stream of the owner with that of the client', async () => {
    const [owner, other] = await serveTwo()
    const world = owner.mock.worlds.inMemory('default')
    const client = createClient(other.url)

    const events = await client.changes()
    await client.world.lobbies.create({ game_mode_id: 'duel' })
    const first = await events.next()
    const wasBusy = world?.isBusy
    await events.return(undefined)

    expect([first.value?.type, wasBusy]).toEqual(['change', true])
    await expect.poll(() => world?.isBusy).toBe(false)
  })
})

describe('a replica without its storage', () => {
  it('answers nothing about its worlds once its lease may have ended, not even a page', {
    tags: ['slow'],
  }, async () => {
    const { url, redis, mock } = await serveReplica(sharedModel())
    ok(await sendTo(url, list))

    redis.break()
    await expect.poll(async () => (await sendTo(url, list)).status, { timeout: 10_000 }).toBe(503)
    const answers = await Promise.all(
      ['/', '/__mock/world', '/__mock/worlds', '/__mock/replicas', '/healthz', '/w/other/__mock/world'].map(path =>
        sendTo(url, { method: 'GET', path }),
      ),
    )
    redis.connect()
    await expect.poll(async () => (await sendTo(url, list)).status, { timeout: 10_000 }).toBe(200)

    expect(answers.map(failure)).toEqual(answers.map(() => '503 API_UNAVAILABLE'))
    // Everybody may ask it, so it has no address.
    expect(answers.map(answered => (json(answered) as { message: string }).message)[4]).toBe(
      'the storage does not answer (the connection broke)',
    )
    expect(mock.worlds.inMemory('default')).toBeDefined()
  })
})

describe('a change that the storage does not take', () => {
  const messageOf = async (...args: Parameters<typeof sendTo>) => {
    const answered = await sendTo(...args)
    return [answered.status, (json(answered) as { message: string }).message]
  }
  const refuse = (refused: ScriptCommand) => (command: ScriptCommand) =>
    command === refused ? new RedisError('refused', 'it is full') : undefined
  const unknown = '. The outcome of this request is unknown: read the world before you send it again'

  const changes = [
    ['a find', 'append', find, 'a change of the world "default"'],
    [
      'a control call',
      'append',
      control('POST', '/lobbies', { game_mode_id: 'duel' }),
      'a change of the world "default"',
    ],
    ['a replaced world', 'append', control('PUT', '/worlds/default', {}), 'a change of the world "default"'],
    ['a new world', 'create', control('PUT', '/worlds/new', {}), 'the world "new"'],
  ] as const

  it.each(changes)('is certainly not made: %s', async (_, command, change, what) => {
    const { url, redis } = await serveReplica(sharedModel())
    ok(await sendTo(url, list))
    redis.refusal = refuse(command)

    expect(await messageOf(url, change)).toEqual([503, `redis://model did not take ${what}: it is full`])
  })

  it.each(changes)('may be made all the same if the first try had no answer: %s', async (_, refused, change, what) => {
    const { url, redis } = await serveReplica(sharedModel())
    ok(await sendTo(url, list))
    redis.refusal = command => {
      if (command !== refused) return undefined
      redis.refusal = refuse(refused)
      return new RedisError('away', 'the connection broke')
    }

    expect(await messageOf(url, change)).toEqual([503, `redis://model did not take ${what}: it is full${unknown}`])
  })
})

describe('a header of replicas without their secret', () => {
  it('skips no check', async () => {
    const model = sharedModel()
    const replica = await serveReplica(model, { app: { controlToken: 'secret-control-token-0123456789' } })
    const forged = Buffer.from(JSON.stringify(['127.0.0.1', null, 0])).toString('base64url')
    const headers = { 'mockmaker-forwarded': `guessed ${forged}` }

    const call = await sendTo(replica.url, { method: 'GET', path: '/__mock/world', headers })
    const host = await sendTo(replica.url, { ...list, headers: { ...headers, host: 'evil.example' } })

    expect([call, host].map(failure)).toEqual(['401 API_UNAUTHORIZED', '403 API_FORBIDDEN'])
  })
})

describe('the calls of the control API', () => {
  it('are answered by any replica: the worlds and the owners of all', async () => {
    const [owner, other] = await serveTwo()
    ok(await sendTo(other.url, { ...list, path: `/w/mine${list.path}` }))

    const worlds = await Promise.all([owner, other].map(({ url }) => sendTo(url, control('GET', '/worlds'))))
    const { replicas } = ok(await sendTo(other.url, control('GET', '/replicas'))) as {
      replicas: readonly { address: string; self?: true; worlds: readonly { id: string }[] }[]
    }

    for (const got of worlds)
      expect(json(got)).toMatchObject({
        worlds: expect.arrayContaining([
          expect.objectContaining({ id: 'default', replica: owner.url }),
          expect.objectContaining({ id: 'mine', replica: other.url }),
        ]),
      })
    expect(replicas.map(({ address, self, worlds }) => [address, self, worlds.map(({ id }) => id)]).sort()).toEqual(
      [
        [owner.url, undefined, ['default']],
        [other.url, true, ['mine']],
      ].sort(),
    )
  })

  it('tell how many requests wait in a world of another replica', { tags: ['slow'] }, async () => {
    const [owner, other] = await serveTwo()
    const client = createClient(other.url)
    const waitersOf = async () => [
      (await client.worlds.list()).map(({ waiters }) => waiters),
      (await client.health()).waiters,
    ]
    const [token] = (await client.world.deviceLinks.all()).map(({ device_link_token }) => device_link_token)
    const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` }
    const { watch } = ok(await sendTo(owner.url, link)) as { watch: { index: string } }
    const answer = sendTo(owner.url, { ...link, query: `${link.query}&watch_index=${watch.index}` })
    await client.blocked(1)

    await expect.poll(waitersOf, { timeout: 10_000 }).toEqual([[1], 1])

    await client.reset()
    await answer
    await expect.poll(waitersOf, { timeout: 10_000 }).toEqual([[0], 0])
  })

  it('follow the worlds that another replica creates', { tags: ['slow'] }, async () => {
    const [owner, other] = await serveTwo()
    const abort = new AbortController()
    const response = await fetch(`${owner.url}/__mock/worlds`, {
      headers: { accept: 'text/event-stream' },
      signal: abort.signal,
    })
    ok(await sendTo(other.url, { ...list, path: `/w/mine${list.path}` }))

    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('"mine"')) break
    }
    abort.abort()

    expect(text).toContain(JSON.stringify(other.url))
  })

  it('create, show and delete a world, whoever runs it', async () => {
    const [owner, other] = await serveTwo()

    const created = await sendTo(owner.url, control('PUT', '/worlds/mine', { seed: 3 }))
    const shown = await sendTo(other.url, control('GET', '/worlds/mine'))
    const deleted = await sendTo(other.url, control('DELETE', '/worlds/mine'))
    const gone = await sendTo(owner.url, control('GET', '/worlds/mine'))

    expect([json(created), json(shown)]).toEqual([
      expect.objectContaining({ id: 'mine', seed: 3 }),
      expect.objectContaining({ id: 'mine', seed: 3 }),
    ])
    expect([deleted.status, failure(gone)]).toEqual([200, '404 API_NOT_FOUND'])
  })

  it('fork a world that another replica runs', async () => {
    const [owner, other] = await serveTwo()
    const found = ok(await sendTo(owner.url, find)) as { lobby: { lobby_id: string } }

    ok(await sendTo(other.url, control('PUT', '/worlds/copy', { fork: 'default' })))
    const { lobbies } = ok(await sendTo(other.url, { ...list, path: `/w/copy${list.path}` })) as {
      lobbies: readonly { lobby_id: string }[]
    }

    expect(other.mock.worlds.inMemory('copy')).toBeDefined()
    expect(lobbies.map(({ lobby_id }) => lobby_id)).toContain(found.lobby.lobby_id)
  })
})

describe('a world that nobody uses', () => {
  const listed = async (url: string) => {
    const { worlds } = ok(await sendTo(url, control('GET', '/worlds'))) as {
      worlds: readonly { id: string; sleeping?: true; replica?: string }[]
    }
    return worlds.find(({ id }) => id === 'mine')
  }
  const mine = { ...list, path: `/w/mine${list.path}` }

  it('is given back, and wakes at the next replica that is asked', async () => {
    const model = sharedModel()
    const [first, second] = [await serveReplica(model, { worldTtlMs: 100 }), await serveReplica(model)]

    ok(await sendTo(first.url, mine))
    await expect.poll(() => listed(second.url)).toMatchObject({ sleeping: true })
    ok(await sendTo(second.url, mine))

    expect(await listed(first.url)).toMatchObject({ replica: second.url })
  })

  it('is deleted after a time, by whoever claims it', async () => {
    const model = sharedModel()
    const options = { worldTtlMs: 100, dataTtlMs: 300 }
    const [first, second] = [await serveReplica(model, options), await serveReplica(model, options)]

    ok(await sendTo(first.url, mine))
    await first.close()

    await expect.poll(() => listed(second.url)).toBeUndefined()
    expect(model.worlds.has('mine')).toBe(false)
  })
})

describe('a replica that closes', () => {
  it('answers its waiting requests, and hands its worlds over', async () => {
    const [owner, other] = await serveTwo()
    const found = ok(await sendTo(owner.url, find)) as { lobby: { lobby_id: string } }

    const closed = owner.close()
    const { lobbies } = ok(await sendTo(other.url, list)) as { lobbies: readonly { lobby_id: string }[] }
    await closed

    expect(lobbies.map(({ lobby_id }) => lobby_id)).toContain(found.lobby.lobby_id)
    expect(other.mock.worlds.inMemory('default')).toBeDefined()
  })
})
