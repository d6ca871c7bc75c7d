import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { Service } from '../../src/http/service.js'
import { runAtOnce } from '../../src/lib/steps.js'
import { createMock, type Mock } from '../../src/mock/mock.js'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import type { MockRequest } from '../../src/server/message.js'
import { play, randomWrite } from '../support/random-write.js'
import { tanks } from '../support/tanks.js'
import { eachTurn, steppedClock } from '../support/turns.js'
import { closedAfterTest, stateOf } from '../support/worlds.js'

const [game, ...otherGames] = tanks.games ?? []
const [prod, ...namespaces] = game?.namespaces ?? []

/** The scenario tanks with many more lobbies. */
function crowded(title: string, generated = 400): ScenarioInput {
  const listed = Array.from({ length: 300 }, (_, i) => ({ game_mode_id: 'ffa', players: [{}, {}], state: { i } }))
  const lobbies = [...(prod?.lobbies ?? []), ...listed]
  const crowd = { ...prod, lobbies, generate: { lobbies: generated } }
  return { ...tanks, title, games: [{ ...game, namespaces: [crowd, ...namespaces] }, ...otherGames] }
}

const start = crowded('Start', 0)
const wrong: ScenarioInput = { ...start, device_links: Array(200).fill({ status: 'lost' as 'pending', token: 'a' }) }

function crowdedMock(): Mock {
  return closedAfterTest(createMock({ scenario: start }, { scenarios: { Named: crowded('Named') } }))
}

type Call = readonly [method: string, target: string, body: object]

async function call(
  service: Service,
  [method, target, body]: Call,
  signal?: MockRequest['signal'],
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const asked = {
    method,
    path: target.replace(/^(\/w\/\w+)?/, '$1/__mock'),
    query: '',
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
    ...(signal && { signal }),
  }
  const answered = await service.serve(asked, () => '').answer()
  return { status: answered.status, body: JSON.parse(new TextDecoder().decode(answered.body) || '{}') as never }
}

/** Calls in slices of two steps. */
const inSlices = (mock: Mock, one: Call, signal?: MockRequest['signal']) =>
  call(new Service(mock, { now: steppedClock(10) }), one, signal)

/** Calls in one slice. */
const atOnce = (mock: Mock, one: Call) => call(new Service(mock, { now: () => 0 }), one)

const other = createMock({ scenario: crowded('Other') })
const snapshot = runAtOnce(other.default.snapshot({ with: ['faults'] }))

/** The calls that may replace many rows. */
const calls: readonly (readonly [name: string, call: Call])[] = [
  ['PUT /scenario with an object', ['PUT', '/scenario', { scenario: crowded('Loaded') }]],
  ['PUT /scenario with a text', ['PUT', '/scenario', { text: JSON.stringify(crowded('Loaded')) }]],
  ['PUT /scenario with a name', ['PUT', '/scenario', { name: 'Named' }]],
  ['POST /reset with a seed', ['POST', '/reset', { seed: 99 }]],
  ['PUT /snapshot', ['PUT', '/snapshot', snapshot]],
  ['PUT /worlds/{id} of a new world', ['PUT', '/worlds/a', { scenario: crowded('New') }]],
  ['PUT /worlds/{id} of a known world', ['PUT', '/worlds/default', { scenario: crowded('New') }]],
]

/** A scenario without a crowd, and the calls that go back to it or fork it. */
async function changed(mock: Mock): Promise<number> {
  const { revision } = mock.default.world
  await mock.default.load(crowded('Changed'))
  return revision
}

/** Everything in the worlds of a mock. */
const worldsOf = (mock: Mock) => mock.worlds.list().map(({ id }) => stateOf(mock.worlds.known(id).world))

