import { it as base, describe, expect } from 'vitest'
import { type Client, createClient } from '../../../src/client/index.js'
import { fetchFrom, fetchOf } from '../../../src/core/mock/fetch.js'
import { createMock, type Mock } from '../../../src/core/mock/mock.js'
import { Service } from '../../../src/server/http/service.js'
import { closedAfterTest } from '../../support/worlds.js'

const url = 'https://matchmaker.test'

const texts = {
  *parseScenario(text: string) {
    yield
    return JSON.parse(text)
  },
  scenarioText: (json: string) => json,
  openapiAt: (at: string) => ({ openapi: '3.1.0', at }),
  version: '0.0.0',
}

const it = base.extend<{ mock: Mock; fetch: typeof fetch; client: Client }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  mock: async ({}, use) => {
    const mock = closedAfterTest(createMock({ scenario: { game_modes: ['duel'] } }))
    await use(mock)
  },
  fetch: async ({ mock }, use) => {
    await use(fetchOf(mock, texts))
  },
  client: async ({ fetch }, use) => {
    await use(createClient(url, { fetch }))
  },
})

const list = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }

describe('a service in the same process', () => {
  it('has the page of a device link below its base path, and says that it has no dashboard', async ({ mock }) => {
    const service = new Service(mock, { unknownWorld: 'refuse', dashboard: false })
    const fetch = fetchFrom(request => service.serve(request, () => url).answer(), '/api')
    const typeOf = async (path: string) => (await fetch(`${url}/api${path}`)).headers.get('content-type')

    expect(await typeOf('/devices/link/nobody')).toBe('text/html; charset=utf-8')
    expect(await typeOf('/')).toBe('text/plain; charset=utf-8')
  })
})

describe('the fetch of a mock', () => {
  it('answers operations, in the world that the path names', async ({ fetch, mock }) => {
    const find = { method: 'POST', body: JSON.stringify({ game_modes: ['duel'] }) }

    expect((await fetch(`${url}/w/other/matchmaker/lobbies/find`, find)).status).toBe(200)
    expect((await fetch(`${url}/matchmaker/lobbies/find`, { ...find, body: new Blob(['{']) })).status).toBe(400)
    expect(mock.worlds.get('other')?.world.lobbies.count()).toBe(1)
    expect(mock.default.world.lobbies.count()).toBe(0)
  })

  it('refuses what is no call, as over HTTP', async ({ fetch }) => {
    const answers = await Promise.all([
      fetch(`${url}/__mock/nothing`),
      fetch(`${url}/w/other/__mock/journal`),
      fetch(`${url}/__mock/reset`, { method: 'POST' }),
      fetch(`${url}/nothing`),
    ])

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 403, 404])
    expect(await answers[2].json()).toMatchObject({ message: expect.stringContaining('content-type is missing') })
  })

  it('describes the calls, and reads a scenario, by the functions that it got', async ({ fetch, client, mock }) => {
    const openapi = await fetch(`${url}/w/one/__mock/openapi.json`, { method: 'GET' })
    await client.load({ title: 'Other' })

    expect(openapi.status).toBe(404)
    expect(await (await fetch(`${url}/__mock/openapi.json`)).json()).toEqual({ openapi: '3.1.0', at: url })
    expect(mock.default.world.title).toBe('Other')
  })
})

describe('a client of a mock in the same process', () => {
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
