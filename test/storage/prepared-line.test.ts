import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Service } from '../../src/http/service.js'
import { runAtOnce, type Steps } from '../../src/lib/steps.js'
import { createMock } from '../../src/mock/mock.js'
import type { MockWorld } from '../../src/mock/mock-world.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { openFolder } from '../../src/storage/folder.js'
import { originHashOf, originOf } from '../../src/storage/origins.js'
import { type KeptWorld, StorageError } from '../../src/storage/storage.js'
import { WorldStorage } from '../../src/storage/world-storage.js'
import type { LiveWorld } from '../../src/store/world.js'
import type { WorldState } from '../../src/store/world-state.js'
import { createWorld, dataPath, filesIn, interceptedFs, reopen } from '../support/kept-worlds.js'
import { memoryStorage } from '../support/memory-storage.js'
import { steppedClock } from '../support/turns.js'
import { closedAfterTest } from '../support/worlds.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }))

/** The scenario tanks with so many more lobbies. */
function crowded(lobbies: number, title = 'Crowd'): ScenarioInput {
  const listed = Array.from({ length: lobbies }, (_, i) => ({
    lobby_id: `crowd-${i}`,
    game_mode_id: 'duel',
    region_id: 'lnd-fra',
    state: { map: 'é'.repeat(i % 7) },
  }))
  return { title, game_modes: ['duel'], regions: ['lnd-fra'], lobbies: listed }
}

/** Creates a mock whose worlds are in memory, as texts. Lists these by their hashes: they are long. */
function keptMock(scenario: ScenarioInput) {
  const storage = memoryStorage()
  const mock = closedAfterTest(createMock({ scenario }))
  mock.keepIn({ storage: new WorldStorage(storage), dataTtlMs: Number.POSITIVE_INFINITY })
  const texts = () =>
    [...storage.worlds.values()].flatMap(({ lines, origins }) => [
      ...lines.map(({ text }) => text),
      ...origins.values(),
    ])
  const sizeOf = () => texts().reduce((sum, { length }) => sum + length, 0)
  return { mock, hashes: () => texts().map(originHashOf), sizeOf }
}

const large = createMock({ scenario: crowded(1_500) }).default
const reseeded = createMock({ scenario: crowded(400), seed: 7 }).default
const small = createMock({ scenario: crowded(3) }).default

/** Another origin, which names a second one: the one that a reset without a seed goes back to. */
const unseeded = { ...reseeded.world.initialState, unseeded: large.world.initialState }
const states: readonly WorldState[] = [
  large.world.initialState,
  small.world.initialState,
  // A snapshot and a fork have no recipe.
  { ...large.world.state, revision: 5 },
  unseeded,
]

/** A write to a lobby, while the line is prepared. `take`: the row becomes that of the other state. */
type Write = { readonly does: 'delete' | 'close' | 'take'; readonly n: number }
const write: fc.Arbitrary<Write> = fc.record({
  does: fc.constantFrom('delete', 'close', 'take'),
  n: fc.nat(700),
})

function play({ does, n }: Write, { tables: { lobbies } }: LiveWorld): void {
  const id = `crowd-${n}`
  const row = (does === 'take' ? large.world.tables.lobbies : lobbies).get(id)
  if (does === 'delete') lobbies.delete(id)
  else if (row) lobbies.put(does === 'close' ? Object.freeze({ ...row, is_closed: true }) : row)
}

describe('a state whose line was prepared', { tags: ['slow'] }, () => {
  property.prop([fc.nat(states.length - 1), fc.array(write, { maxLength: 4 }), fc.constantFrom(400, 700)], {
    numRuns: 20,
  })('has the line and the origins of one that was not, whatever is written meanwhile', (index, writes, count) => {
    const state = states[index] as WorldState
    const scenario = { ...crowded(count, 'Start'), now: '2026-11-20T20:00:00Z', clock: 'frozen' } as const
    const [prepared, plain] = [keptMock(scenario), keptMock(scenario)]
    const cause = { kind: 'load' } as const

    const work = runAtOnce(prepared.mock.default.world.prepare(state))
    const { tables } = runAtOnce(plain.mock.default.world.prepare(state))
    for (const { mock } of [prepared, plain])
      for (const one of writes) mock.default.world.write(() => play(one, mock.default.world))
    prepared.mock.default.world.replaceState(state, { cause, prepared: work })
    plain.mock.default.world.replaceState(state, { cause, prepared: { tables, append: undefined } })

    expect(prepared.hashes()).toEqual(plain.hashes())
  })

  const loads: readonly (readonly [name: string, load: (world: MockWorld) => Steps<void>])[] = [
    ['a scenario', world => world.loadInSteps(crowded(3_000, 'Loaded'))],
    ['a seed', world => world.resetInSteps({ seed: 9 })],
    ['a snapshot', world => world.restoreInSteps(runAtOnce(large.snapshot()))],
  ]

  it.each(loads)('encodes a little in each step, and no row in the transaction: %s', (_, load) => {
    const { mock, sizeOf } = keptMock(crowded(2_000))
    const before = sizeOf()
    const steps = load(mock.default)
    const stringify = vi.spyOn(JSON, 'stringify')
    const encoded: number[] = []

    for (let done: boolean | undefined = false; !done; ) {
      stringify.mockClear()
      done = steps.next().done
      encoded.push(stringify.mock.results.reduce((sum, { value }) => sum + (value?.length ?? 0), 0))
    }

    stringify.mockRestore()
    expect(sizeOf() - before).toBeGreaterThan(150_000)
    expect(Math.max(...encoded)).toBeLessThan(80_000)
    expect(encoded.at(-1)).toBeLessThan(5_000)
  })
})

