import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { mockOf } from '../../src/core/mock/facade.js'
import { tableNames } from '../../src/core/store/table-names.js'
import { Api } from '../../src/dashboard/world/api.js'
import { FollowedWorld } from '../../src/dashboard/world/followed-world.js'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { keepInFolder } from '../../src/server/http/data-folder.js'
import { fetchInProcess, origin } from '../support/fetch-in-process.js'
import { dataPath } from '../support/kept-worlds.js'
import { tanks } from '../support/tanks.js'
import { closedAfterTest } from '../support/worlds.js'

/** All rows of a mock, as JSON, by table and id. */
function rowsOf(mock: Mockmaker): Record<string, Record<string, unknown>> {
  const { tables } = mockOf(mock, 'test').default.world.state as never as Record<
    string,
    Record<string, { entries(): { id: string; row: unknown }[] }>
  >
  return Object.fromEntries(
    tableNames.map(name => [name, Object.fromEntries(tables?.[name]?.entries().map(({ id, row }) => [id, row]) ?? [])]),
  )
}

const rowsShown = ({ tables }: FollowedWorld) =>
  Object.fromEntries(tableNames.map(name => [name, Object.fromEntries(tables[name] as Map<string, unknown>)]))

const actions: { readonly [name: string]: (mock: Mockmaker, drop: () => void) => unknown } = {
  lobby: mock => mock.lobby({ game_mode_id: 'duel', players: 1 }),
  request: mock => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }),
  player: mock => mock.player(),
  delete: mock => mock.world.lobbies.delete(mock.world.lobbies.all()[0]?.lobby_id ?? ''),
  advance: mock => mock.clock.advance('20m'),
  reset: mock => mock.reset({ keep: ['journal'] }),
  load: mock =>
    mock.load({ seed: 3, clock: 'frozen', game_modes: ['duel', 'ffa'], lobbies: [{ game_mode_id: 'ffa' }] }),
  drop: (_, drop) => drop(),
}

