import { renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { exportFromFolder } from '../../../src/cli/export.js'
import { createClient } from '../../../src/client/index.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions } from '../../../src/index.js'
import { openFolder } from '../../../src/server/folder/folder.js'
import { keepInFolder } from '../../../src/server/http/data-folder.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { fetchInProcess, origin } from '../../support/fetch-in-process.js'
import { dataPath, failingFs, filesIn, quickFs } from '../../support/kept-worlds.js'

const minute = 60_000
const path = '/matchmaker/lobbies/list'
const frozen = { now: '2026-11-20T20:00:00Z', clock: 'frozen', game_modes: ['duel'] } as const

let data: string

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  fakeRealTimers()
  data = dataPath()
})

afterEach(() => {
  vi.useRealTimers()
})

/** Starts a mock whose worlds are in the folder. */
function start(options: MockmakerOptions = { scenario: frozen }, more: { reset?: boolean; dataTtlMs?: number } = {}) {
  const mock = createMockmaker(options)
  const reports: string[] = []
  const report = (text: string) => void reports.push(text)
  return { mock, reports, merged: keepInFolder(mockOf(mock, 'test'), { data, report, ...more }) }
}

async function get(mock: Mockmaker, url: string) {
  const response = await mock.answer({ method: 'GET', path: url, headers: {} })
  return { status: response.status, body: JSON.parse(Buffer.from(response.body).toString() || 'null') }
}

async function find(mock: Mockmaker, world = '') {
  return mock.answer({
    method: 'POST',
    path: `${world}/matchmaker/lobbies/find`,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{"game_modes":["duel"]}'),
  })
}

const clientOf = (mock: Mockmaker) => createClient(origin, { fetch: fetchInProcess(mock).fetch })

describe('a mock with a folder', () => {
  it('asks only for the one world of a request, however many there are', async () => {
    const list = vi.spyOn(WorldStorage.prototype, 'list')
    const { mock } = start()
    list.mockClear()

    const { fetch } = fetchInProcess(mock)
    for (const world of ['one', 'two', 'one']) await fetch(`${origin}/w/${world}${path}`)

    expect(list).not.toHaveBeenCalled()
    expect(mock.worlds.list()).toHaveLength(3)
    await mock.close()
  })

  it('goes on with the world of the mock before it', async () => {
    const first = start().mock
    await first.lobby({ lobby_id: 'mine', players: 1 })
    await first.close()

    const { mock } = start()

    expect(mock.world.lobbies.all().map(({ lobby_id }) => lobby_id)).toEqual(['mine'])
    await mock.close()
  })

  it('goes on with a snapshot that was restored, and whose players come and go', async () => {
    const first = start().mock
    await find(first)
    await first.clock.advance(minute)
    await first.restore(first.snapshot())
    const players = first.world.players.all()
    await first.close()

    const { mock } = start()
    await mock.reset()

    expect(players).toMatchObject([
      { status: 'connected', leaves_at: expect.any(Number), removes_at: expect.any(Number) },
    ])
    expect(JSON.stringify(mock.world.players.all())).toBe(JSON.stringify(players))
    await mock.close()
  })

  it('refuses a second mock', async () => {
    const { mock } = start()

    expect(() => start()).toThrow(
      / is in use by this process \(\d+\): close the other mock first, or use another folder\. If this folder is a copy, delete .*\.lock$/,
    )
    await mock.close()
  })

  it('tells in GET /__mock/health where its worlds are, and how large', async () => {
    const { mock } = start()
    await mock.worlds.put('other')

    const health = await clientOf(mock).health()

    const files = Object.entries(filesIn(data)).filter(([name]) => /^(default|other)/.test(name))
    const bytes = files.reduce((sum, [, text]) => sum + text.length, 0)
    expect(health).toMatchObject({ worlds: 2, data: { place: data, worlds: 2, bytes } })
    await mock.close()
  })

  it('merges what has changed in its scenario, as a save does', async () => {
    const first = start().mock
    await first.lobby({ lobby_id: 'mine' })
    await first.close()

    const { mock, merged } = start({ scenario: { ...frozen, game_modes: ['duel', 'race'] } })

    expect(merged).toEqual({ created: 1, changed: 0, deleted: 0, cascaded: 0 })
    expect(mock.world.gameModes.count()).toBe(2)
    expect(mock.world.lobbies.count()).toBe(1)
    await mock.close()
    const again = start({ scenario: { ...frozen, game_modes: ['duel', 'race'] } })
    expect(again.merged).toBeUndefined()
    await again.mock.close()
  })

  it('leaves a lobby alone whose game server the developer runs, at ports of its own', async () => {
    const first = start().mock
    const ports = [{ label: 'default', target_port: 40_001, proxy_protocol: 'https' }] as const
    await first.world.lobbies.create({ lobby_id: 'mine', game_mode_id: 'duel', run_by: 'server', ports })
    await first.close()

    const { mock } = start()

    expect(mock.world.lobbies.get('mine')).toMatchObject({ status: 'ready', run_by: 'server', ports })
    await mock.close()
  })
})

