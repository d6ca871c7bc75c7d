import { AsyncLocalStorage } from 'node:async_hooks'
import { HttpResponse, http } from 'msw'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { real } from '../../src/core/lib/real-globals.js'
import { createMockmaker, UsageError } from '../../src/index.js'
import { straysBeside } from '../../src/msw/isolation.js'
import { setupMockmaker } from '../../src/msw/node.js'
import { closedAfterTest, flushPromises } from '../support/worlds.js'
import { it, listUrl, lobbiesAt, origin, watchUrl } from './node-mock.js'

const { Promise: LoadedPromise } = globalThis

/** Runs its callbacks as zone.js does: all of a turn in the context of the first. */
class PromiseOfZone<T> extends Promise<T> {
  // Otherwise each callback would create promises of this class without end.
  static override get [Symbol.species]() {
    return LoadedPromise
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  override then<One = T, Other = never>(...[done, failed]: Parameters<Promise<T>['then']>): Promise<One | Other> {
    const later = (run: unknown) =>
      typeof run === 'function'
        ? (value: unknown) => new LoadedPromise(end => inTurn(() => end(run(value))))
        : undefined
    return super.then(later(done), later(failed)) as Promise<One | Other>
  }
}

const turn: (() => void)[] = []
function inTurn(run: () => void): void {
  turn.push(run)
  if (turn.length === 1)
    queueMicrotask(() => {
      for (const one of turn.splice(0)) one()
    })
}

describe('mock.isolated', () => {
  it('sends the requests of the function to a world of its own, and of nobody else', async ({ setup }) => {
    const mock = setup()

    const counts = await mock.isolated(async own => {
      await own.world.lobbies.create({ game_mode_id: 'duel' })
      return [(await lobbiesAt()).length, own.journal.find().length]
    })

    expect(counts).toEqual([3, 1])
    expect([(await lobbiesAt()).length, mock.journal.find().length]).toEqual([2, 1])
  })

  it('keeps functions apart that run at once', async ({ setup }) => {
    const mock = setup()
    const runs = Array.from({ length: 20 }, (_, count) =>
      mock.isolated(async own => {
        for (let i = 0; i < count; i++) {
          await own.world.lobbies.create({ game_mode_id: 'duel' })
          await lobbiesAt()
        }
        await flushPromises()
        return [(await lobbiesAt()).length, own.journal.find({ operation: 'lobbies.list' }).length]
      }),
    )

    expect(await Promise.all(runs)).toEqual(Array.from({ length: 20 }, (_, count) => [2 + count, count + 1]))
  })

  it('nests', async ({ setup }) => {
    const mock = setup()

    const counts = await mock.isolated(async outer => {
      await outer.world.lobbies.create({ game_mode_id: 'duel' })
      const inner = await mock.isolated(async () => (await lobbiesAt()).length)
      return [inner, (await lobbiesAt()).length]
    })

    expect(counts).toEqual([2, 3])
  })

  it('takes a scenario, a seed and faults', async ({ setup }) => {
    const mock = setup()

    const got = await mock.isolated(
      async own => [own.world.seed, (await lobbiesAt()).length, (await fetch(`${origin}/matchmaker/regions`)).status],
      {
        scenario: 'friday-night',
        seed: 7,
        faults: [{ operation: 'regions.list', effect: { error: { status: 503 } } }],
      },
    )

    expect(got).toEqual([7, expect.any(Number), 503])
    expect(got[1]).toBeGreaterThan(2)
  })

  it('removes the handlers of use at its end', async ({ setup }) => {
    const mock = setup()

    const inside = await mock.isolated(async () => {
      mock.use(http.get(listUrl, () => HttpResponse.json({ lobbies: [] })))
      return lobbiesAt()
    })

    expect([inside.length, (await lobbiesAt()).length]).toEqual([0, 2])
  })

  it('passes on the result and the error of the function, and deletes the world either way', async ({ setup }) => {
    const mock = setup()
    const failed = mock.isolated(() => {
      throw new Error('out of paper')
    })

    expect(await mock.isolated(() => 5)).toBe(5)
    await expect(failed).rejects.toThrow('out of paper')
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })

  it('answers the blocked requests of its world at its end', async ({ setup }) => {
    const mock = setup()

    const answer = await mock.isolated(async own => {
      const blocked = fetch(watchUrl(mock))
      await expect.poll(() => own.world.waiters).toBe(1)
      return { blocked }
    })

    expect((await answer.blocked).status).toBe(200)
  })

  it('refuses the requests that its function sends after its end', async ({ setup }) => {
    const mock = setup()
    let end = () => {}
    const ended = new Promise<void>(resolve => {
      end = resolve
    })

    const { late } = await mock.isolated(() => ({ late: ended.then(() => fetch(listUrl)) }))
    end()

    const response = await late
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      message: 'this request belongs to a function in isolation that has ended',
    })
    expect(mock.journal.find()).toEqual([])
  })

