import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Client, createClient } from '../../../src/client/index.js'
import { createMock } from '../../../src/core/mock/mock.js'
import type { MockmakerOptions } from '../../../src/index.js'
import { keepInFolder } from '../../../src/server/http/data-folder.js'
import { bind, createListener } from '../../../src/server/http/server.js'
import { json, post, request, sendTo } from '../../support/http.js'
import { dataPath } from '../../support/kept-worlds.js'
import { sharedModel, startReplica } from '../../support/served-replicas.js'

const minute = 60_000
const frozen = { now: '2026-11-20T20:00:00Z', clock: 'frozen', game_modes: ['duel'] } as const
const list = request('GET', '/matchmaker/lobbies/list')
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

/** A mock on a port. */
interface Server {
  readonly url: string
  close(): Promise<void>
}

type Options = MockmakerOptions & { readonly reset?: boolean; readonly dataTtlMs?: number }

/** Each has the same promises. `start` serves the worlds that the server before has left. */
const places: Readonly<Record<string, () => (options: Options) => Promise<Server>>> = {
  'in a folder': () => {
    const data = dataPath()
    return async ({ reset, dataTtlMs, ...options }) => {
      const bound = await bind({ port: 0, host: '127.0.0.1' })
      const mock = createMock(options, { isKept: true })
      keepInFolder(mock, { data, reset, dataTtlMs, report: () => {} })
      bound.serve(createListener(mock))
      return { url: bound.url, close: () => bound.close(mock) }
    }
  },
  'that replicas share': () => {
    const model = sharedModel()
    return options => startReplica(model, options)
  },
}