describe('worlds that sleep', () => {
  it('leave memory when nobody uses them, and come back', async () => {
    const { mock } = start({ scenario: frozen, worldTtlMs: minute })
    const app = mockOf(mock, 'test')
    const put = await app.worlds.put('t1', {}, { isKept: false })
    put.world.transaction(tx => {
      tx.lobbies.create({ lobby_id: 'mine', game_mode_id: 'duel' })
    })
    await vi.advanceTimersByTimeAsync(2 * minute)

    expect(put.world.endedBecause).toMatch(/^the world "t1" left memory, because no request came for 1m/)
    expect(mock.worlds.list()).toContainEqual(expect.objectContaining({ id: 't1', revision: put.world.revision }))
    expect((await get(mock, `/w/t1${path}`)).body.lobbies).toHaveLength(1)
    await mock.close()
  })

  it('are deleted from the folder when nobody has used them for long, but not those of code', {
    tags: ['slow'],
  }, async () => {
    const { mock } = start({ scenario: frozen, worldTtlMs: minute }, { dataTtlMs: 2 * minute })
    await mockOf(mock, 'test').worlds.put('t1', {}, { isKept: false })
    await mock.worlds.put('mine')
    await vi.advanceTimersByTimeAsync(5 * minute)

    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'mine'])
    await mock.close()
  })
})

/** Starts a mock whose calls of the file system can fail. */
function startFailing(options: MockmakerOptions = {}) {
  const { fs, failing } = failingFs()
  const mock = createMockmaker({ scenario: { ...frozen, clock: 'running' }, ...options })
  const reports: string[] = []
  const storage = new WorldStorage(openFolder(data, { fs }), { report: text => void reports.push(text) })
  mockOf(mock, 'test').keepIn({ storage, dataTtlMs: minute })
  return { mock, failing, reports }
}

describe('a folder that takes no writes', () => {
  it('refuses writes, answers reads, and holds the time until it works again', async () => {
    const { mock, failing, reports } = startFailing()
    failing.writeSync = 'ENOSPC'

    const refused = await find(mock)
    const [then, revision] = [mock.clock.now(), mock.world.revision]
    await vi.advanceTimersByTimeAsync(5_000)

    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('1')
    expect(JSON.parse(Buffer.from(refused.body).toString())).toMatchObject({ code: 'API_UNAVAILABLE' })
    expect([mock.clock.now(), mock.world.revision, mock.world.players.count()]).toEqual([then, revision, 0])
    expect((await get(mock, path)).status).toBe(200)
    await expect(async () => mock.clock.advance('1m')).rejects.toThrow('no space is left on the device')

    failing.writeSync = undefined
    await vi.advanceTimersByTimeAsync(1_000)

    expect(mock.clock.now()).toBeGreaterThan(then)
    expect((await find(mock)).status).toBe(200)
    expect(reports).toEqual([
      expect.stringMatching(/^the world default takes no changes: .*no space is left on the device/),
      'the world default takes changes again',
    ])
    await mock.close()
  })
})

