import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { operationIds, operations } from '../../../src/core/contract/index.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../src/index.js'
import { answer, request, scenario, step } from '../../../src/testing/arbitraries/index.js'
import { messageOf } from '../../support/controls.js'
import { successes, tokenOf } from '../../support/example-calls.js'
import { ask, failure, type TestRequest } from '../../support/http.js'
import { it as servedIt } from '../../support/served-mock.js'
import { bearer, tanks } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

/** Turns the URL of a generated request into a path and a query. */
function asked({ url, ...others }: Omit<TestRequest, 'path' | 'query'> & { readonly url: string }): TestRequest {
  const [path = '', query] = url.split('?')
  return query === undefined ? { ...others, path } : { ...others, path, query }
}

describe.each(operationIds)('answer(%s)', id => {
  it('is accepted by mock.on, and arrives as it is', async () => {
    const mock = createMockmaker({ scenario: tanks })
    let next: unknown
    mock.on(id, () => next as never)
    const { path, query, body } = successes[id]
    const token = tokenOf(id)
    const sent: TestRequest = {
      method: operations[id].method,
      path,
      ...(query === undefined ? {} : { query }),
      headers: token === undefined ? {} : bearer(token),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    await fc.assert(
      fc.asyncProperty(answer(id), async value => {
        next = value
        const got = await ask(mock, sent)

        expect([got.status, got.body]).toEqual([200, JSON.stringify(value) ?? ''])
      }),
      { numRuns: 4 },
    )
  })
})

describe.each(operationIds)('request(%s)', id => {
  it('is never refused because of its form', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const token = tokenOf(id)
    await fc.assert(
      fc.asyncProperty(request(id, { token }), async generated => {
        const seen = mock.journal.find().at(-1)?.id ?? 0
        const got = await ask(mock, asked(generated))

        expect(mock.journal.find({ since: seen })).toMatchObject([{ operation: id }])
        if (got.status !== 200) expect(failure(got)).not.toMatch(/API_BAD_|API_UNAUTHORIZED|500/)
      }),
      { numRuns: 4 },
    )
  })
})

describe('request', () => {
  it('uses the texts of a world', () => {
    const ids = fc
      .sample(request('lobbies.join', { texts: ['arena'] }), 100)
      .map(({ body }) => (JSON.parse(body ?? '{}') as { lobby_id: string }).lobby_id)

    expect(ids.filter(id => id === 'arena').length).toBeGreaterThan(30)
  })

  servedIt('fits fetch', async ({ serve }) => {
    const { mock, url } = await serve()
    const [generated] = fc.sample(request('lobbies.find'), 1)

    await fetch(url + generated?.url, generated)

    expect(mock.journal.find()).toMatchObject([{ operation: 'lobbies.find', body: JSON.parse(generated?.body ?? '') }])
  })
})

describe('scenario', () => {
  it('loads, with modes and lobbies as asked', () => {
    const options = fc.record(
      {
        modes: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(['duel', 'ffa'])),
        lobbies: fc.oneof(fc.nat(8), fc.constantFrom({ min: 2 }, { max: 1 }, { min: 7 }, {})),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        options.chain(given => fc.tuple(fc.constant(given), scenario(given))),
        ([{ modes = 3, lobbies = 5 }, generated]) => {
          const { world } = createMockmaker({ scenario: generated })
          const { min = 0, max = Math.max(min, 5) } = typeof lobbies === 'number' ? { max: lobbies } : lobbies
          const ids = world.gameModes.all().map(({ game_mode_id }) => game_mode_id)

          expect(ids.length).toBeGreaterThan(0)
          if (typeof modes === 'number') expect(ids.length).toBeLessThanOrEqual(modes)
          else expect(modes).toEqual(expect.arrayContaining(ids))
          expect(world.lobbies.count()).toBeGreaterThanOrEqual(min)
          expect(world.lobbies.count()).toBeLessThanOrEqual(max)
          expect(world.clock.mode).toBe('frozen')
        },
      ),
      { numRuns: inject('runs') },
    )
  })

  it('shrinks to one mode and one lobby', () => {
    const { counterexample } = fc.check(
      fc.property(scenario(), ({ lobbies = [] }) => lobbies.length === 0),
      { seed: 1 },
    )
    const [shrunk] = counterexample ?? []

    expect(shrunk?.game_modes).toHaveLength(1)
    expect(shrunk?.lobbies).toEqual([{ game_mode_id: expect.any(String), region_id: expect.any(String) }])
  })
})

