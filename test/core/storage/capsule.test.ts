import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import type { CapsuleOptions } from '../../../src/core/control/world-control.js'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { createMockmaker, type Mockmaker, type MockmakerOptions, type ScenarioInput } from '../../../src/index.js'
import { scenario } from '../../../src/testing/arbitraries/scenario.js'
import { step } from '../../../src/testing/arbitraries/step.js'
import { ask } from '../../support/http.js'
import { tanks } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'
import { addOutage, runInOutage } from './add-outage.js'
import { memoryStorage } from './memory-storage.js'

/** Exports a mock as a capsule, and opens that. */
function reopened(mock: Mockmaker, options?: CapsuleOptions): Mockmaker {
  const json = runAtOnce(mockOf(mock, 'test').default.capsule(options))
  return createMockmaker({ scenario: JSON.parse(json) as ScenarioInput, live: true })
}

/** Everything that a user can see of a world and of its past. */
function seen(mock: Mockmaker, when?: 'later') {
  const history = mock.history({ limit: 1_000 })
  const revisions = history.change_sets.map(({ revision }) => revision)
  const journal = mock.journal.find()
  const { stories } = mock.stories.list({ limit: 100 })
  const all = {
    revision: mock.world.revision,
    now: mock.clock.now(),
    snapshot: mock.snapshot({ with: ['faults'] }),
    schedule: mock.schedule(),
    faults: mock.faults.list(),
    history,
    pasts: [history.oldest, ...revisions].map(revision => mock.snapshot({ revision })),
    // The history writes reasons to entries some at once, and `why` has them all.
    journal: journal.map(({ reasons: _, ...entry }) => entry),
    why: journal.map(({ id }) => mock.explain({ exchange: id })),
    position: { dropped: mock.journal.dropped(), begins: mock.journal.beginsAt() },
    stories: stories.map(({ token }) => mock.stories.get(token, { mermaid: true })),
    served: mock.world.lobbies.all().map(({ lobby_id }) => mock.servers.served(lobby_id)),
  }
  // Later answers have taken another time.
  const isTime = (key: string) => when === 'later' && (key === 'ms' || key === 'blocked_ms')
  return JSON.parse(JSON.stringify(all, (key, value) => (isTime(key) ? 0 : value)))
}

describe('a capsule', () => {
  const numRuns = Math.min(inject('runs'), 60)

  it.prop([scenario(), fc.integer({ min: 0, max: 20 }), fc.nat()], { numRuns })(
    'has the world and its past, and goes on as that world does',
    async (input, count, seed) => {
      const mock = createMockmaker({ scenario: input })
      addOutage(mock)
      for (const one of fc.sample(step(mock), { seed, numRuns: count })) await runInOutage(one)
      await mock.clock.set({ mode: 'frozen' })

      const warn = vi.spyOn(console, 'warn')
      const opened = reopened(mock)
      const [there, here] = [seen(opened), seen(mock)]
      const next = [opened, mock].map(one => fc.sample(step(one), { seed: seed + 1, numRuns: 3 }))
      for (const steps of next) for (const one of steps) await runInOutage(one)
      const [thereLater, hereLater] = [seen(opened, 'later'), seen(mock, 'later')]
      await Promise.all([opened.close(), mock.close()])

      expect(warn).not.toHaveBeenCalled()
      expect(there).toEqual(here)
      expect(thereLater).toEqual(hereLater)
    },
  )
})

const scenarioOf = { ...tanks, clock: 'running' } satisfies ScenarioInput

