import { describe, expect, it } from 'vitest'
import { createClient, type MockEvent } from '../../../src/client/index.js'
import { operationIds, operations } from '../../../src/core/contract/operations.js'
import { describeCalls } from '../../../src/core/control/api.js'
import { createMock } from '../../../src/core/mock/mock.js'
import { createListener } from '../../../src/server/http/server.js'
import { successes } from '../../support/example-calls.js'
import { failure, json, ok, sendTo, serveDuringTest, type TestRequest } from '../../support/http.js'
import { jsonHeaders, it as served } from '../../support/served-mock.js'
import { bearer, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest, stateOf } from '../../support/worlds.js'

const because = 'this mock only shows world.yaml. To use its world, run mockmaker world.yaml'

/** Serves a mock of tanks that nothing may change. */
async function serveReadOnly() {
  const mock = closedAfterTest(createMock({ scenario: tanks }))
  const url = await serveDuringTest(createListener(mock, {}, { readOnlyBecause: because }))
  return { mock, url, send: (request: TestRequest) => sendTo(url, request) }
}

/** Puts something in the place of each parameter of a path. */
const filled = (path: string) => path.replace(/\{\w+\}/g, 'lobbies')

const calls = describeCalls().map(({ method, path }) => ({ method, path: filled(path) }))
const writes = calls.filter(({ method }) => method !== 'GET')

describe('a read-only server', () => {
  it.for(writes)('refuses $method $path, and says why', async ({ method, path }) => {
    const { mock, send } = await serveReadOnly()
    const before = stateOf(mock.default.world)

    const got = await send({ method, path, headers: jsonHeaders, body: '{}' })

    expect([got.status, json(got)]).toEqual([403, { code: 'API_FORBIDDEN', message: because }])
    expect([stateOf(mock.default.world), mock.worlds.list().length]).toEqual([before, 1])
  })

  it.for(['GET', 'HEAD'])('answers a %s of the control API', async method => {
    const { send } = await serveReadOnly()

    expect((await send({ method, path: '/__mock/rows' })).status).toBe(200)
  })

  it.for(operationIds)('refuses %s, and does not record it', async id => {
    const { mock, send } = await serveReadOnly()
    const before = stateOf(mock.default.world)
    const { path, query, body } = successes[id]
    const { method } = operations[id]
    const sent = { method, path, ...(query === undefined ? {} : { query }), headers: bearer(tokens.public) }

    const got = await send(body === undefined ? sent : { ...sent, body: JSON.stringify(body) })

    expect([got.status, json(got)]).toEqual([403, { code: 'API_FORBIDDEN', message: because }])
    expect([stateOf(mock.default.world), mock.default.journal.find()]).toEqual([before, []])
  })

  it('does not find an unknown path, and does not record the request', async () => {
    const { mock, send } = await serveReadOnly()

    expect(failure(await send({ method: 'GET', path: '/favicon.ico' }))).toBe('404 API_NOT_FOUND')
    expect(mock.default.journal.find()).toEqual([])
  })

  it('lets pages of the game read the refusal', async () => {
    const { send } = await serveReadOnly()
    const headers = { origin: 'http://localhost:3000' }
    const path = '/matchmaker/lobbies/list'

    const [preflight, got] = [
      await send({ method: 'OPTIONS', path, headers }),
      await send({ method: 'GET', path, headers }),
    ]

    expect([preflight.status, got.status]).toEqual([204, 403])
    expect(got.headers['access-control-allow-origin']).toBe('http://localhost:3000')
  })

  it.for([
    { path: '/w/other/openapi.json' },
    { path: '/w/other/__mock/world' },
    { path: '/w/other/matchmaker/lobbies/list' },
    { path: '/__mock/world', headers: { 'x-mock-world': 'other' } },
  ])('creates no other world: %j', async request => {
    const { mock, send } = await serveReadOnly()

    const got = await send({ method: 'GET', ...request })

    expect(failure(got)).toBe('404 API_NOT_FOUND')
    expect(json(got)).toMatchObject({ message: expect.stringContaining(`there is no world "other": ${because}.`) })
    expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
  })

  it('serves the page, and streams what happens', async () => {
    const { mock, url, send } = await serveReadOnly()
    const events = await createClient(url).changes()

    await mock.default.world.lobbies.create({ lobby_id: 'new' })

    const event: MockEvent | undefined = (await events.next()).value
    expect(event).toMatchObject({ type: 'change', data: { puts: [{ table: 'lobbies', id: 'new' }] } })
    await events.return?.(undefined)
    expect((await send({ method: 'GET', path: '/' })).status).toBe(200)
  })

  it('says in its worlds that it is read-only', async () => {
    const { send } = await serveReadOnly()
    const get = async (path: string) => ok(await send({ method: 'GET', path }))

    expect(await get('/__mock/world')).toMatchObject({ id: 'default', read_only: true })
    expect(await get('/__mock/worlds/default')).toMatchObject({ id: 'default', read_only: true })
    expect(await get('/__mock/worlds')).toMatchObject({ worlds: [{ id: 'default', read_only: true }] })
  })
})

describe('any other server', () => {
  served('does not say so', async ({ serve }) => {
    const { steer } = await serve()

    expect(ok(await steer('GET', '/__mock/world'))).not.toHaveProperty('read_only')
    expect(ok(await steer('GET', '/__mock/worlds'))).not.toHaveProperty('worlds[0].read_only')
  })
})
