import { describe, expect, vi } from 'vitest'
import { operationOf } from '../../../src/core/mock/handler-operation.js'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { ApiError, type Mockmaker, type OperationId, type OverrideResolver } from '../../../src/index.js'
import { it } from '../../support/fixtures.js'
import { ask, json } from '../../support/http.js'
import { bearer, completion, ids, tokens } from '../../support/tanks.js'
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

  it('gets the parsed input', async ({ mock }) => {
    const resolver = vi.fn<OverrideResolver<'lobbies.list'>>(({ original }) => original())
    const headers = { 'x-coords': '52.52, 13.40' }

    await ask(overridden(mock, 'lobbies.list', resolver), { ...list, query: 'include_state=true&x=1', headers })

    expect(resolver.mock.calls[0]?.[0].input).toEqual({
      include_state: true,
      'x-coords': { latitude: 52.52, longitude: 13.4 },
    })
  })

  it('gets the world, and can write to it', async ({ mock }) => {
    const answer = overridden(mock, 'lobbies.list', async ({ world, original }) => {
      await world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
      return original()
    })

    const { lobbies } = json(await ask(answer, list)) as { lobbies: { lobby_id: string }[] }

    expect(lobbies.map(lobby => lobby.lobby_id)).toEqual(['empty'])
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

  it('can call original of a write, which then happens', async ({ mock }) => {
    const got = await ask(
      overridden(mock, 'devices.links.complete', ({ original }) => original()),
      completion,
    )

    expect([got.status, mock.world.deviceLinks.get(tokens.pending)?.status]).toEqual([200, 'complete'])
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

  it('answers with an empty body if the operation has no output', async ({ mock }) => {
    const path = `/cloud/games/${ids.tanks}/namespaces/${ids.prod}/mm-config`
    const body = '{"lobby_count_max":1,"max_players":1}'
    const id = 'games.namespaces.updateGameNamespaceMatchmakerConfig'

    const got = await ask(
      overridden(mock, id, () => undefined),
      {
        method: 'POST',
        path,
        headers: bearer(tokens.cloud),
        body,
      },
    )

    expect([got.status, got.body]).toEqual([200, ''])
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

  it('does not affect other operations', async ({ mock }) => {
    const answer = overridden(mock, 'lobbies.list', () => {
      throw new Error('not me')
    })

    expect((await ask(answer, completion)).status).toBe(200)
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

  it.for([
    ['an Error', () => Promise.reject(new Error('secret detail'))],
    ['no Error', () => Promise.reject('secret detail')],
    [
      'at once',
      () => {
        throw new TypeError('secret detail')
      },
    ],
  ] as const)(
    '%s answers with 500 and its ray id, and reports it once',
    async ([, resolver], { mock, consoleError }) => {
      const got = await ask(overridden(mock, 'lobbies.list', resolver), list)

      const ray = got.headers['rvt-ray-id']
      expect([got.status, json(got)]).toEqual([
        500,
        {
          code: 'ERROR',
          message: `the resolver of lobbies.list failed: the console of the mock shows the error, at ray id ${ray}`,
        },
      ])
      expect(consoleError.mock.calls).toHaveLength(1)
      expect(consoleError.mock.calls[0]?.[0]).toContain(ray)
      expect(String(consoleError.mock.calls[0]?.[1])).toContain('secret detail')
    },
  )

  const circular: Record<string, unknown> = {}
  circular.itself = circular
  it.for([
    ['a circular value', () => circular],
    ['a bigint', () => ({ index: 1n })],
    [
      'a value whose toJSON throws',
      () => ({
        toJSON() {
          throw new Error('no')
        },
      }),
    ],
    [
      'an error with metadata that is not JSON',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { metadata: 1n })
      },
    ],
    [
      'an error with a line break in a header',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { headers: { 'retry-after': '1\r\nset-cookie: a=b' } })
      },
    ],
    [
      'an error with a header without a name',
      () => {
        throw new ApiError('API_RATE_LIMIT', 'x', { headers: { '': '1' } })
      },
    ],
  ] as const)('after answering %s: gives 500, reported once', async ([, resolver], { mock, consoleError }) => {
    // TypeScript would refuse these answers, but JavaScript allows them.
    const got = await ask(overridden(mock, 'lobbies.list', resolver as never), list)

    expect([got.status, json(got)]).toMatchObject([500, { code: 'ERROR' }])
    expect(consoleError.mock.calls).toHaveLength(1)
    expect((await ask(mock, list)).status).toBe(200)
  })

  it('inside a transaction leaves the world unchanged', async ({ mock, consoleError }) => {
    const before = stateOf(mock.world)
    const answer = overridden(mock, 'devices.links.complete', async ({ world }) => {
      world.transaction(tables => {
        tables.deviceLinks.create({})
        tables.deviceLinks.delete(q => q.where({ device_link_token: tokens.pending }))
        throw new Error('half way')
      })
      return {}
    })

    expect((await ask(answer, completion)).status).toBe(500)
    expect([stateOf(mock.world), consoleError.mock.calls.length]).toEqual([before, 1])
  })
})
