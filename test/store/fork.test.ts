import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { createWorld } from '../../src/store/world.js'
import { chanceTurn, play, type RandomTurn } from '../support/random-turns.js'
import { contents, smallWorld } from '../support/small-world.js'
import { startAt } from '../support/tanks.js'

type World = ReturnType<typeof smallWorld>

const forked = (world: World) => createWorld(world.standing)

const turns = fc.array(chanceTurn, { maxLength: 4 })

async function playAll(world: World, turns: readonly RandomTurn[]): Promise<void> {
  // A turn that is refused changes nothing, here as there.
  for (const turn of turns) await world.write(tables => play(turn, tables)).catch(() => {})
}

describe('a fork', () => {
  it.prop([turns, turns])('is an equal world, and goes on as the other does', async (before, after) => {
    const world = smallWorld()
    await playAll(world, before)

    const fork = forked(world)
    const same = [contents(fork), fork.revision, fork.clock.now()]
    const there = [contents(world), world.revision, world.clock.now()]
    for (const each of [world, fork]) await playAll(each, after)

    expect(same).toEqual(there)
    expect([contents(fork), fork.revision]).toEqual([contents(world), world.revision])
  })

  it.prop([turns, turns])('sees nothing of what the other does, nor the other of it', async (inWorld, inFork) => {
    const [world, alone] = [smallWorld(), smallWorld()]
    const fork = forked(world)

    await playAll(world, inWorld)
    await playAll(fork, inFork)

    await playAll(alone, inFork)
    const forkAlone = contents(alone)
    await alone.reset()
    await playAll(alone, inWorld)
    expect([contents(fork), contents(world)]).toEqual([forkAlone, contents(alone)])
  })

  it.prop([turns, turns])('comes back, on reset, to where it began', async (before, after) => {
    const world = smallWorld()
    await playAll(world, before)
    const fork = forked(world)
    const begun = contents(fork)
    await playAll(fork, after)

    await fork.reset()
    const reset = contents(fork)
    for (const each of [world, fork]) await playAll(each, after)

    expect(reset).toBe(begun)
    expect(contents(fork)).toBe(contents(world))
  })

  it('has a clock of its own, which begins at the time of the other', async () => {
    const world = smallWorld()
    await world.clock.advance(1_000)
    const fork = forked(world)

    await fork.clock.advance(500)
    await world.clock.advance(7)
    const times = [world.clock.now(), fork.clock.now()]
    await fork.reset()

    expect(times).toEqual([startAt + 1_007, startAt + 1_500])
    expect(fork.clock.now()).toBe(startAt + 1_000)
  })

  it('has no waiter, no listener and no subscriber of the other', async () => {
    const world = smallWorld()
    const told: string[] = []
    world.subscribe(() => told.push('subscriber'))
    world.listen(new Set(['games']), () => told.push('listener'))
    world.waiting.add({ end: () => told.push('waiter') })

    const fork = forked(world)
    await fork.games.create({ name_id: 'new' })

    expect([told, fork.waiters]).toEqual([[], 0])
  })

  it('never shows an older index of a record that was deleted', async () => {
    const world = smallWorld()
    await world.deviceLinks.delete(q => q.where({ device_link_token: 'device.mock.sofa' }))

    const seen = (each: World) => each.read(({ tables }) => tables.deviceLinks.get('device.mock.sofa')).revision

    expect(seen(forked(world))).toBeGreaterThanOrEqual(seen(world))
  })
})