/** Everything that steps may change. */
const contents = (mock: Mockmaker) => JSON.stringify(mock.snapshot())

/** Lists the requests that the mock has refused because of their form. */
const badForms = ({ journal }: Mockmaker) =>
  journal.find({ status: 400 }).filter(({ answer: body }) => (body as { code: string }).code.startsWith('API_BAD_'))

/** Runs the commands as users do. */
const runSteps = (commands: Iterable<fc.AsyncCommand<object, unknown, boolean>>) =>
  fc.asyncModelRun(() => ({ model: {}, real: {} }), commands)

const starts: readonly ScenarioInput[] = [{}, { games: [] }, tanks, { servers: 'manual', game_modes: ['duel'] }]

describe('step', () => {
  it('does only legal things, in every world', async () => {
    const world = fc.oneof(scenario(), fc.constantFrom(...starts))
    await fc.assert(
      fc.asyncProperty(
        world.chain(start => {
          const mock = createMockmaker({ scenario: { ...start, clock: 'frozen', now: '2026-11-20T20:00:00Z' } })
          return fc.tuple(fc.constant(mock), fc.commands([step(mock)], { maxCommands: 15 }))
        }),
        async ([mock, commands]) => {
          // The same mock runs shorter lists of commands, if one fails.
          await mock.reset()
          const [down] = mock.world.regions.all()
          if (down) mock.faults.add({ region: down.region_id, effect: { outage: true } })
          await runSteps(commands)

          expect(mock.journal.find({ status: 500 })).toEqual([])
          expect(badForms(mock)).toEqual([])
          // A world that steps have made can be saved and loaded.
          const snapshot = mock.snapshot()
          expect(createMockmaker({ scenario: snapshot }).snapshot().games).toEqual(snapshot.games)
        },
      ),
      { numRuns: 10 },
    )
  })

  it('changes lobbies, players and the clock', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const before = contents(mock)
    const steps = fc.sample(step(mock), { numRuns: 100, seed: 5 })

    for (const one of steps) await one.run()

    const done = steps.map(String)
    expect(contents(mock)).not.toBe(before)
    for (const words of [
      /^advance the clock by/,
      /^create lobby \S+ with/,
      /^seat a player in lobby/,
      /^POST \/\S+ \{/,
    ])
      expect(done.filter(text => words.test(text)).length).toBeGreaterThan(0)
    expect(mock.journal.find({ status: 200 }).length).toBeGreaterThan(25)
    expect(badForms(mock)).toEqual([])
  })

  it('says what it will do, before it runs', () => {
    const titles = fc.sample(step(createMockmaker()), { numRuns: 50, seed: 1 }).map(String)

    expect(titles.filter(title => title.startsWith('send '))).not.toEqual([])
    expect(titles.filter(title => title === 'create a lobby')).not.toEqual([])
  })

  servedIt('works through a client', async ({ serve }) => {
    const { mock, client } = await serve({ scenario: { servers: 'manual', game_modes: ['duel'] } })
    const before = contents(mock)

    for (const one of fc.sample(step(client), { numRuns: 15, seed: 2 })) await one.run()

    expect(contents(mock)).not.toBe(before)
    expect(mock.journal.find({ status: 500 })).toEqual([])
  })
})

describe('bad input', () => {
  it.each([
    [() => answer('lobies.list' as never), '"lobies.list" is an unknown operation.'],
    [() => request('lobies.list' as never), '"lobies.list" is an unknown operation.'],
    [() => scenario({ modes: 0 }), 'modes is 0: expected a whole number from 1, or a list of ids'],
    [() => scenario({ modes: [] }), 'modes is []: expected a whole number from 1, or a list of ids'],
    [() => scenario({ lobbies: -1 }), 'lobbies is -1: expected a whole number from 0, or { min, max }'],
    [() => scenario({ lobbies: { min: 3, max: 2 } }), 'lobbies is {"min":3,"max":2}: expected'],
    [
      () => scenario({ mode: 2 } as never),
      'options.mode is an unknown key. Known: modes, lobbies. Did you mean modes?',
    ],
    [() => request('lobbies.find', { text: [] } as never), 'options.text is an unknown key. Known: token, texts.'],
    [() => step({} as never), 'step expects a mock or a client, and got {}'],
  ])('is refused: %s', async (run, message) => {
    expect(await messageOf(run)).toContain(message)
  })
})
