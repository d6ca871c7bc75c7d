import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/lib/usage-error.js'
import { createSyncContext } from '../../src/store/turn-queue.js'
import { smallWorld } from '../support/small-world.js'

const contexts = [
  ['the default context', () => createSyncContext()],
  ['an AsyncLocalStorage', () => new AsyncLocalStorage<object>()],
] as const

describe.each(contexts)('the queue of turns with %s', (_name, context) => {
  it('refuses a write to the world from inside a turn', async () => {
    const world = smallWorld({ turnContext: context() })

    const turn = world.write(() => world.games.create({ name_id: 'inner' }))

    await expect(turn).rejects.toThrow(/^a write to a world from inside a turn of it would wait for itself/)
  })

  it('goes on after a turn that it refused', async () => {
    const world = smallWorld({ turnContext: context() })
    await world.write(() => world.games.create({ name_id: 'inner' })).catch(() => {})

    await world.games.create({ game_id: 'next', name_id: 'next' })

    expect(world.games.get('next')).toBeDefined()
  })

  it('admits a write to another world from inside a turn', async () => {
    const turnContext = context()
    const [world, other] = [smallWorld({ turnContext }), smallWorld({ turnContext })]

    await world.write(() => other.games.create({ game_id: 'guest', name_id: 'guest' }))

    expect(other.games.get('guest')).toBeDefined()
  })

  it('admits a write from a subscriber, whose turn is over', async () => {
    const world = smallWorld({ turnContext: context() })
    const writes: Promise<unknown>[] = []
    const stop = world.subscribe(() => {
      stop()
      writes.push(world.games.create({ game_id: 'echo', name_id: 'echo' }))
    })

    await world.games.create({ name_id: 'first' })
    await Promise.all(writes)

    expect(world.games.get('echo')).toBeDefined()
  })

  it('admits a write from what a turn left running', async () => {
    const world = smallWorld({ turnContext: context() })
    const gate = new EventTarget()
    const opened = () => new Promise(resolve => gate.addEventListener('open', resolve, { once: true }))
    const { left } = await world.write(() => ({
      left: opened().then(() => world.games.create({ name_id: 'later' })),
    }))

    gate.dispatchEvent(new Event('open'))
    const row = await left

    expect(row.name_id).toBe('later')
  })
})

describe('the queue of turns', () => {
  it('with an AsyncLocalStorage refuses a write from inside a turn after an await as well', async () => {
    const world = smallWorld({ turnContext: new AsyncLocalStorage<object>() })

    const turn = world.write(async ({ games }) => {
      await games.create({ name_id: 'outer' })
      await world.games.create({ name_id: 'inner' })
    })

    await expect(turn).rejects.toThrow(UsageError)
  })

  it.each([
    ['lands', () => {}],
    [
      'fails',
      () => {
        throw new Error('no')
      },
    ],
  ])('switches its context off before a turn %s', async (_name, fail) => {
    const steps: string[] = []
    const context = { ...createSyncContext(), disable: () => void steps.push('off') }
    const world = smallWorld({ turnContext: context })
    world.subscribe(() => steps.push('landed'))

    await world
      .write(async ({ games }) => {
        await games.create({ name_id: 'new' })
        fail()
      })
      .catch(() => steps.push('failed'))

    expect(steps).toEqual(['off', expect.stringMatching(/landed|failed/)])
  })

  it('begins a turn only when the one before has ended', async () => {
    const world = smallWorld()
    const steps: string[] = []
    const turn = (name: string) => async () => {
      steps.push(`${name} begins`)
      await Promise.resolve()
      steps.push(`${name} ends`)
    }

    await Promise.all([world.write(turn('a')), world.write(turn('b'))])

    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
