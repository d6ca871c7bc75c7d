import { describe, expect, vi } from 'vitest'
import { operationOf } from '../../../src/core/mock/handler-operation.js'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { ApiError, type Mockmaker, type OperationId, type OverrideResolver } from '../../../src/index.js'
import { it } from '../../support/fixtures.js'
import { ask, json } from '../../support/http.js'
import { bearer, completion, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

/** A mock with one overridden operation, as an HTTP adapter sees it. */
function overridden<Id extends OperationId>(mock: Mockmaker, id: Id, resolver: OverrideResolver<Id>) {
  const operation = operationOf(mock.override(id, resolver))
  if (!operation) throw new Error('the handler has no operation')
  return operation as { readonly answer: RequestHandler }
}

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

describe('an override', () => {
  it('answers instead of the operation', async ({ mock }) => {
    const nothing = { game_modes: [], lobbies: [], regions: [] }

    const got = await ask(
      overridden(mock, 'lobbies.list', () => nothing),
      list,
    )

    expect([got.status, json(got)]).toEqual([200, nothing])
    expect(got.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  })

  it('answers no other operation', async ({ mock }) => {
    const resolver = vi.fn<OverrideResolver<'lobbies.list'>>(({ original }) => original())

    const got = await ask(overridden(mock, 'lobbies.list', resolver), { ...list, path: '/matchmaker/regions' })

    expect([got.status, resolver.mock.calls, json(got)]).toEqual([200, [], { regions: expect.any(Array) }])
  })

  it('gets the original answer, to the byte', async ({ mock }) => {
    const got = await ask(
      overridden(mock, 'lobbies.list', ({ original }) => original()),
      list,
    )

    expect(got.body).toBe((await ask(mock, list)).body)
  })

  it('can change the original answer, without any other effect', async ({ mock }) => {
    const untouched = { ...list, query: 'include_state=true' }
    const development = { ...untouched, headers: bearer(tokens.development) }
    const before = [await ask(mock, untouched), await ask(mock, development), stateOf(mock.world)]
    const answer = overridden(mock, 'lobbies.list', async ({ original }) => {
      const output = await original()
      for (const region of output.regions) {
        region.region_display_name = 'Moon'
        region.datacenter_coord.latitude = 1
        region.datacenter_distance_from_client.miles = 1
      }
      for (const lobby of output.lobbies) Object.assign(lobby.state ?? {}, { map: 'changed' })
      return output
    })

    const changed = [await ask(answer, untouched), await ask(answer, development)]

    for (const got of changed) expect(got.body).toMatch(/Moon.*"latitude":1,/)
    const after = [await ask(mock, untouched), await ask(mock, development), stateOf(mock.world)]
    const bodies = (all: typeof after) => all.map(one => (typeof one === 'string' ? one : one.body))
    expect(bodies(after)).toEqual(bodies(before))
  })

  it('that does not call original leaves the world unchanged', async ({ mock }) => {
    const before = stateOf(mock.world)

    const got = await ask(
      overridden(mock, 'devices.links.complete', () => ({})),
      completion,
    )

    expect([got.body, stateOf(mock.world)]).toEqual(['{}', before])
  })

  it('can call original of a watch, which blocks and wakes as usual', async ({ mock }) => {
    const { answer } = overridden(mock, 'devices.links.get', ({ original }) => original())
    const client = new AbortController()
    const query = `device_link_token=${tokens.pending}&watch_index=${mock.world.revision}`
    const sent = { method: 'GET', path: '/cloud/devices/links', query }

    const [freed, woken] = [ask({ answer }, sent, client.signal), ask({ answer }, sent)]
    const waiting = mock.world.waiters
    client.abort()
    await ask(mock, completion)

    expect([waiting, (await freed).status, (await woken).status, mock.world.waiters]).toEqual([2, 499, 200, 0])
  })

  it.for([
    ['a path', { ...list, path: '/matchmaker/lobbies/lists' }, 'API_NOT_FOUND'],
    ['a token', { ...list, headers: bearer('unknown') }, 'TOKEN_INVALID'],
    ['a query', { ...list, query: 'include_state=x' }, 'API_BAD_QUERY'],
    ['a header', { ...list, headers: { 'x-coords': 'x' } }, 'API_BAD_HEADERS'],
  ] as const)('is not called if %s is wrong', async ([, sent, code], { mock }) => {
    const resolver = vi.fn<OverrideResolver<'lobbies.list'>>(({ original }) => original())

    const got = await ask(overridden(mock, 'lobbies.list', resolver), sent)

    expect([(json(got) as { code: string }).code, resolver.mock.calls]).toEqual([code, []])
  })
})

describe('an override that throws', () => {
  it('an ApiError answers with it', async ({ mock, consoleError }) => {
    const answer = overridden(mock, 'lobbies.list', () => {
      throw new ApiError('API_RATE_LIMIT', 'slow down', { headers: { 'retry-after': '7' }, metadata: { left: 0 } })
    })

    const got = await ask(answer, { ...list, headers: { origin: 'http://localhost' } })

    expect([got.status, json(got)]).toEqual([
      429,
      { code: 'API_RATE_LIMIT', message: 'slow down', metadata: { left: 0 } },
    ])
    expect(got.headers).toMatchObject({ 'retry-after': '7', 'access-control-allow-origin': 'http://localhost' })
    expect(consoleError).not.toHaveBeenCalled()
  })

  const circular: Record<string, unknown> = {}
  circular.itself = circular
  it.for([
    ['a circular value', () => circular, 'the resolver of lobbies.list failed'],
    ['a bigint', () => ({ index: 1n }), 'the resolver of lobbies.list failed'],
    [
      'a value whose toJSON throws',
      () => ({
        toJSON() {
          throw new Error('no')
        },
      }),
      'the resolver of lobbies.list failed',
    ],
    [
      'an error with metadata that is not JSON',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { metadata: 1n })
      },
      'the mock failed unexpectedly',
    ],
    [
      'an error with a line break in a header',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { headers: { 'retry-after': '1\r\nset-cookie: a=b' } })
      },
      'the mock failed unexpectedly',
    ],
    [
      'an error with a header without a name',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { headers: { '': '1' } })
      },
      'the mock failed unexpectedly',
    ],
  ] as const)('after answering %s: gives 500, reported once', async ([, resolver, failed], { mock, consoleError }) => {
    // TypeScript would refuse these answers, but JavaScript allows them.
    const got = await ask(overridden(mock, 'lobbies.list', resolver as never), list)

    const message = `${failed}: the console of the mock shows the error, at ray id ${got.headers['rvt-ray-id']}`
    expect([got.status, json(got)]).toEqual([500, { code: 'ERROR', message }])
    expect(consoleError.mock.calls).toHaveLength(1)
    expect((await ask(mock, list)).status).toBe(200)
  })
})