  it('reaches the world that a request names, also from a queue that an earlier function has made', async ({
    setup,
  }) => {
    const mock = setup()
    const queue = await mock.isolated(() => ({ run: AsyncLocalStorage.snapshot() }))

    const [refused, count, strays] = await mock.isolated(async own => {
      await own.lobby()
      const refused = await queue.run(async () => (await fetch(listUrl)).json())
      const { length } = await queue.run(() => lobbiesAt(`${own.url}/matchmaker/lobbies/list`))
      return [refused, length, straysBeside(own)]
    })

    expect(refused).toMatchObject({
      message: expect.stringMatching(
        /that has ended\. Code that several tests share, such as a queue, .* pass it AsyncResource\.bind\(\(\) => …\), or let it call the url of its world$/,
      ),
    })
    expect([count, strays]).toEqual([
      3,
      expect.stringMatching(/^Meanwhile 1 request came .*: 1 of a function in isolation that has ended\./),
    ])
  })

  it('names the requests of a queue that another function has made, if it fails', async ({ setup }) => {
    const mock = setup()
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const queue = await mock.isolated(() => ({ run: AsyncLocalStorage.snapshot() }))

    const failed = mock.isolated(async () => {
      await queue.run(() => fetch(listUrl))
      throw new Error('no lobby')
    })

    await expect(failed).rejects.toThrow('no lobby')
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^mockmaker: a function in isolation has failed\. Meanwhile 1 request came .* a queue/)],
    ])
  })

  describe('with promises that lose the context, as those of zone.js', () => {
    it('reaches the world of the only function, and removes its handlers at the end', async ({ setup }) => {
      const mock = setup()
      vi.stubGlobal('Promise', PromiseOfZone)

      const counts = []
      for (const count of [1, 2]) {
        const run = mock.isolated(async own => {
          await own.lobbies(count)
          const seen = await Promise.resolve().then(() => lobbiesAt())
          mock.use(http.get(listUrl, () => HttpResponse.json({ lobbies: [] })))
          return [seen.length, (await Promise.resolve().then(() => lobbiesAt())).length]
        })
        counts.push(await run)
      }

      expect([counts, (await lobbiesAt()).length]).toEqual([
        [
          [3, 0],
          [4, 0],
        ],
        2,
      ])
    })

    it('refuses a second function at once', async ({ setup }) => {
      const mock = setup()
      vi.stubGlobal('Promise', PromiseOfZone)
      const runs = ['one', 'two'].map(name => mock.isolated(async () => (await lobbiesAt()).length + name))

      const [one, two] = await Promise.allSettled(runs)

      expect(one).toEqual({ status: 'fulfilled', value: '2one' })
      expect(two).toMatchObject({
        status: 'rejected',
        reason: expect.objectContaining({ message: expect.stringContaining('the global Promise is that of zone.js') }),
      })
      expect(mock.worlds.list()).toHaveLength(1)
    })
  })

  it('keeps its world however far fake timers go', async ({ setup }) => {
    vi.useFakeTimers()
    const mock = setup()

    const timers = vi.spyOn(real, 'setInterval')

    const count = await mock.isolated(async () => {
      // A timer would cost a turn of the event loop in each step.
      expect(timers).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(3 * 60 * 60_000)
      return (await lobbiesAt()).length
    })

    expect(count).toBe(2)
  })

  it('yields to the option world', async () => {
    const mock = setupMockmaker({
      scenario: { game_modes: ['duel'] },
      world: request => request.headers.get('x-test') ?? undefined,
    })
    mock.listen()
    const named = await mock.worlds.put('named')
    await named.world.lobbies.create({ game_mode_id: 'duel' })
    const count = async (headers: Record<string, string>) =>
      (await (await fetch(listUrl, { headers })).json()).lobbies.length

    const counts = await mock.isolated(async own => {
      await own.world.lobbies.createMany(2, () => ({ game_mode_id: 'duel' }))
      return [await count({ 'x-test': 'named' }), await count({})]
    })

    expect(counts).toEqual([1, 2])
    await mock.close()
  })

  it.for([undefined, 'text', {}])('refuses %j instead of a function', async (use, { setup }) => {
    const mock = setup()

    await expect(mock.isolated(use as never)).rejects.toThrow(
      'mock.isolated expects a function, as in mock.isolated(async own => …)',
    )
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('refuses a wrong option, and leaves no world', async ({ setup }) => {
    const mock = setup()
    const run = (options: object) => mock.isolated(() => {}, options)

    await expect(run({ scenario: 'fridaynight' })).rejects.toThrow('Did you mean friday-night?')
    await expect(run(null as never)).rejects.toThrow('the options are null: expected an object')
    await expect(run({ faults: null })).rejects.toThrow('faults is null: expected an array of faults')
    await expect(run({ sed: 5 })).rejects.toThrow('Did you mean seed?')
    await expect(run({ faults: [{ operation: 'lobbies.lst', effect: { hold: true } }] })).rejects.toThrow(UsageError)
    expect(mock.worlds.list()).toHaveLength(1)
  })
})