/** A world with one find in each minute. */
async function busy(options: MockmakerOptions = {}) {
  const mock = closedAfterTest(createMockmaker({ scenario: { ...tanks, clock: 'frozen' }, ...options }))
  for (let minute = 0; minute < 3; minute++) {
    await ask(mock, { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["duel"]}' })
    await mock.clock.advance('1m')
  }
  return mock
}

function capsuleOf(mock: Mockmaker, options?: CapsuleOptions) {
  return JSON.parse(runAtOnce(mockOf(mock, 'test').default.capsule(options)))
}

describe('a capsule', () => {
  it('has only the newest part of the past with `last`, and the reasons of all its requests', async () => {
    const mock = await busy()
    const opened = closedAfterTest(createMockmaker({ scenario: capsuleOf(mock, { last: '90s' }) }))
    const [newest] = mock.journal.find().slice(-1)

    expect(opened.journal.find().map(({ id }) => id)).toEqual([newest?.id])
    expect(opened.explain({ exchange: newest?.id ?? 0 })).toEqual(mock.explain({ exchange: newest?.id ?? 0 }))
    expect(opened.history().oldest).toBeGreaterThan(mock.history().oldest)
    expect(() => opened.snapshot({ revision: mock.history().oldest })).toThrow('is no longer kept')
  })

  it('keeps the reasons of all its requests where the history is shorter', async () => {
    const mock = await busy()
    const opened = closedAfterTest(createMockmaker({ scenario: capsuleOf(mock), history: 1 }))
    const reasons = (one: Mockmaker) => one.journal.find().map(({ id }) => one.explain({ exchange: id }))

    expect(opened.history().change_sets).toHaveLength(1)
    expect(reasons(opened)).toEqual(reasons(mock))
  })

  it('is the state that a reset goes back to', async () => {
    const mock = await busy()
    const opened = closedAfterTest(createMockmaker({ scenario: capsuleOf(mock) }))
    const end = { ...opened.snapshot(), revision: 0 }

    await opened.world.players.deleteMany(undefined)
    await opened.clock.advance('1h')
    await opened.reset()

    expect({ ...opened.snapshot(), revision: 0 }).toEqual(end)
    expect(opened.journal.find()).toEqual([])
  })

  it('stands still at its end, and another world of the mock begins there without its past', async () => {
    const mock = await busy({ scenario: scenarioOf })
    const opened = closedAfterTest(createMockmaker({ scenario: capsuleOf(mock) }))
    const other = await opened.worlds.put('other')

    expect([opened.clock.mode, other.clock.mode]).toEqual(['frozen', 'frozen'])
    expect(other.journal.find()).toEqual([])
    const ids = ({ world }: Pick<Mockmaker, 'world'>) => world.lobbies.all().map(({ lobby_id }) => lobby_id)
    expect(ids(other).sort()).toEqual(ids(opened).sort())
  })

  it('has the whole request of a client, to send it again, unless it had a token', async () => {
    const mock = closedAfterTest(
      createMockmaker({ scenario: { game_modes: ['duel'], tokens: { development: 'dev' } } }),
    )
    const inner = mockOf(mock, 'test')
    const body = new TextEncoder().encode('{"lobby_id":"none","n":12345678901234567890}')
    const request = {
      method: 'POST',
      path: '/matchmaker/lobbies/join',
      query: 'a=1&a=2',
      headers: { 'x-id': '7' },
      body,
    }
    for (const headers of [request.headers, { authorization: 'Bearer dev' }])
      await inner.answer({ ...request, headers })
    const opened = mockOf(closedAfterTest(reopened(mock)), 'test').default
    const [one, withToken] = opened.journal.find().map(({ id }) => opened.journal.sentRequest(id))

    expect(one).toEqual({ ...request, body: '{"lobby_id":"none","n":12345678901234567890}' })
    expect(withToken).toBeUndefined()
  })

  it('has no control token, wherever somebody has written it', async () => {
    const mock = await busy()
    mockOf(mock, 'test').secrets.add('s3cret"\\control')
    await mock.lobby({ state: { note: 'it is s3cret"\\control' } })

    const text = runAtOnce(mockOf(mock, 'test').default.capsule())

    expect(text).toContain('it is …')
    expect(text).not.toContain('s3cret')
  })

  it('replaces a running world with `load`, whose readers learn of it', async () => {
    const mock = await busy()
    const running = await busy()
    const events = running.changes({ with: ['history'] })
    await running.load(capsuleOf(mock))
    for await (const { type } of events) if (type === 'gone') break

    const [here, there] = [mock, running].map(one => one.journal.find())
    expect(there?.map(({ path }) => path)).toEqual(here?.map(({ path }) => path))
    expect(running.history().oldest).toBe(mock.history().oldest)
    const [{ token } = { token: '' }] = running.stories.list().stories
    const requests = (one: Mockmaker) => one.stories.get(token)?.steps.map(({ title, text }) => [title, text])
    expect(requests(running)).toEqual(requests(mock))
    // Its own requests have used the first ids.
    for (const { id } of running.journal.find()) expect(running.explain({ exchange: id })).toBeDefined()
    expect(Math.min(...running.journal.find().map(({ id }) => id))).toBeGreaterThan(6)
  })
})

describe('a capsule that cannot be read', () => {
  it('is its past if somebody has edited its scenario, with a warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const mock = await busy()
    const capsule = capsuleOf(mock)
    const options = { live: true, seed: 7, publicUrl: 'https://reader.test' }
    closedAfterTest(createMockmaker({ scenario: capsule, ...options }))
    const unedited = warn.mock.calls.length
    capsule.games[0].namespaces[0].game_modes[0].max_players = 9
    const opened = closedAfterTest(createMockmaker({ scenario: capsule }))

    expect(unedited).toBe(0)
    expect(warn.mock.calls.join()).toContain(
      'the scenario of the capsule has other gameModes than its past, which wins',
    )
    expect(opened.world.gameModes.all()).toEqual(mock.world.gameModes.all())
  })

  it.each([
    ['a missing part', { base: undefined }, 'the past in the capsule is damaged (base: Invalid input'],
    ['a wrong text', { base: '{' }, 'the past in the capsule is damaged ('],
    ['a wrong change', { changes: [[1, 2, '{"rows":[["lobbies"]]}']] }, 'the past in the capsule is damaged ('],
    [
      'a wrong story',
      {
        stories: {
          stories: [{ token: 'x', state: 'x', facts: [{ kind: 'x', at: 1, revision: 1 }] }],
          beginsAt: { revision: 1, at: 1 },
          nextId: 1,
          dropped: 0,
          changes: 0,
        },
      },
      'a story has a fact of an unknown kind',
    ],
    ['a wrong exchange', { exchanges: [['{"id":1}']] }, 'the past in the capsule is damaged (exchange: time'],
  ])('is refused for %s, and nothing changes', async (_, wrong, message) => {
    const running = await busy()
    const capsule = capsuleOf(await busy())
    const before = running.snapshot({ with: ['journal'] })
    const damaged = { ...capsule, past: { ...capsule.past, ...wrong } }

    expect(() => createMockmaker({ scenario: damaged })).toThrow(message)
    await expect(running.load(damaged)).rejects.toThrow(message)
    expect(running.snapshot({ with: ['journal'] })).toEqual(before)
  })

  type Change = [id: number, revision: number, text: string]
  interface Texts {
    base: string
    changes: Change[]
  }
  const inBase = (from: RegExp, to: string) => (past: Texts) => ({ ...past, base: past.base.replace(from, to) })
  const inChanges = (from: RegExp, to: string) => (past: Texts) => ({
    ...past,
    changes: past.changes.map(([id, revision, text]): Change => [id, revision, text.replace(from, to)]),
  })
  const moment = { revision: 1, at: 1 }
  const warning = {
    ...{ id: 1, rule: 'x', sentence: 'x.', advice: 'x.', count: 1, revision: 1, requests: [] },
    ...{ first_at: '2026-11-20T20:00:00.000Z', last_at: '2026-11-20T20:00:00.000Z' },
  }
  const withWarning = (wrong: object) => (past: Texts) => ({
    ...past,
    warnings: { warnings: [{ ...warning, ...wrong }], dropped: 0 },
  })
  it.each<readonly [string, (past: Texts) => object, string]>([
    ['a warning without a sentence', withWarning({ sentence: undefined }), 'warnings.warnings.0.sentence'],
    ['a warning whose time is none', withWarning({ last_at: '2026-13-45' }), 'warnings.warnings.0.last_at'],
    ['players of a warning that are no list', withWarning({ players: {} }), 'warnings.warnings.0.players'],
    ['a beginning that is no date', past => ({ ...past, begins_at: 1e300 }), 'begins_at'],
    [
      'a story whose time is no date',
      past => ({
        ...past,
        stories: {
          stories: [{ token: 'x', state: 'reserved', facts: [{ kind: 'reserved', revision: 1, at: 1e300 }] }],
          ...{ beginsAt: moment, nextId: 1, dropped: 0, changes: 0 },
        },
      }),
      'stories.stories.0.facts.0.at',
    ],
    [
      'a revision that can rise no more',
      past => ({ ...past, changes: past.changes.map(([id, , text]) => [id, Number.MAX_SAFE_INTEGER, text]) }),
      'changes.0',
    ],
    ['a row that breaks its schema', inBase(/"lobby_id":"[^"]+"/, '"lobby_id":null'), 'state: tables.lobbies'],
    [
      'a changed row that breaks its schema',
      inChanges(/"player_token":"[^"]+"/, '"player_token":7'),
      'change: rows[1][2].player_token is 7: expected string',
    ],
    ['an unknown table', inChanges(/\["players"/, '["__proto__"'), 'change: rows[1][0] is "__proto__"'],
    ['a time that is no date', inBase(/"now":\d+/, '"now":1e300'), 'state: clock.now is 1e+300'],
    ['no settings', inBase(/("settings":\{"entries":\[).*?\](?=,"nextSeq)/, '$1]'), 'its settings are missing'],
    [
      'a random state that is none',
      inBase(/"random":\[-?\d+/, '"random":[9e15'),
      'state: random[0] is 9000000000000000',
    ],
    ['revisions that fall', past => ({ ...past, changes: past.changes.toReversed() }), 'comes after'],
  ])('is refused for %s', async (_, damage, message) => {
    const capsule = capsuleOf(await busy())

    expect(() => createMockmaker({ scenario: { ...capsule, past: damage(capsule.past) } })).toThrow(message)
  })

  it('has at most 100 warnings, with 20 requests and 20 players each', async () => {
    const capsule = capsuleOf(await busy())
    const many = Array.from({ length: 101 }, (_, i) => i + 1)
    const warnings = many.map(id => ({ ...warning, id, requests: many, players: many.map(String) }))
    const past = { ...capsule.past, warnings: { warnings, dropped: 0 } }
    const opened = closedAfterTest(createMockmaker({ scenario: { ...capsule, past } }))
    const [first] = opened.warnings.list()

    expect(opened.warnings.list()).toHaveLength(100)
    expect(opened.warnings.dropped()).toBe(1)
    expect([first?.requests.length, first?.players?.length]).toEqual([20, 20])
  })

  it('is its end alone if another version of the mock has written it, with a warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const capsule = capsuleOf(await busy())
    const later = { ...capsule, past: { format: 2, version: '9.0.0' } }
    const opened = closedAfterTest(createMockmaker({ scenario: later }))

    expect(warn.mock.calls).toEqual([[expect.stringContaining('the capsule is of mockmaker 9.0.0')]])
    expect(opened.world.players.count()).toBe(capsule.past.stories.stories.length)
    expect(opened.journal.find()).toEqual([])
  })

  it('is refused if another version of the mock has written a state that this one does not know', async () => {
    const { past, ...state } = capsuleOf(await busy())
    const load = (made: object) => () => createMockmaker({ scenario: { ...state, parties: [], past: made } })

    expect(load({ ...past, version: '9.0.0' })).toThrow(
      `the capsule is of mockmaker 9.0.0, and mockmaker ${past.version} cannot read it. The page in the file still opens. It says: scenario: parties is an unknown key`,
    )
    expect(load(past)).toThrow(/^scenario: parties is an unknown key/)
  })

  it('is its end alone in a world that a storage keeps, with a warning', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const capsule = capsuleOf(await busy())
    const kept = await busy()
    mockOf(kept, 'test').keepIn({ storage: new WorldStorage(memoryStorage()), dataTtlMs: Number.POSITIVE_INFINITY })

    await kept.load(capsule)

    expect(warn.mock.calls).toEqual([[expect.stringContaining('has the end of the capsule, and not its past')]])
    expect(kept.world.players.count()).toBe(capsule.past.stories.stories.length)
    expect(kept.journal.find()).toEqual([])
  })

  it('writes nothing of its own to the terminal of its reader', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const capsule = capsuleOf(await busy())
    const hostile = '1.0.0\u001b[2J'

    closedAfterTest(createMockmaker({ scenario: { ...capsule, past: { format: 2, version: hostile } } }))
    expect(warn.mock.calls.join()).toContain('the capsule is of another version of mockmaker, and this version')
    for (const key of ['version', 'made_at'])
      expect(() => createMockmaker({ scenario: { ...capsule, past: { ...capsule.past, [key]: hostile } } })).toThrow(
        `the past in the capsule is damaged (${key}`,
      )
  })

  it('runs no command', async () => {
    const capsule = capsuleOf(await busy())

    expect(() =>
      createMock({ scenario: { ...capsule, servers: { command: 'rm -r .' } } }, { commands: 'allowed' }),
    ).toThrow('servers.command')
  })
})
