import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, createClient } from '../../../src/client/index.js'
import { type Exit, file, lineLike, run, type Served, serve, serveOnTerminal } from '../../support/command.js'
import { ok, post, request, responseTo, sendTo } from '../../support/http.js'
import { RedisServer } from '../../support/redis-server.js'
import { runHere } from '../../support/run-here.js'

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

/** A program that finds a lobby. Then it prints its environment and the ids of all lobbies. */
const program = `
  const { MOCKMAKER_URL: url, RIVET_TOKEN } = process.env
  const headers = { authorization: 'Bearer ' + RIVET_TOKEN }
  const ask = async (path, init) => (await fetch(url + path, { headers, ...init })).json()
  const found = await ask('/matchmaker/lobbies/find', { method: 'POST', body: '{"game_modes":["duel"]}' })
  const { lobbies } = await ask('/matchmaker/lobbies/list')
  console.log(JSON.stringify({ url, found: found.lobby.lobby_id, ids: lobbies.map(lobby => lobby.lobby_id) }))`
const execArgs = (...args: readonly string[]) => [
  'exec',
  ...args,
  '--',
  process.execPath,
  '--input-type=module',
  '-e',
  program,
]

it('replicas are one mock for games, the client, commands and a terminal', async () => {
  const flags = flagsOf()
  const [first] = (await serveReplicas(1, flags)) as [Served]
  const other = await serveOnTerminal(flags)
  const client = createClient(other.url)

  const events = await client.changes()
  const lobby = await createdBy(first)
  const [listed, event] = [await listedBy(other), (await events.next()).value]
  const joined = ok(await sendTo(other.url, post('/matchmaker/lobbies/join', { lobby_id: lobby })))
  const { token, answers } = await watchLink(first, { watches: 2, owner: client })
  await client.completeDeviceLink(token)
  const exported = await runHere(['export', '--url', other.url])
  await events.return(undefined)
  const executed = await run(execArgs(...flags))
  const { url, found, ids } = JSON.parse(executed.stdout)
  const lobbies = await listedBy(first)
  const { replicas } = ok(await sendTo(first.url, request('GET', '/__mock/replicas'))) as { replicas: unknown[] }
  other.type('r')
  await lineLike(other, { like: /^ {2}reset$/ })
  const afterReset = await listedBy(first)
  other.type('q')

  expect(listed).toContain(lobby)
  expect([event?.type, joined]).toEqual(['change', expect.objectContaining({ lobby: expect.anything() })])
  expect(await Promise.all(answers)).toEqual(
    answers.map(() => expect.objectContaining({ cloud_token: expect.anything() })),
  )
  expect(exported.stdout).toContain(lobby)
  await lineLike(other, { like: /^ {2}world +.*: 39 players in 7 lobbies/ })
  // A command runs on a replica of its own, beside the others, and leaves what it changed.
  expect([executed.code, executed.stderr, ids]).toEqual([0, '', expect.arrayContaining([lobby])])
  expect([first.url, other.url]).not.toContain(url)
  expect(lobbies).toContain(found)
  // It has left, and its address with it.
  expect(replicas).toHaveLength(2)
  expect(afterReset).toHaveLength(7)
  expect((await other.exited).code).toBe(0)
})

it('kill -9 of an owner loses nothing acknowledged, and answers each watch once: its own clients ask again', async () => {
  const count = inject('runs') < 1_000 ? 90 : 300
  // Without room for the watches, a replica would end. All of them run with less than that.
  const heap = { NODE_OPTIONS: '--max-old-space-size=64' }
  const replicas = (await serveReplicas(3, [...flagsOf(), '--journal', '2000'], heap)) as [Served, Served, Served]
  const [first, second, third] = replicas
  const client = createClient(third.url)
  const lobby = await createdBy(second)
  const { token, watching } = await beginLink(second.url)
  const { method, path, query } = watching
  // Each has a connection of its own, on which exactly one answer may come.
  const bytes = `${method} ${path}?${query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`
  const watches = Array.from({ length: count }, async (_, i) => {
    const answer = responseTo(replicas[i % 3]?.url ?? '', bytes)
    if (i % 3 > 0) return ok(await answer)
    await expect(answer).rejects.toThrow()
    return ok(await responseTo(second.url, bytes))
  })
  await client.blocked(count)
  const { id } = await client.faults.add({ operation: 'lobbies.find', effect: { hold: true } })
  const held = sendTo(second.url, find)
  await client.blocked(1, 'lobbies.find')
  const ended = client.blocked(2 * count).catch(error => error)
  await client.world.describe()

  first.signal('SIGKILL')
  const tookMs = await msOf(async () => expect(await listedBy(third)).toContain(lobby))
  await client.blocked(count)
  await client.faults.remove(id)
  await client.completeDeviceLink(token)
  const answers = await Promise.all(watches)

  expect(tookMs).toBeLessThan(6_000)
  expect(await listedBy(second)).toContain(lobby)
  expect(answers).toEqual(answers.map(() => expect.objectContaining({ cloud_token: expect.anything() })))
  // The next owner has run each of them once.
  expect(await client.journal.find({ operation: 'devices.links.get' })).toHaveLength(count)
  expect(await client.journal.pending()).toEqual([])
  // A change that was on its way.
  const { status, body } = await held
  expect([status, body]).toEqual([503, expect.stringContaining('outcome of this request is unknown')])
  expect(await ended).toMatchObject({ code: 'WORLD_ENDED' })
})

