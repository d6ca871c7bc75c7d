import { it as base, describe, expect } from 'vitest'
import { type Client, createClient } from '../../../src/client/index.js'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { Service } from '../../../src/server/http/service.js'
import { createInProcessFetch } from '../../../src/testing/playwright/in-process-fetch.js'
import { closedAfterTest } from '../../support/worlds.js'

const url = 'https://matchmaker.test/api'

const it = base.extend<{ mock: Mock; client: Client }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  mock: async ({}, use) => {
    const mock = closedAfterTest(createMock({ scenario: { game_modes: ['duel'] } }))
    await use(mock)
  },
  client: async ({ mock }, use) => {
    await use(createClient(url, { fetch: createInProcessFetch(serviceOf(mock), '/api') }))
  },
})

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }

/** Answers the requests of pages, as the fixture does. */
function serviceOf(mock: Mock): RequestHandler {
  const service = new Service(mock, { unknownWorld: 'refuse', dashboard: false })
  return request => service.serve(request, () => url).answer()
}

describe('a mock in the same process', () => {
  it('has the page of a device link, and says that it has no dashboard', async ({ mock }) => {
    const fetch = createInProcessFetch(serviceOf(mock), '/api')
    const typeOf = async (path: string) => (await fetch(url + path)).headers.get('content-type')

    expect(await typeOf('/devices/link/nobody')).toBe('text/html; charset=utf-8')
    expect(await typeOf('/')).toBe('text/plain; charset=utf-8')
  })
})

describe('a client of a mock in the same process', () => {
  it('controls the mock', async ({ client, mock }) => {
    const { lobby_id } = await client.lobby({ players: 2 })

    expect(mock.default.world.lobbies.get(lobby_id)?.total_player_count).toBe(2)
    expect(await client.world.lobbies.all()).toEqual(mock.default.world.lobbies.all())
    await expect(client.world.lobbies.create({ game_mode_id: 'none' })).rejects.toThrow('none')
  })

  it('waits for the next request, and for a blocked one', async ({ client, mock }) => {
    const next = client.next('lobbies.list')
    // The mock gets this call after the one before.
    const hold = await client.hold('lobbies.list')
    const blocked = client.blocked()
    await client.clock.get()
    const answer = mock.answer(list)

    expect(await blocked).toMatchObject([{ operation: 'lobbies.list' }])
    await hold.release()
    expect(await next).toMatchObject({ operation: 'lobbies.list', status: 200 })
    expect((await answer).status).toBe(200)
  })

  it('stops a wait by its signal, and leaves nothing behind', async ({ client, mock }) => {
    const controller = new AbortController()
    const next = client.next('lobbies.list', undefined, { signal: controller.signal })
    await client.clock.get()
    expect(mock.default.isBusy).toBe(true)

    controller.abort(new Error('enough'))

    await expect(next).rejects.toThrow('enough')
    expect(mock.default.isBusy).toBe(false)
  })

  it('sends nothing if its signal is aborted already', async ({ client }) => {
    await expect(client.next('lobbies.list', undefined, { signal: AbortSignal.abort() })).rejects.toThrow()
  })

  it('follows the changes until it stops, or the mock closes', async ({ client, mock }) => {
    const events = await client.changes()
    await client.lobby()
    await mock.answer(list)
    const types = [(await events.next()).value?.type, (await events.next()).value?.type]
    await events.return(undefined)

    expect(types).toEqual(['change', 'exchange'])
    expect(mock.default.isBusy).toBe(false)

    const rest = await client.changes()
    const end = rest.next()
    await mock.close()
    expect(await end).toEqual({ done: true, value: undefined })
  })
})
