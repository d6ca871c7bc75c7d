import { HttpResponse, http } from 'msw'
import { describe, expect } from 'vitest'
import { ids, tokens } from '../support/tanks.js'
import { complete, it, listUrl, lobbiesAt, until, watchUrl } from './node-mock.js'

describe('reset', () => {
  it('restores the handlers, the world and the clock', async ({ setup }) => {
    const mock = setup()
    const before = await (await fetch(listUrl)).text()
    mock.use(http.get(listUrl, () => HttpResponse.json(null)))
    await mock.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    await mock.world.clock.advance(60_000)
    await complete()

    await mock.reset()

    expect(await (await fetch(listUrl)).text()).toBe(before)
    expect(mock.world.clock.now()).toBe(Date.parse('2026-11-20T20:00:00Z'))
    expect(mock.world.deviceLinks.get(tokens.pending)?.status).toBe('pending')
  })

  it('answers a blocked fetch whose change it undoes', async ({ setup }) => {
    const mock = setup()
    await complete()
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await mock.reset()

    const { cloud_token, watch } = (await (await answer).json()) as { cloud_token?: string; watch: { index: string } }
    expect([cloud_token, watch.index]).toEqual([undefined, String(mock.world.revision)])
  })

  it('is refused inside a transaction, which continues', async ({ setup }) => {
    const mock = setup()

    const refused = mock.world.transaction(({ lobbies }) => {
      const reset = mock.reset().catch(String)
      lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
      return { reset }
    })

    expect(await refused.reset).toContain('a transaction cannot replace its world: end it first')
    expect(await lobbiesAt()).toHaveLength(1)
  })
})
