import { describe, expect, it, vi } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, json } from '../../support/http.js'
import { bearer, completion, ids, tanks, tokens } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'

const scenario: ScenarioInput = {
  ...tanks,
  device_links: [{ token: tokens.pending, completes_after: '5s', game: 'tanks' }],
}

/** A mock with a link that completes after 5 s, and the ids of that link. */
function completing(given: ScenarioInput = scenario) {
  const mock = createMockmaker({ scenario: given })
  const world = live(mock.world)
  return { mock, world, status: () => world.deviceLinks.get(tokens.pending)?.status }
}

const where = { device_link_token: tokens.pending }

describe('a link with completes_after', () => {
  it('completes at that time, and not before', async () => {
    const { world, status } = completing()

    await world.clock.advance(4_999)
    const before = status()
    await world.clock.advance(1)

    expect([before, status(), world.clock.pending]).toEqual(['pending', 'complete', 0])
  })

  it('gets a cloud token of its game that is valid', async () => {
    const { mock, world } = completing()
    await world.clock.advance(5_000)
    const query = `device_link_token=${tokens.pending}`
    const { cloud_token } = json(await ask(mock, { method: 'GET', path: '/cloud/devices/links', query })) as {
      cloud_token: string
    }

    const body = JSON.stringify({ display_name: 'A', name_id: 'prod' })
    const path = `/cloud/games/${ids.tanks}/namespaces/validate`
    const got = await ask(mock, { method: 'POST', path, headers: bearer(cloud_token), body })

    expect(json(got)).toEqual({ errors: [{ path: ['name-id', 'not-unique'] }] })
    expect(world.tokens.get(cloud_token)).toMatchObject({ kind: 'cloud', game_id: ids.tanks })
  })

  it('keeps its state if a person completed it earlier', async () => {
    const { mock, world } = completing()
    await ask(mock, completion)
    const { pending } = world.clock
    const completed = world.deviceLinks.get(tokens.pending)

    await world.clock.advance(10_000)

    expect([pending, world.deviceLinks.get(tokens.pending)]).toEqual([0, completed])
  })

  it('completes at the new time if it is updated', async () => {
    const { world, status } = completing()
    const at = world.clock.now() + 8_000
    await world.deviceLinks.update(q => q.where(where), {
      data: link => void Object.assign(link, { completes: { at, game_id: ids.tanks } }),
    })

    await world.clock.advance(7_999)
    const before = status()
    await world.clock.advance(1)

    expect([before, status()]).toEqual(['pending', 'complete'])
  })

  it('never completes if completes_at is removed', async () => {
    const { world, status } = completing()
    await world.deviceLinks.update(q => q.where(where), {
      data: link => void Reflect.deleteProperty(link, 'completes'),
    })

    await world.clock.advance(10_000)

    expect([status(), world.clock.pending]).toEqual(['pending', 0])
  })

  it('completes again after a reset, counted from the start', async () => {
    const { mock, world, status } = completing()
    await world.clock.advance(9_000)
    await mock.reset()
    const afterReset = status()

    await world.clock.advance(4_999)
    const before = status()
    await world.clock.advance(1)

    expect([afterReset, before, status()]).toEqual(['pending', 'pending', 'complete'])
  })

  it('does not complete after the mock has closed', async () => {
    const { mock, world, status } = completing()

    await mock.close()
    await world.clock.advance(10_000)

    expect([status(), world.clock.pending]).toEqual(['pending', 0])
  })
})

describe('a link with completes_after on a running clock', () => {
  it('follows fake timers', async () => {
    vi.useFakeTimers()
    const { world, status } = completing({ ...scenario, clock: 'running' })

    await vi.advanceTimersByTimeAsync(4_999)
    const before = status()
    await vi.advanceTimersByTimeAsync(1)
    await world.write(() => {})

    expect([before, status(), vi.getTimerCount()]).toEqual(['pending', 'complete', 0])
  })
})