/** Notes the calls of `node:fs`, and the files that are open. */
function countedFs() {
  const open = new Set<unknown>()
  const calls: string[] = []
  const fs = interceptedFs((call, args, run) => {
    calls.push(call)
    const result = run()
    if (call === 'openSync') open.add(result)
    if (call === 'closeSync') open.delete(args[0])
    return result
  })
  return { fs, open, calls }
}

describe('a new world of a large scenario', () => {
  it('is encoded a little in each step', async () => {
    const { mock, sizeOf } = keptMock(crowded(3))
    const before = sizeOf()
    const stringify = vi.spyOn(JSON, 'stringify')
    const encoded: number[] = []
    const inSlices = async <Result>(steps: Steps<Result>): Promise<Result> => {
      for (;;) {
        stringify.mockClear()
        const { done, value } = steps.next()
        encoded.push(stringify.mock.results.reduce((sum, { value }) => sum + (value?.length ?? 0), 0))
        if (done) return value
      }
    }

    await mock.worlds.put('loaded', { scenario: crowded(2_000) }, { isKept: true, inSlices })

    stringify.mockRestore()
    expect(sizeOf() - before).toBeGreaterThan(100_000)
    expect(Math.max(...encoded)).toBeLessThan(80_000)
  })
})

describe('an origin that is written to a folder in steps', () => {
  const long = originOf(['{"long":"', 'é'.repeat(200_000), '"}'])
  const steps = (world: KeptWorld) => world.prepareOrigin?.(long) as Steps<void>
  const names = (path: string) => Object.keys(filesIn(path)).filter(name => name.includes('origin'))

  it('is complete before its name is there', () => {
    const { path, world } = createWorld()
    const work = steps(world)

    work.next()
    work.next()
    expect(() => world.origin(long.hash)).toThrow(StorageError)
    runAtOnce(work)

    expect(names(path)).toHaveLength(2)
    expect(world.origin(long.hash)).toBe(long.pieces.join(''))
  })

  it('is not written again when a line names it', () => {
    const { fs, calls } = countedFs()
    const { world } = createWorld({ fs })
    runAtOnce(steps(world))
    const before = calls.length

    world.putOrigin(long)

    expect(calls.slice(before)).toEqual([])
  })

  it('is whole if two calls write it at once', () => {
    const { path, world } = createWorld()
    const [one, other] = [steps(world), steps(world)]

    one.next()
    one.next()
    other.next()
    runAtOnce(one)
    const first = world.origin(long.hash)
    runAtOnce(other)

    expect([first, world.origin(long.hash)].map(originHashOf)).toEqual([long.hash, long.hash])
    expect(names(path)).toHaveLength(2)
  })

  it('is written anew if a new base removed it before a line named it', () => {
    const { path, world } = createWorld()
    world.append({ revision: 11, text: '{}' })
    runAtOnce(steps(world))
    world.replaceBase({ parts: ['1'], revision: 11, originHash: world.originHash })
    expect(() => world.origin(long.hash)).toThrow(StorageError)

    world.putOrigin(long)
    world.append({ revision: 12, text: `{"origin":"${long.hash}"}` })

    expect(reopen(path).origin(long.hash)).toBe(long.pieces.join(''))
  })

  it.each<readonly [string, (world: KeptWorld, work: Steps<void>) => unknown]>([
    [
      'the world was closed',
      (world, work) => {
        world.close()
        return runAtOnce(work)
      },
    ],
    ['the call ends', (_, work) => work.throw(new StorageError('is closed'))],
  ])('leaves nothing, and closes its file, if %s meanwhile', (_, end) => {
    const { fs, open } = countedFs()
    const { path, world } = createWorld({ fs })
    const before = open.size
    const work = steps(world)
    work.next()
    work.next()
    expect(open.size).toBe(before + 1)

    expect(() => end(world, work)).toThrow(/is closed/)

    expect(open.size).toBeLessThanOrEqual(before)
    expect(names(path)).toHaveLength(1)
  })

  it('leaves nothing if the client of the call disconnects meanwhile', async () => {
    const { fs, open } = countedFs()
    const data = dataPath()
    const mock = closedAfterTest(createMock({ scenario: crowded(3) }))
    mock.keepIn({ storage: new WorldStorage(openFolder(data, { fs })), dataTtlMs: Number.POSITIVE_INFINITY })
    const before = open.size
    const client = {
      get aborted() {
        return open.size > before
      },
      addEventListener() {},
      removeEventListener() {},
    }
    const body = new TextEncoder().encode(JSON.stringify({ scenario: crowded(2_000) }))
    const request = {
      method: 'PUT',
      path: '/__mock/scenario',
      query: '',
      headers: { 'content-type': 'application/json' },
      body,
      signal: () => client,
    }

    const { status } = await new Service(mock, { now: steppedClock(10) }).serve(request, () => '').answer()

    expect(status).toBe(499)
    expect([open.size, names(data).length]).toEqual([before, 1])
  })
})