describe.each(Object.entries(places))('worlds %s', (_, open) => {
  /** Serves one mock after the other. `restart` closes the one before, and calls `meanwhile`. */
  async function serve(options: Options) {
    const start = open()
    let server = await start(options)
    onTestFinished(() => server.close())
    return {
      client: (world?: string): Client => createClient(server.url, world === undefined ? {} : { world }),
      send: (...[sent]: [Parameters<typeof sendTo>[1]]) => sendTo(server.url, sent),
      async restart({ meanwhile = () => {}, ...more }: Options & { meanwhile?: () => void } = {}) {
        await server.close()
        meanwhile()
        server = await start({ ...options, ...more })
      },
    }
  }

  /** Stops the system's time, and lets it go on by jumps. Timers go on. */
  function stopTime(): (ms: number) => void {
    vi.useFakeTimers({ toFake: ['Date'] })
    return ms => void vi.setSystemTime(Date.now() + ms)
  }

  it('go on after a restart: those of the scenario, of requests and of calls, with all that happened to them', async () => {
    const { client, send, restart } = await serve({ scenario: frozen })
    const worlds = [undefined, 'asked', 'put']
    await client().worlds.put('put', { seed: 3 })
    for (const world of worlds) {
      await send({ ...find, path: world === undefined ? find.path : `/w/${world}${find.path}` })
      await client(world).faults.add({ operation: 'lobbies.list', effect: { delay: 5 } })
      await client(world).clock.advance('1h')
    }
    const seen = () =>
      Promise.all(
        worlds.map(async world => {
          const { history, snapshot, schedule } = client(world)
          return {
            snapshot: await snapshot({ with: ['faults'] }),
            history: await history(),
            schedule: await schedule(),
          }
        }),
      )
    const before = await seen()
    await restart()

    expect(await seen()).toEqual(before)
    expect(before.map(({ history }) => history.change_sets.length)).toEqual([5, 5, 5])
  })

  it('draw no ray id twice', async () => {
    const { send, restart } = await serve({ scenario: frozen })
    const rays: unknown[] = []
    for (const _ of [1, 2, 3]) {
      rays.push((await send(list)).headers['rvt-ray-id'])
      await restart()
    }

    expect(new Set(rays).size).toBe(3)
  })

  it('have numbers in the health of the mock', async () => {
    const { client, send } = await serve({ scenario: frozen })
    await send(list)
    await client().worlds.put('other')
    await client('other').lobby({ lobby_id: 'mine' })

    const { data } = await client().health()

    expect(data).toEqual({ place: expect.any(String), worlds: 2, bytes: expect.any(Number) })
    expect(data?.bytes).toBeGreaterThan(500)
  })

  it('begin anew with reset', async () => {
    const { client, restart } = await serve({ scenario: frozen })
    await client().lobby({ lobby_id: 'mine' })
    await client().worlds.put('other')
    await restart({ reset: true })

    expect(await client().world.lobbies.count()).toBe(0)
    expect((await client().worlds.list()).map(({ id }) => id)).toEqual(['default'])
  })

  it('go back to the seed of their scenario, and to what they were forked from', async () => {
    const { client, restart } = await serve({ scenario: { ...frozen, regions: [{ region_id: 'attic' }] } })
    const uuids = async () => (await client().world.regions.all()).map(({ region_uuid }) => region_uuid)
    await client().reset()
    const own = await uuids()
    await client().reset({ seed: 99 })
    const seeded = await uuids()
    await client().lobby({ lobby_id: 'mine' })
    await client().worlds.put('copy', { fork: 'default' })
    await client('copy').world.lobbies.delete('mine')
    await restart()

    expect(await uuids()).toEqual(seeded)
    await client().reset()
    await client('copy').reset()
    expect(await uuids()).toEqual(own)
    expect(seeded).not.toEqual(own)
    expect((await client('copy').world.lobbies.all()).map(({ lobby_id }) => lobby_id)).toEqual(['mine'])
  })

  it('show the real time after a stop, if they showed it, and the jobs between have run', async () => {
    const jump = stopTime()
    const { client, restart } = await serve({ scenario: { game_modes: ['duel'] } })
    await client().player({ status: 'reserved', expires_at: Date.now() + minute })
    await restart({ meanwhile: () => jump(5 * minute) })

    expect(Date.parse((await client().clock.get()).now)).toBe(Date.now())
    expect((await client().world.players.all()).map(({ status }) => status)).toEqual(['expired'])
  })

  it('go on from the time of any other clock', async () => {
    const jump = stopTime()
    const { client, restart } = await serve({ scenario: { ...frozen, clock: { mode: 'running', rate: 1_000 } } })
    await client().clock.get()
    jump(100)
    const { now } = await client().clock.get()
    await restart({ meanwhile: () => jump(60 * minute) })

    expect(Date.parse(now)).toBe(Date.parse(frozen.now) + 100_000)
    expect((await client().clock.get()).now).toBe(now)
  })

  it('leave a simulation that missed much where it was', async () => {
    const jump = stopTime()
    const { client, restart } = await serve({
      scenario: { game_modes: ['duel'], players: { concurrent: 50, session: '10m' } },
    })
    const players = () => client().world.players.count(q => q.where({ status: 'connected' }))
    await client().clock.advance('30m')
    await client().clock.set({ rate: 1 })
    const before = await players()
    await restart({ meanwhile: () => jump(48 * 60 * minute) })

    expect(before).toBeGreaterThan(0)
    expect(await players()).toBe(before)
  })

  it('sleep when nobody uses them, as lists say, and wake with the next request', async () => {
    const { client, send } = await serve({ scenario: frozen, worldTtlMs: 200 })
    for (const world of ['mine', 'other']) await send({ ...find, path: `/w/${world}${find.path}` })
    const listed = async (world: string) => (await client().worlds.list()).find(({ id }) => id === world)
    const { id, title, seed, revision, now, created_at } = (await listed('mine')) ?? {}
    for (const world of ['mine', 'other']) await expect.poll(() => listed(world)).toMatchObject({ sleeping: true })

    expect(await listed('mine')).toMatchObject({ id, title, seed, revision, now, created_at, players: 1 })
    expect(JSON.parse((await send({ ...list, path: `/w/mine${list.path}` })).body).lobbies).toHaveLength(1)
    expect([await client().worlds.delete('other'), await client().worlds.delete('other')]).toEqual([true, false])
    expect(await listed('other')).toBeUndefined()
  })

  it('keep their age over a restart', async () => {
    const { client, send, restart } = await serve({ scenario: frozen })
    for (const path of [find.path, `/w/mine${find.path}`]) await send({ ...find, path })
    const ages = async () => (await client().worlds.list()).map(({ id, created_at }) => [id, created_at])
    const before = await ages()
    await restart()
    const sleeping = await ages()
    for (const path of [list.path, `/w/mine${list.path}`]) await send({ ...list, path })

    expect(before).toEqual(['default', 'mine'].map(id => [id, expect.stringMatching(/^20\d\d-/)]))
    expect([sleeping, await ages()]).toEqual([before, before])
  })

  it('are deleted when nobody has used them for long, but not the default world', async () => {
    const { client, send } = await serve({ scenario: frozen, worldTtlMs: 100, dataTtlMs: 300 })
    for (const path of [find.path, `/w/forgotten${find.path}`]) await send({ ...find, path })

    await expect.poll(async () => (await client().worlds.list()).map(({ id }) => id)).toEqual(['default'])
    expect(await client().world.players.count()).toBe(1)
  })
})

describe('the secret of replicas', () => {
  it('is in no journal and no capsule, wherever somebody has written it', async () => {
    const { mock, url, close } = await startReplica(sharedModel())
    onTestFinished(close)
    const [secret = ''] = mock.secrets
    await sendTo(url, { ...list, headers: { 'x-note': secret } })
    const capsule = await sendTo(url, { ...request('GET', '/__mock/capsule'), headers: { accept: 'application/json' } })

    expect(secret.length).toBeGreaterThan(8)
    expect(JSON.stringify(json(capsule))).toContain('x-note')
    expect(JSON.stringify(json(capsule))).not.toContain(secret)
  })
})
