import { it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { LiveWorld } from '../../../src/core/store/world.js'
import { smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'

type World = ReturnType<typeof smallWorld>

const forked = (world: World) => new LiveWorld(world.state)

describe('a fork', () => {
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