it('an owner that is stopped for longer than its lease loses its worlds, and SIGTERM hands them over at once', async () => {
  const [first, second] = (await serveReplicas(2)) as [Served, Served]

  first.signal('SIGSTOP')
  const stoppedMs = await msOf(() => listedBy(second))
  const lobby = await createdBy(second)
  first.signal('SIGCONT')
  // It first asks Redis what it still owns.
  const shown = await sendTo(first.url, list)
  const client = createClient(first.url)
  const { token, answers } = await watchLink(first, { watches: 3, owner: client })
  const ended = client.blocked(5).catch(error => error)
  await client.world.describe()
  second.signal('SIGTERM')
  const tookMs = await msOf(async () => expect(await listedBy(first)).toContain(lobby))
  const { code } = await second.exited
  await client.completeDeviceLink(token)

  expect(stoppedMs).toBeLessThan(7_000)
  expect([shown.status, shown.body]).toEqual([200, expect.stringContaining(lobby)])
  expect(tookMs).toBeLessThan(1_500)
  expect(code).toBe(0)
  // Like a close, the hand-over answers those that wait.
  expect(await Promise.all(answers)).toHaveLength(3)
  expect(await ended).toMatchObject({ code: 'WORLD_ENDED' })
})

it('mockmaker exec runs nothing if Redis does not answer, and does not print its password', async () => {
  const { code, stdout, stderr } = await runHere(execArgs('--data', 'redis://user:hidden@127.0.0.1:1'))

  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('cannot use redis://127.0.0.1:1: nothing listens there')
  expect(stderr).not.toContain('hidden')
})

describe('a replica', () => {
  it('refuses to start with other settings than the others, and begins anew with --reset once they have stopped', async () => {
    const flags = flagsOf()
    const [first] = (await serveReplicas(1, flags)) as [Served]
    const lobby = await createdBy(first)
    const other = await file('other.yaml', 'title: Other\n')
    const { port } = new URL(first.url)

    const attempts = [
      [other, ...flags],
      [...flags, '--seed', '12'],
      [...flags, '--no-control'],
      [...flags, '--allowed-hosts', 'mock.example'],
      [...flags, '--reset'],
      [...flags, '--advertise', `http://127.0.0.1:${port}`],
    ]
    const exits: Exit[] = []
    for (const args of attempts) exits.push(await runHere(['--port', '0', ...args]))
    const before = await listedBy(first)
    first.signal('SIGTERM')
    await first.exited
    const [anew] = (await serveReplicas(1, [...flags, '--reset'])) as [Served]

    expect(exits.map(({ code }) => code)).toEqual(attempts.map(() => 1))
    expect(exits.map(({ stderr }) => stderr)).toEqual([
      expect.stringMatching(/serve the scenario "default", and not "other\.yaml"/),
      expect.stringMatching(/--seed is 12, and not set for the replicas/),
      expect.stringMatching(/--no-control is set here, but not for the replica http/),
      expect.stringMatching(/--allowed-hosts is set here, but not for the replica http/),
      expect.stringMatching(/--reset deletes the worlds of all replicas, and others run/),
      expect.stringMatching(/another replica with the address .* is running/),
    ])
    expect(before).toContain(lobby)
    expect(await listedBy(anew)).not.toContain(lobby)
  })

  it('needs a secret and an address if other machines can reach it, and flags that fit', async () => {
    const flags = flagsOf()

    const exits: Exit[] = []
    for (const args of [
      [...flags, '--host', '0.0.0.0'],
      [...flags, '--host', '0.0.0.0', '--advertise', 'http://10.0.0.5:4100'],
      ['--advertise', 'http://10.0.0.5:4100'],
      [...flags, '--data-sync', 'always'],
      [...flags, '--control-token', 'auto'],
      [...flags, '--share', '--advertise', 'http://127.0.0.1:4100'],
    ])
      exits.push(await runHere(['--port', '0', ...args]))

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
    const refused = await runHere(['--port', '0', '--data', wrong])
    const exported = await runHere(['export', '--data', url])
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
