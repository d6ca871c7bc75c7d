import { describe, expect, it } from 'vitest'
import { ReadCache } from '../../../src/core/pipeline/reads.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'

const list = (mock: Mockmaker, headers = {}) =>
  mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers })

// test/core/pipeline/cache.model.test.ts holds that it equals the answer of a mock without a cache.
describe('a cached answer', () => {
  it('is not kept if the clock alone can change it', async () => {
    const { world } = createMockmaker({ scenario: tanks })
    const cache = new ReadCache(live(world))
    const at = world.clock.now() + 1_000
    const read = () => cache.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    const before = read()

    await world.clock.advance(1_000)

    expect([before, read()]).toEqual([{ passed: false }, { passed: true }])
  })

  it('is dropped when a reset puts back the clock that changed it', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { world } = mock
    const cache = new ReadCache(live(world))
    const at = world.clock.now() + 1_000
    const read = () => cache.output('key', () => live(world).read(({ hasPassed }) => ({ passed: hasPassed(at) })))
    await world.clock.advance(1_000)
    const before = read()

    await mock.reset()

    expect([before, read()]).toEqual([{ passed: true }, { passed: false }])
  })

  it('has the same bytes object as long as nothing changes', async () => {
    const mock = createMockmaker({ scenario: tanks })

    expect((await list(mock)).body).toBe((await list(mock)).body)
  })

  it('is not kept for a request with coordinates, which has endless variants', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const headers = { 'x-coords': '1,2' }

    expect((await list(mock, headers)).body).not.toBe((await list(mock, headers)).body)
  })

  it('is not kept for a request with a body, which has endless variants too', async () => {
    const { answer } = createMockmaker({ scenario: tanks })
    const body = new TextEncoder().encode('{"display_name":"A","name_id":"a"}')
    const path = `/cloud/games/${ids.tanks}/namespaces/validate`
    const validate = async () => (await answer({ method: 'POST', path, headers: bearer(tokens.cloud), body })).body

    expect(await validate()).not.toBe(await validate())
  })

  it('is dropped when 500 newer answers are cached', async () => {
    const namespaces = Array.from({ length: 501 }, (_, i) => ({ name_id: `n${i}`, tokens: { public: `pub.${i}` } }))
    const mock = createMockmaker({ scenario: { games: [{ name_id: 'tanks', namespaces }] } })
    const listIn = (i: number) => list(mock, bearer(`pub.${i}`))
    const first = await listIn(0)

    for (let i = 1; i < 500; i++) await listIn(i)
    const kept = await listIn(0)
    await listIn(500)

    expect(kept.body).toBe(first.body)
    expect((await listIn(500)).body).toBe((await listIn(500)).body)
    expect((await listIn(0)).body).not.toBe(first.body)
  })
})