describe('the world of a page', () => {
  it('knows the players and their names, also those from before it was opened', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
    const { fetch } = fetchInProcess(mock)
    const followed = new FollowedWorld(new Api(origin, fetch))
    await expect.poll(() => followed.version.value).toBeGreaterThan(0)
    const tokens: string[] = []
    for (const duration of ['1s', '5s', '40s', '1s'] as const) {
      const body = new TextEncoder().encode('{"game_modes":["duel"]}')
      const answer = await mock.answer({ method: 'POST', path: '/matchmaker/lobbies/find', headers: {}, body })
      tokens.push(JSON.parse(new TextDecoder().decode(answer.body)).player.token)
      await mock.clock.advance(duration)
    }
    const opened = new FollowedWorld(new Api(origin, fetch))
    await expect.poll(() => opened.version.value).toBeGreaterThan(0)

    const spansOf = ({ players }: FollowedWorld) =>
      tokens.map(token => players.value.find(span => span.token === token))
    await expect.poll(() => spansOf(followed)).toEqual(spansOf(opened))
    expect(spansOf(opened)).not.toContain(undefined)
    for (const live of [followed, opened]) {
      // The event with the names comes soon after the changes.
      await expect
        .poll(() => tokens.map(token => live.nameOf(token)))
        .toEqual(tokens.map(token => mock.stories.get(token)?.name))
      live.close()
    }
  })

  it('reads the rows beside its first events, and again if the world changed in between', async () => {
    const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
    const { fetch } = fetchInProcess(mock)
    const open = (between: () => unknown) => {
      const called: string[] = []
      const inOrder: typeof fetch = async (input, init) => {
        const path = new URL(String(input)).pathname.replace('/__mock/', '')
        called.push(path)
        // The rows come first, and then the world may change before the events begin.
        if (path === 'changes') await Promise.resolve().then(between)
        return await fetch(input, init)
      }
      return { called, live: new FollowedWorld(new Api(origin, inOrder)) }
    }
    const rowReads = (called: readonly string[]) => called.filter(path => path === 'rows').length

    const quiet = open(() => new Promise(resolve => setTimeout(resolve)))
    await expect.poll(() => quiet.live.version.value).toBeGreaterThan(0)
    const changed = open(async () => {
      await new Promise(resolve => setTimeout(resolve))
      await mock.lobby({ lobby_id: 'new', game_mode_id: 'duel' })
    })
    await expect.poll(() => [...changed.live.tables.lobbies.keys()]).toEqual(['new'])

    expect([rowReads(quiet.called), rowReads(changed.called)]).toEqual([1, 2])
    expect(quiet.called.slice(0, 2)).toEqual(['changes', 'rows'])
    quiet.live.close()
    changed.live.close()
  })

  it('leaves out requests that the journal drops while they are on their way to the page', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { fetch } = fetchInProcess(mock)
    await mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const slow: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (String(input).includes('/__mock/journal')) await released
      return response
    }
    const live = new FollowedWorld(new Api(origin, slow))
    await expect.poll(() => live.about.value).toBeDefined()

    mock.journal.clear()
    mock.fail('lobbies.list', 503)
    await expect.poll(() => live.faults.value).toHaveLength(1)
    release()
    await expect.poll(() => live.version.value).toBeGreaterThan(0)

    expect(live.exchanges.value).toEqual([])
    live.close()
  })

  it('knows the folder of the worlds, and no folder if there is none', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const data = dataPath()
    const kept = closedAfterTest(createMockmaker({ scenario: tanks }))
    keepInFolder(mockOf(kept, 'test'), { data, report: () => {} })
    const [inMemory, inFolder] = [mock, kept].map(one => new FollowedWorld(new Api(origin, fetchInProcess(one).fetch)))

    await expect.poll(() => inFolder?.data.value).toMatchObject({ place: data, worlds: 1 })
    await expect.poll(() => inMemory?.version.value).toBeGreaterThan(0)
    expect(inMemory?.data.value).toBeUndefined()
    inMemory?.close()
    inFolder?.close()
  })

  it('goes on with a kept world after a restart, and reads its rows only once', async () => {
    const data = dataPath()
    const begin = () => {
      const mock = createMockmaker({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
      keepInFolder(mockOf(mock, 'test'), { data, report: () => {} })
      return { mock, ...fetchInProcess(mock) }
    }
    let served = begin()
    const called: string[] = []
    const live = new FollowedWorld(
      new Api(origin, (input, init) => {
        called.push(new URL(String(input)).pathname)
        return served.fetch(input, init)
      }),
      { retryMs: 0 },
    )
    const list = () => served.mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    for (let i = 0; i < 9; i++) await list()
    await expect.poll(() => live.exchanges.value).toHaveLength(9)

    await served.mock.lobby({ lobby_id: 'before' })
    served.drop()
    await served.mock.close()
    served = begin()
    await served.mock.lobby({ lobby_id: 'after' })
    await list()
    await list()

    await expect.poll(() => [...live.tables.lobbies.keys()]).toEqual(['before', 'after'])
    await expect
      .poll(() => live.exchanges.value.map(({ id }) => id))
      .toEqual(served.mock.journal.find().map(({ id }) => id))
    expect(live.missed.value).toBe('requests')
    expect(called.filter(path => path.endsWith('/rows'))).toHaveLength(1)
    live.close()
    await served.mock.close()
  })

  it('shows the rows and the requests of the mock after any changes, and after lost connections', {
    tags: ['slow'],
  }, async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { fetch, drop } = fetchInProcess(mock)
    const live = new FollowedWorld(new Api(origin, fetch), { retryMs: 0 })

    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(actions)), { maxLength: 12 }), async names => {
        for (const name of names)
          await Promise.resolve()
            .then(() => actions[name]?.(mock, drop))
            .catch(() => {})
        await expect.poll(() => rowsShown(live)).toEqual(JSON.parse(JSON.stringify(rowsOf(mock))))
        await expect
          .poll(() => live.exchanges.value.map(({ id }) => id))
          .toEqual(mock.journal.find().map(({ id }) => id))
      }),
      { numRuns: 12 },
    )
    live.close()
  })
})