describe('a world that its folder refuses to delete', () => {
  it('stays, takes changes again, and can be deleted later', async () => {
    const { mock, failing } = startFailing()
    await mock.worlds.put('a')
    failing.renameSync = 'EROFS'
    await expect(mock.worlds.delete('a')).rejects.toThrow('cannot delete the world "a"')
    failing.renameSync = undefined

    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default', 'a'])
    expect((await find(mock, '/w/a')).status).toBe(200)
    await mock.worlds.delete('a')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    await mock.close()
  })
})

describe('a world that is created while its deletion ends', () => {
  it('takes changes', async () => {
    const { mock } = start()
    await mock.worlds.put('a')
    const deleted = mock.worlds.delete('a')
    await mock.worlds.put('a')
    await deleted

    expect((await find(mock, '/w/a')).status).toBe(200)
    await mock.close()
  })
})

describe('a folder that is moved under the mock', () => {
  it('makes the mock not ready until it is back', async () => {
    const { mock } = start()
    const { notReady } = mockOf(mock, 'test')
    renameSync(data, `${data}-elsewhere`)
    await vi.advanceTimersByTimeAsync(2_000)
    const meanwhile = [...notReady]
    renameSync(`${data}-elsewhere`, data)
    await vi.advanceTimersByTimeAsync(2_000)

    expect(meanwhile).toEqual(['the folder of the worlds takes no changes'])
    expect([...notReady]).toEqual([])
    await mock.close()
  })
})

describe('a damaged world', () => {
  it('is refused alone: the mock stays ready, and deletes it', async () => {
    const first = start().mock
    await first.worlds.put('a')
    await first.close()
    truncateSync(join(data, 'a', 'base.json'), 10)
    const { mock } = start()

    const refused = await get(mock, `/w/a${path}`)

    expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('base.json is damaged')])
    expect([...mockOf(mock, 'test').notReady]).toEqual([])
    expect((await get(mock, path)).status).toBe(200)
    await mock.worlds.delete('a')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    await mock.close()
  })
})

describe('the space of a folder', () => {
  it('is at most three times the JSON of the world and its history, however many changes there were', async () => {
    const mock = createMockmaker({ scenario: frozen, history: 20 })
    const folder = openFolder(data, { fs: quickFs })
    const storage = new WorldStorage(folder, { leastLogBytes: 4096 })
    mockOf(mock, 'test').keepIn({ storage, dataTtlMs: minute })
    const ratios: number[] = []
    for (let finds = 0; finds < 150; finds++) {
      expect((await find(mock)).status).toBe(200)
      // The world stays as large as it is, and the log does not.
      const oldest = mock.world.players.findFirst()
      if (oldest && finds >= 60) mock.world.players.delete(oldest)
      if (finds % 5 > 0) continue
      await storage.tick()
      const seen = JSON.stringify([mock.snapshot(), mock.history({ limit: 20 })])
      ratios.push(folder.bytes / seen.length)
    }

    expect(Math.max(...ratios)).toBeLessThan(3)
    await mock.close()
  })
})

describe('a mock that closes while a base is replaced', () => {
  it('leaves the base as it was', async () => {
    const mock = createMockmaker({ scenario: frozen, history: 1 })
    const worlds = new WorldStorage(openFolder(data), { leastLogBytes: 0 })
    mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: minute })
    await mock.lobby({ lobby_id: 'one' })
    await mock.lobby({ lobby_id: 'two' })

    const replacing = worlds.tick()
    await mock.close()

    await expect(replacing).resolves.toBeUndefined()
    const again = start()
    expect(again.mock.world.lobbies.count()).toBe(2)
    await again.mock.close()
  })
})

describe('export of a folder', () => {
  it('prints a world as it was, and changes nothing', async () => {
    const { mock } = start()
    const { revision } = mock.world
    await mock.lobby({ lobby_id: 'mine' })
    const printed: string[] = []
    const print = (text: string) => void printed.push(text)

    await exportFromFolder({ data }, print)
    await exportFromFolder({ data, revision }, print)
    const wrong = exportFromFolder({ data, world: 'defualt' }, print)

    await expect(wrong).rejects.toThrow('has no world "defualt". Known: default. Did you mean default?')
    expect(printed.map(text => text.includes('mine'))).toEqual([true, false])
    await mock.close()
  })
})