describe('a mock of a test that has ended', () => {
  const ended = 'this mock belongs to a test that has ended: use the mock of the present test'

  it('refuses each use, through kept parts too', async ({ setup }) => {
    const mock = setup()
    const own = await mock.isolated(own => {
      const { world, clock, faults, journal } = own
      return { own, world, clock, faults, journal }
    })
    const uses: readonly (() => unknown)[] = [
      () => own.own.world.lobbies,
      () => own.own.reset(),
      () => own.own.on('lobbies.list', ({ original }) => original()),
      () => own.own.snapshot(),
      () => own.own.override('lobbies.list', ({ original }) => original()),
      () => own.own.answer({ method: 'GET', path: '/matchmaker/regions', headers: {} }),
      () => own.world.lobbies,
      () => own.world.transaction(() => {}),
      () => own.clock.advance('1s'),
      () => own.faults.list(),
      () => own.journal.find(),
    ]

    for (const use of uses) expect(use).toThrow(new UsageError(ended))
  })

  it('is named if it was deleted, or its mock was closed', async () => {
    const mock = createMockmaker()
    const [one, other] = await Promise.all([mock.worlds.put('one'), mock.worlds.put('other')])
    await mock.worlds.delete('one')
    await mock.close()

    expect(() => one.reset()).toThrow(
      'the world "one" was deleted: mock.worlds.put, or PUT /__mock/worlds/one, creates it again',
    )
    expect(() => other.reset()).toThrow('the world "other" has ended, because its mock was closed')
  })

  it('can still be printed', async ({ setup }) => {
    const mock = setup()
    const own = await mock.isolated(own => own)

    expect(() => expect(own).toBe(5)).toThrow('to be 5')
  })
})

describe('a second mock that listens', () => {
  it('is refused until the first one closes', async ({ setup }) => {
    const first = setup()
    const second = closedAfterTest(setupMockmaker())

    expect(() => second.listen()).toThrow(
      'another mock listens already: await its close() first, or give it the handlers of this one, with use(...mock.handlers). Code that runs twice, as an effect in StrictMode does, keeps the first, in a variable outside: started ??= start()',
    )
    await first.close()
    second.listen()
    expect((await lobbiesAt()).length).toBe(7)
  })

  it('leaves the first one as it is when it closes', async ({ setup }) => {
    setup()
    const second = setupMockmaker()
    expect(() => second.listen()).toThrow(UsageError)

    await second.close()

    expect(await lobbiesAt()).toHaveLength(2)
  })

  it('is named if it is the same one', ({ setup }) => {
    const mock = setup()

    expect(() => mock.listen()).toThrow(
      /^this mock listens already: call listen\(\) once.*: started \?\?= mock\.listen\(\)$/,
    )
  })
})