describe('a call that replaces many rows', () => {
  it.each(calls)('lets other work run between its steps: %s', async (_, one) => {
    const mock = crowdedMock()

    const { value, turns } = await eachTurn(inSlices(mock, one))

    expect(value.status).toBe(200)
    expect(turns).toBeGreaterThan(3)
  })

  it('lets other work run while it forks a past revision, or resets a changed world', async () => {
    const mock = crowdedMock()
    const revision = await changed(mock)

    const fork = await eachTurn(inSlices(mock, ['PUT', '/worlds/a', { fork: 'default', revision }]))
    const reset = await eachTurn(inSlices(mock, ['POST', '/reset', {}]))

    expect([fork.value.status, reset.value.status]).toEqual([200, 200])
    expect(Math.min(fork.turns, reset.turns)).toBeGreaterThan(2)
    expect(fork.value.body.title).toBe('Start')
  })

  it('reads a long body in slices', async () => {
    const mock = crowdedMock()
    const long = { scenario: { ...tanks, unknown: 'x'.repeat(6 * 1024 ** 2) } }

    const { value, turns } = await eachTurn(inSlices(mock, ['PUT', '/scenario', long]))

    expect([value.status, turns > 1]).toEqual([400, true])
  })

  it.each(calls)('shows the world as it was until it ends: %s', async (_, one) => {
    const mock = crowdedMock()
    const { world } = mock.default
    const before = stateOf(world)
    const seen = new Set<string>()

    await eachTurn(inSlices(mock, one), () => {
      seen.add(stateOf(world))
    })

    expect(seen).toContain(before)
    expect([...seen].filter(state => state !== before && state !== stateOf(world))).toEqual([])
  })

  it.each(calls)('has the result of a call at once: %s', async (_, one) => {
    const [sliced, whole] = [crowdedMock(), crowdedMock()]

    const results = [await inSlices(sliced, one), await atOnce(whole, one)]

    expect(results[0]).toEqual(results[1])
    expect(worldsOf(sliced)).toEqual(worldsOf(whole))
  })

  it.each<readonly [string, Call]>([
    ['the schema', ['PUT', '/scenario', { scenario: wrong }]],
    ['the schema, as a text', ['PUT', '/scenario', { text: JSON.stringify(wrong), file: 'a.json' }]],
    [
      'the checks',
      ['PUT', '/scenario', { scenario: { ...start, bearer_tokens: Array(200).fill({ token: 'a', kind: 'public' }) } }],
    ],
    ['the call', ['PUT', '/snapshot', start]],
    ['the world', ['PUT', '/worlds/a', { fork: 'nobody' }]],
  ])('is refused by %s as a call at once is, and changes nothing', async (_, one) => {
    const [sliced, whole] = [crowdedMock(), crowdedMock()]
    const before = worldsOf(sliced)

    const results = [await inSlices(sliced, one), await atOnce(whole, one)]

    expect(results[0]?.status).toBeGreaterThan(399)
    expect(results[0]).toEqual(results[1])
    expect(worldsOf(sliced)).toEqual(before)
  })

  it.each(calls)('changes nothing if its client disconnects: %s', async (_, one) => {
    const mock = crowdedMock()
    const before = worldsOf(mock)
    let turns = 0
    const client = {
      get aborted() {
        return turns > 1
      },
      addEventListener() {},
      removeEventListener() {},
    }

    const { value } = await eachTurn(
      inSlices(mock, one, () => client),
      () => {
        turns += 1
      },
    )

    expect(value.status).toBe(499)
    expect(worldsOf(mock)).toEqual(before)
  })

  property.prop([fc.array(randomWrite, { minLength: 3, maxLength: 12 }), fc.constantFrom(...calls)], { numRuns: 8 })(
    'replaces the world as it is then, whatever is written meanwhile',
    async (writes, [, one]) => {
      const [sliced, whole] = [crowdedMock(), crowdedMock()]
      let played = 0

      const { value } = await eachTurn(inSlices(sliced, one), async () => {
        const write = writes[played]
        played += 1
        if (write) await play(write, sliced.default.world)
      })
      for (const write of writes.slice(0, played)) await play(write, whole.default.world)
      const expected = await atOnce(whole, one)

      expect(value).toEqual(expected)
      expect(worldsOf(sliced)).toEqual(worldsOf(whole))
    },
  )
})

