import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { createWorld } from '../../../src/core/store/world.js'
import { plainTransaction, type RandomTransaction, succeeds } from '../../support/random-transactions.js'
import { contents, smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'

type World = ReturnType<typeof smallWorld>

const forked = (world: World) => createWorld(world.state)

const transactions = fc.array(plainTransaction, { maxLength: 4 })

function playAll(world: World, transactions: readonly RandomTransaction[]): void {
  // A refused transaction changes nothing, in both worlds.
  for (const transaction of transactions) succeeds(transaction, world)
}

describe('a fork', () => {
  it.prop([transactions, transactions], { numRuns: 40 })(
    'equals the original, and continues as it does',
    (before, after) => {
      const world = smallWorld()
      playAll(world, before)

      const fork = forked(world)
      const same = [contents(fork), fork.revision, fork.clock.now()]
      const there = [contents(world), world.revision, world.clock.now()]
      for (const each of [world, fork]) playAll(each, after)

      expect(same).toEqual(there)
      expect([contents(fork), fork.revision]).toEqual([contents(world), world.revision])
    },
  )

  it.prop([transactions, transactions], { numRuns: 40 })(
    'is independent of the original, in both directions',
    (inWorld, inFork) => {
      const [world, alone] = [smallWorld(), smallWorld()]
      const fork = forked(world)

      playAll(world, inWorld)
      playAll(fork, inFork)

      playAll(alone, inFork)
      const forkAlone = contents(alone)
      alone.reset()
      playAll(alone, inWorld)
      expect([contents(fork), contents(world)]).toEqual([forkAlone, contents(alone)])
    },
  )

  it.prop([transactions, transactions], { numRuns: 40 })('returns to its own start on a reset', (before, after) => {
    const world = smallWorld()
    playAll(world, before)
    const fork = forked(world)
    const begun = contents(fork)
    playAll(fork, after)

    fork.reset()
    const reset = contents(fork)
    for (const each of [world, fork]) playAll(each, after)

    expect(reset).toBe(begun)
    expect(contents(fork)).toBe(contents(world))
  })

  it('shares unchanged rows with the original', () => {
    const world = smallWorld()
    const fork = forked(world)

    world.transaction(({ games }) => games.update('boats', { display_name: 'Boats' }))

    expect(fork.games.get('tanks')).toBe(world.games.get('tanks'))
    expect(fork.games.get('boats')).toEqual(smallWorld().games.get('boats'))
  })

  it('has its own clock, which starts at the time of the original', async () => {
    const world = smallWorld()
    await world.clock.advance(1_000)
    const fork = forked(world)

    await fork.clock.advance(500)
    await world.clock.advance(7)
    const times = [world.clock.now(), fork.clock.now()]
    fork.reset()

    expect(times).toEqual([startAt + 1_007, startAt + 1_500])
    expect(fork.clock.now()).toBe(startAt + 1_000)
  })

  it('copies no waiter, listener or subscriber', async () => {
    const world = smallWorld()
    const calls: string[] = []
    world.subscribe(() => calls.push('subscriber'))
    world.dependencies.listen(['games'], { onChange: () => calls.push('listener') })
    world.waiting.add({ end: () => calls.push('waiter') })

    const fork = forked(world)
    await fork.games.create({ name_id: 'new' })

    expect([calls, fork.waiters]).toEqual([[], 0])
  })

  it('never has a lower index of a deleted record', () => {
    const world = smallWorld()
    world.deviceLinks.delete('device.mock.sofa')

    const seen = (each: World) => each.read(({ tables }) => tables.deviceLinks.get('device.mock.sofa')).revision

    expect(seen(forked(world))).toBeGreaterThanOrEqual(seen(world))
  })
})
