import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../src/client/index.js'
import { file, lineLike, run, type Served, serve, serveOnTerminal } from '../../support/command.js'
import { ok, post, request, responseTo, sendTo } from '../../support/http.js'
import { RedisServer } from '../../support/redis-server.js'

let redis: RedisServer
beforeAll(async () => {
  redis = await RedisServer.start()
})
afterAll(() => redis.stop())

let count = 0

/** Returns the flags of replicas that share their worlds with no other test. */
function flagsOf(server = redis): readonly string[] {
  count += 1
  return ['--data', server.url, '--data-prefix', `processes-${count}:`]
}

/** Starts replicas as processes. The first one runs the world `default`. */
async function serveReplicas(
  number: number,
  flags = flagsOf(),
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Served[]> {
  const replicas = await Promise.all(Array.from({ length: number }, () => serve(flags, { env })))
  await sendTo(replicas[0]?.url ?? '', list)
  return replicas
}

const list = request('GET', '/matchmaker/lobbies/list')
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
const inWorld = <Sent extends { readonly path: string }>(world: string, sent: Sent) => ({
  ...sent,
  path: `/w/${world}${sent.path}`,
})

async function listedBy({ url }: Served, world?: string): Promise<readonly string[]> {
  const { lobbies } = ok(await sendTo(url, world === undefined ? list : inWorld(world, list))) as {
    lobbies: readonly { lobby_id: string }[]
  }
  return lobbies.map(({ lobby_id }) => lobby_id)
}

/** Creates a lobby by a replica. Returns its id. */
async function createdBy({ url }: Served, world?: string): Promise<string> {
  count += 1
  const lobby_id = `lobby-${count}`
  const created = { ...post('/__mock/lobbies', { lobby_id, game_mode_id: 'duel' }), headers: json }
  ok(await sendTo(url, world === undefined ? created : inWorld(world, created)))
  return lobby_id
}

const json = { 'content-type': 'application/json' }

/** Begins a device link by a replica. `watching` is the request that waits until it is complete. */
async function beginLink(url: string) {
  const path = '/cloud/devices/links'
  const { device_link_token: token } = ok(await sendTo(url, post(path, {}))) as { device_link_token: string }
  const query = `device_link_token=${token}`
  const { watch } = ok(await sendTo(url, { method: 'GET', path, query })) as { watch: { index: string } }
  return { token, watching: { method: 'GET', path, query: `${query}&watch_index=${watch.index}` } }
}

/** Begins a device link by a replica, and watches it a number of times. Resolves when all watches are blocked. */
async function watchLink(
  { url }: Served,
  { watches, owner }: { readonly watches: number; readonly owner: Client },
): Promise<{ readonly token: string; readonly answers: readonly Promise<unknown>[] }> {
  const { token, watching } = await beginLink(url)
  const answers = Array.from({ length: watches }, async () => ok(await sendTo(url, watching)))
  await owner.blocked(watches)
  return { token, answers }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

describe('three replicas', () => {
  it('are one mock for games, the client and the command', async () => {
    const [first, second, third] = (await serveReplicas(3)) as [Served, Served, Served]
    const client = createClient(third.url)

    const events = await client.changes()
    const lobby = await createdBy(second)
    const [listed, event] = [await listedBy(third), (await events.next()).value]
    const joined = ok(await sendTo(third.url, post('/matchmaker/lobbies/join', { lobby_id: lobby })))
    const { token, answers } = await watchLink(second, { watches: 2, owner: client })
    await client.completeDeviceLink(token)
    const env = await run(['env', '--url', second.url])
    const exported = await run(['export', '--url', third.url])
    const health = await run(['health', '--url', second.url])
    await events.return(undefined)

    expect(listed).toContain(lobby)
    expect([event?.type, joined]).toEqual(['change', expect.objectContaining({ lobby: expect.anything() })])
    expect(await Promise.all(answers)).toEqual(
      answers.map(() => expect.objectContaining({ cloud_token: expect.anything() })),
    )
    expect(env.stdout).toContain(`RIVET_API_ENDPOINT=${second.url}`)
    expect(exported.stdout).toContain(lobby)
    expect(health.code).toBe(0)
    expect(await client.world.lobbies.all()).toHaveLength((await createClient(first.url).world.lobbies.all()).length)
  })

  it('have terminals that show and change the same world', async () => {
    const flags = flagsOf()
    const [first] = (await serveReplicas(1, flags)) as [Served]
    await createdBy(first)
    const terminal = await serveOnTerminal(flags)

    await lineLike(terminal, { like: /^ {2}world +.*: 28 players in 7 lobbies/ })
    terminal.type('r')
    await lineLike(terminal, { like: /^ {2}reset$/ })
    const listed = await listedBy(first)
    terminal.type('q')

    expect(listed).toHaveLength(6)
    expect((await terminal.exited).code).toBe(0)
  })
})

describe('kill -9 of an owner', () => {
  it('loses nothing that was acknowledged, and the watches through others wait on', async () => {
    const [first, second, third] = (await serveReplicas(3)) as [Served, Served, Served]
    const lobby = await createdBy(second)

    first.signal('SIGKILL')
    const tookMs = await msOf(async () => expect(await listedBy(third)).toContain(lobby))

    expect(tookMs).toBeLessThan(6_000)
    expect(await listedBy(second)).toContain(lobby)
  })

  it('answers each of 1,000 watches once: through its neighbours, and of its own clients, who ask again', async () => {
    // Without room for the watches, a replica would end. All of them run with less than that.
    const heap = { NODE_OPTIONS: '--max-old-space-size=64' }
    const replicas = (await serveReplicas(3, [...flagsOf(), '--journal', '2000'], heap)) as [Served, Served, Served]
    const [first, second, third] = replicas
    const client = createClient(third.url)
    const { token, watching } = await beginLink(second.url)
    const { method, path, query } = watching
    // Each has a connection of its own, on which exactly one answer may come.
    const bytes = `${method} ${path}?${query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
    const watches = Array.from({ length: 1_000 }, async (_, i) => {
      const answer = responseTo(replicas[i % 3]?.url ?? '', bytes)
      if (i % 3 > 0) return ok(await answer)
      await expect(answer).rejects.toThrow()
      return ok(await responseTo(second.url, bytes))
    })
    await client.blocked(1_000)

    first.signal('SIGKILL')
    const tookMs = await msOf(() => client.blocked(1_000))
    await client.completeDeviceLink(token)
    const answers = await Promise.all(watches)

    expect(tookMs).toBeLessThan(30_000)
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ cloud_token: expect.anything() })))
    // The next owner has run each of them once.
    expect(await client.journal.find({ operation: 'devices.links.get' })).toHaveLength(1_000)
    expect(await client.journal.pending()).toEqual([])
  })

  it('breaks off a change that is on its way: its outcome is unknown', async () => {
    const [first, second] = (await serveReplicas(2)) as [Served, Served]
    const client = createClient(second.url)
    await client.faults.add({ operation: 'lobbies.find', effect: { hold: true } })
    const answer = sendTo(second.url, find)
    await client.blocked(1, 'lobbies.find')

    first.signal('SIGKILL')

    const { status, body } = await answer
    expect([status, body]).toEqual([503, expect.stringContaining('outcome of this request is unknown')])
  })
})

describe('mockmaker exec with Redis', () => {
  /** A program that finds a lobby. Then it prints its environment and the ids of all lobbies. */
  const program = `
    const { MOCKMAKER_URL: url, RIVET_TOKEN } = process.env
    const headers = { authorization: 'Bearer ' + RIVET_TOKEN }
    const ask = async (path, init) => (await fetch(url + path, { headers, ...init })).json()
    const found = await ask('/matchmaker/lobbies/find', { method: 'POST', body: '{"game_modes":["duel"]}' })
    const { lobbies } = await ask('/matchmaker/lobbies/list')
    console.log(JSON.stringify({ url, found: found.lobby.lobby_id, ids: lobbies.map(lobby => lobby.lobby_id) }))`
  const runProgram = (...args: readonly string[]) =>
    run(['exec', ...args, '--', process.execPath, '--input-type=module', '-e', program])

  it('runs the command on a replica of its own, beside others, and leaves what it changed', async () => {
    const flags = flagsOf()
    const [first] = (await serveReplicas(1, flags)) as [Served]
    const lobby = await createdBy(first)

    const { code, stdout, stderr } = await runProgram(...flags)
    const { url, found, ids } = JSON.parse(stdout)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(url).not.toBe(first.url)
    expect(ids).toContain(lobby)
    expect(await listedBy(first)).toContain(found)
    // It has left, and its address with it.
    const { replicas } = ok(await sendTo(first.url, request('GET', '/__mock/replicas'))) as { replicas: unknown[] }
    expect(replicas).toHaveLength(1)
  })

  it('runs nothing if Redis does not answer, and does not print its password', async () => {
    const { code, stdout, stderr } = await runProgram('--data', 'redis://user:hidden@127.0.0.1:1')

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('cannot use redis://127.0.0.1:1: nothing listens there')
    expect(stderr).not.toContain('hidden')
  })
})

describe('a wait for requests through a replica', () => {
  it.for(['SIGKILL', 'SIGTERM'] as const)('fails with an event after %s of the owner', async signal => {
    const [first, second] = (await serveReplicas(2)) as [Served, Served]
    const client = createClient(second.url)
    const waiting = client.blocked(3)
    await client.world.describe()

    first.signal(signal)

    await expect(waiting).rejects.toMatchObject({ code: 'WORLD_ENDED' })
  })
})

describe('SIGTERM', () => {
  it('hands the worlds over at once', async () => {
    const [first, second] = (await serveReplicas(2)) as [Served, Served]
    const lobby = await createdBy(first)
    const { token, answers } = await watchLink(second, { watches: 3, owner: createClient(first.url) })

    first.signal('SIGTERM')
    const tookMs = await msOf(async () => expect(await listedBy(second)).toContain(lobby))
    const { code } = await first.exited
    await createClient(second.url).completeDeviceLink(token)

    expect(tookMs).toBeLessThan(1_500)
    expect(code).toBe(0)
    // Like a close, the hand-over answers those that wait.
    expect(await Promise.all(answers)).toHaveLength(3)
  })
})

describe('an owner that is stopped for longer than its lease', () => {
  it('loses its worlds, and shows the present ones when it goes on', async () => {
    const [first, second] = (await serveReplicas(2)) as [Served, Served]

    first.signal('SIGSTOP')
    const tookMs = await msOf(() => listedBy(second))
    const lobby = await createdBy(second)
    first.signal('SIGCONT')
    // It first asks Redis what it still owns.
    const answer = await sendTo(first.url, list)

    expect(tookMs).toBeLessThan(7_000)
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(lobby)
  })
})

describe('a replica', () => {
  it('refuses to start with other settings than the others', async () => {
    const flags = flagsOf()
    const [first] = (await serveReplicas(1, flags)) as [Served]
    const other = await file('other.yaml', 'title: Other\n')
    const { port } = new URL(first.url)

    const attempts = [
      [other, ...flags],
      [...flags, '--seed', '12'],
      [...flags, '--reset'],
      [...flags, '--advertise', `http://127.0.0.1:${port}`],
    ]
    const exits = await Promise.all(attempts.map(args => run(['--port', '0', ...args])))

    expect(exits.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    expect(exits.map(({ stderr }) => stderr)).toEqual([
      expect.stringMatching(/serve the scenario "default", and not "other\.yaml"/),
      expect.stringMatching(/--seed is 12, and not set for the replicas/),
      expect.stringMatching(/--reset deletes the worlds of all replicas, and others run/),
      expect.stringMatching(/another replica with the address .* is running/),
    ])
  })

  it('begins anew with --reset once the others have stopped', async () => {
    const flags = flagsOf()
    const [first] = (await serveReplicas(1, flags)) as [Served]
    const lobby = await createdBy(first)
    first.signal('SIGTERM')
    await first.exited

    const [again] = (await serveReplicas(1, flags)) as [Served]
    const before = await listedBy(again)
    again.signal('SIGTERM')
    await again.exited
    const [anew] = (await serveReplicas(1, [...flags, '--reset'])) as [Served]

    expect(before).toContain(lobby)
    expect(await listedBy(anew)).not.toContain(lobby)
  })

  it('needs a secret and an address if other machines can reach it, and flags that fit', async () => {
    const flags = flagsOf()

    const exits = await Promise.all([
      run(['--port', '0', ...flags, '--host', '0.0.0.0']),
      run(['--port', '0', ...flags, '--host', '0.0.0.0', '--advertise', 'http://10.0.0.5:4100']),
      run(['--port', '0', '--advertise', 'http://10.0.0.5:4100']),
      run(['--port', '0', ...flags, '--data-sync', 'always']),
      run(['--port', '0', ...flags, '--control-token', 'auto']),
      run(['--port', '0', ...flags, '--share', '--advertise', 'http://127.0.0.1:4100']),
    ])

    expect(exits.map(({ stderr }) => stderr)).toEqual([
      expect.stringMatching(/add --advertise/),
      expect.stringMatching(/MOCKMAKER_CLUSTER_SECRET/),
      expect.stringMatching(/--advertise is for replicas/),
      expect.stringMatching(/--data-sync is for a folder/),
      expect.stringMatching(/^replicas have the same control token, .*: set MOCKMAKER_CONTROL_TOKEN/),
      expect.stringMatching(/replicas have the same control token/),
    ])
  })

  it('never prints the user and the password of Redis', async () => {
    const server = await RedisServer.start('--requirepass', 'hidden-secret')
    const url = server.url.replace('redis://', 'redis://default:hidden-secret@')
    const wrong = server.url.replace('redis://', 'redis://default:wrong-secret@')

    const replica = await serve([], { env: { MOCKMAKER_DATA: url } })
    const answers = await Promise.all(
      ['/__mock/health', '/__mock/replicas', '/__mock/worlds', '/healthz'].map(path =>
        sendTo(replica.url, request('GET', path)),
      ),
    )
    const refused = await run(['--port', '0', '--data', wrong])
    const exported = await run(['export', '--data', url])
    await server.stop()
    await expect.poll(async () => (await sendTo(replica.url, request('GET', '/healthz'))).status).toBe(503)
    answers.push(await sendTo(replica.url, list))

    const texts = [
      ...answers.map(({ body }) => body),
      ...[replica.output(), replica.errors()],
      ...[refused, exported].flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ]
    expect(refused.stderr).toContain('user or password is wrong')
    expect(texts.join('\n')).not.toMatch(/-secret/)
  })
})