describe('two calls at once that replace the world', { tags: ['slow'] }, () => {
  const calls = {
    load: ['PUT', '/scenario', { scenario: crowded('Loaded', 800) }],
    'load another': ['PUT', '/scenario', { scenario: crowded('Other', 0) }],
    reset: ['POST', '/reset', { seed: 5 }],
    restore: ['PUT', '/snapshot', snapshot],
  } as const satisfies Record<string, Call>
  const names = Object.keys(calls) as (keyof typeof calls)[]

  property.prop([fc.constantFrom(...names), fc.constantFrom(...names), fc.nat(12)], { numRuns: 5 })(
    'act one after the other: the one that ends last wins, whole',
    async (one, other, later) => {
      const mock = crowdedMock()
      const ends: (keyof typeof calls)[] = []
      const run = async (name: keyof typeof calls) => {
        await inSlices(mock, calls[name])
        ends.push(name)
      }

      const first = run(one)
      await eachTurn(Promise.race([first, eachTurns(later)]))
      await Promise.all([first, run(other)])

      const [last = one] = ends.slice(-1)
      const alone = crowdedMock()
      await inSlices(alone, calls[last])
      expect(contentOf(mock)).toEqual(contentOf(alone))
      // What a reset goes back to belongs to the same call.
      for (const one of [mock, alone]) await inSlices(one, ['POST', '/reset', { seed: 77 }])
      expect(contentOf(mock)).toEqual(contentOf(alone))
    },
  )

  function contentOf({ default: { world } }: Mock): object {
    return { ...JSON.parse(stateOf(world)), revision: 0, title: world.title }
  }

  async function eachTurns(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await new Promise(resolve => setImmediate(resolve))
  }
})

describe('a world that is deleted while a call prepares another state', () => {
  const ofWorld = calls.filter(([, [, target]]) => !target.startsWith('/worlds'))

  it.each(ofWorld)('stays as it was, and the call finds no world: %s', async (_, [method, target, body]) => {
    const mock = crowdedMock()
    await mock.worlds.put('a')
    const { world } = mock.worlds.known('a')
    const before = stateOf(world)

    const { value } = await eachTurn(inSlices(mock, [method, `/w/a${target}`, body]), () => mock.worlds.delete('a'))

    expect([value.status, value.body.code]).toEqual([404, 'API_NOT_FOUND'])
    expect(value.body.message).toContain('the world "a" was deleted')
    expect(stateOf(world)).toBe(before)
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('is created by a call that puts it', async () => {
    const mock = crowdedMock()
    await mock.worlds.put('a')
    const { world } = mock.worlds.known('a')

    const put = inSlices(mock, ['PUT', '/worlds/a', { scenario: crowded('New') }])
    await mock.worlds.delete('a')
    const { value } = await eachTurn(put)

    expect([value.status, value.body.title, mock.worlds.list().length]).toEqual([200, 'New', 2])
    expect(mock.worlds.known('a').world).not.toBe(world)
  })

  it('is replaced by the call if it was created meanwhile', async () => {
    const mock = crowdedMock()

    const put = inSlices(mock, ['PUT', '/worlds/a', { scenario: crowded('New') }])
    const { value } = await eachTurn(put, () => mock.worlds.get('a') ?? mock.worlds.create('a'))

    expect([value.status, value.body.title, mock.worlds.known('a').world.title]).toEqual([200, 'New', 'New'])
  })
})

describe('a scenario that is reloaded while a call makes the world of it', () => {
  it('is the one of later worlds', async () => {
    const mock = crowdedMock()
    let turns = 0

    const put = inSlices(mock, ['PUT', '/worlds/a', {}])
    await eachTurn(put, async () => {
      turns += 1
      if (turns === 2) await mock.reload({ ...tanks, title: 'Saved' })
    })
    await mock.worlds.put('b')

    expect(mock.worlds.known('b').world.title).toBe('Saved')
    expect(mock.worlds.known('b').world.tables.lobbies.count()).toBeLessThan(100)
  })
})
