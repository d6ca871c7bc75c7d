import { fc } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { Expectation } from '../../../src/client/index.js'
import type { JournalEntry } from '../../../src/core/contract/journal.js'
import { verify } from '../../../src/core/pipeline/verify.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, failure } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { bearer, ids, tokens } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const link = { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${tokens.pending}` } as const
const validate = (name_id: string) => ({
  method: 'POST',
  path: `/cloud/games/${ids.tanks}/namespaces/validate`,
  headers: { ...bearer(tokens.cloud), 'x-client': 'godot/4' },
  body: JSON.stringify({ display_name: 'Beta', name_id }),
})
const lost = { method: 'POST', path: `/devices/link/${tokens.pending}`, body: JSON.stringify({ token: 'nobody' }) }

/** A list with states and one without, a refused list, a device link, and a validation. */
async function play({ send }: ServedMock): Promise<void> {
  await send({ ...list, query: 'include_state=true', headers: bearer(tokens.public) })
  await send(list)
  await send({ ...list, headers: bearer('nobody') })
  await send(link)
  await send(validate('beta'))
}

describe('journal.verify', () => {
  it.for<[Expectation, number]>([
    [{}, 5],
    [{ operation: 'lobbies.list' }, 3],
    [{ operation: 'games.*' }, 1],
    [{ operation: 'lobbies.list', match: { status: 200 } }, 2],
    [{ match: { query: { include_state: 'true' } } }, 1],
    [{ match: { headers: { 'X-Client': 'godot/*' } } }, 1],
    [{ match: { headers: { authorization: 'Bearer pub_prod.*' } } }, 1],
    [{ match: { headers: { authorization: 'Bearer *' } } }, 3],
    [{ match: { headers: { authorization: `Bearer ${tokens.public}` } } }, 1],
    [{ match: { headers: { authorization: 'Bearer pub_prod.…' } } }, 1],
    [{ match: { query: { device_link_token: tokens.pending } } }, 1],
    [{ match: { body: { name_id: 'beta' } } }, 1],
    [{ match: { game: 'tanks' } }, 3],
    [{ match: { namespace: 'tanks/prod' } }, 2],
    [{ match: { namespace: ids.prod }, count: { min: 2, max: 2 } }, 2],
    [{ match: { method: 'POST' } }, 1],
    [{ match: { path: '/cloud/*/validate' } }, 1],
    [{ operation: 'devices.links.complete', count: { max: 0 } }, 0],
    [{ order: [{ operation: 'lobbies.list' }, { match: { status: 400 } }, { operation: 'games.*' }] }, 3],
    [{ order: [] }, 0],
    [{ match: { query: { constructor: '*' } }, count: { max: 0 } }, 0],
    [{ operation: 'lobbies.list', count: { min: 3 }, order: [{ operation: 'devices.*' }] }, 1],
  ])('finds %j', async ([expectation, matched], { serve }) => {
    const steered = await serve()
    await play(steered)

    expect(await steered.client.journal.verify(expectation)).toEqual({
      ok: true,
      matched,
      nearest: [],
      begins_at: steered.mock.journal.beginsAt(),
      run: expect.any(String),
    })
    expect(steered.mock.journal.verify(expectation).ok).toBe(true)
  })

  it.for<Expectation>([
    { operation: 'lobbies.find', order: [] },
    { match: { status: 500 }, order: [] },
    { count: { max: 4 }, order: [] },
  ])('compares the number with %j too', async (expectation, { serve }) => {
    const served = await serve()
    await play(served)

    expect(served.mock.journal.verify(expectation).ok).toBe(false)
  })

  it('finds an order of no requests in an empty journal', async ({ serve }) => {
    const { mock } = await serve()

    expect(mock.journal.verify({ order: [] })).toMatchObject({ ok: true, matched: 0 })
    expect(mock.journal.verify({}).ok).toBe(false)
  })

  it.for([
    ['of its path', { game: 'unknown' }, '/cloud/games/unknown/namespaces/x/mm-config', tokens.cloud],
    ['of its path', { namespace: 'x' }, '/cloud/games/unknown/namespaces/x/mm-config', tokens.cloud],
    ['of its path, without a token', { game: 'tanks' }, `/cloud/games/${ids.tanks}/namespaces/x/mm-config`, 'nobody'],
    ['of its token', { game: 'boats' }, '/cloud/devices/links/complete', tokens.cloudBoats],
  ] as const)('finds a request by the game or the namespace %s: %j', async ([, match, path, token], { serve }) => {
    const { mock, send } = await serve()
    await send({ method: 'POST', path, headers: bearer(token), body: '{}' })

    expect(mock.journal.verify({ match })).toMatchObject({ ok: true, matched: 1 })
  })

  it.for([
    { method: 'OPTIONS', path: list.path },
    { method: 'GET', path: '/nowhere' },
  ])('finds a request of a snapshot by its caller if no operation is at %j', async (place, { serve }) => {
    const { mock, send } = await serve()
    await send({ ...list, headers: bearer(tokens.public) })
    const snapshot = mock.snapshot({ with: ['journal'] })
    const journal = snapshot.journal?.map(entry => ({ ...entry, ...place }))

    await mock.restore({ ...snapshot, journal })

    expect(mock.journal.verify({ operation: 'lobbies.list', match: { namespace: 'prod' } }).matched).toBe(1)
  })

  it.for<Expectation>([
    { match: { path: lost.path } },
    { match: { path: '/devices/link/device.…' } },
    { match: { body: { token: 'nobody' } } },
    { match: { body: { token: '…' } } },
  ])('finds a token in a path or a body: %j', async (expectation, { serve }) => {
    const { mock } = await serve()
    await ask(mock, lost)

    expect(mock.journal.verify(expectation).ok).toBe(true)
  })

  it('names the nearest request, and the fields in which it differs', async ({ serve }) => {
    const steered = await serve()
    await play(steered)

    const found = await steered.client.journal.verify({
      operation: 'games.*',
      match: { body: { display_name: 'Beta', name_id: 'alpha' }, headers: { 'x-client': 'unity/*' } },
    })

    expect(found).toMatchObject({
      ok: false,
      matched: 0,
      reason: expect.stringMatching(/^expected at least 1 request of games\.\* that matches \{.*\}, and found 0$/),
    })
    expect(found.nearest[0]?.exchange.id).toBe(5)
    expect(found.nearest[0]?.differs).toEqual([
      { field: 'headers.x-client', expected: 'unity/*', actual: 'godot/4' },
      { field: 'body.name_id', expected: 'alpha', actual: 'beta' },
    ])
    expect(found.nearest).toHaveLength(3)
  })

  it('shows all values of a field, and none of a missing one', async ({ serve }) => {
    const { mock, send } = await serve()
    await send({ ...list, query: 'a=1&a=2' })

    const { reason, nearest } = mock.journal.verify({ match: { query: { a: '3', b: '1' } } })

    expect(reason).toBe(
      'expected at least 1 request of any operation that matches {"query":{"a":"3","b":"1"}}, and found 0',
    )
    expect(nearest[0]?.differs).toStrictEqual([
      { field: 'query.a', expected: '3', actual: ['1', '2'] },
      { field: 'query.b', expected: '1' },
    ])
  })

  it('reports too few requests, with the nearest of the others', async ({ serve }) => {
    const served = await serve()
    await play(served)

    const found = served.mock.journal.verify({ operation: 'lobbies.list', count: { min: 4 } })

    expect(found).toMatchObject({ ok: false, matched: 3 })
    expect(found.nearest.map(({ exchange }) => exchange.id)).toEqual([5, 4])
  })

  it('reports too many requests', async ({ serve }) => {
    const steered = await serve()
    await play(steered)

    const found = steered.mock.journal.verify({ operation: 'lobbies.list', count: { max: 1 } })

    expect(found).toMatchObject({
      ok: false,
      matched: 3,
      reason: 'expected at most 1 request of lobbies.list, and found 3',
    })
    expect(found.nearest.map(({ exchange, differs }) => [exchange.id, differs])).toEqual([
      [3, []],
      [2, []],
      [1, []],
    ])
  })

  it('says which step of an order is missing, and what came too early', async ({ serve }) => {
    const steered = await serve()
    await play(steered)

    const found = steered.mock.journal.verify({ order: [{ operation: 'devices.*' }, { operation: 'lobbies.list' }] })

    expect(found).toMatchObject({
      ok: false,
      matched: 1,
      reason: 'expected a request of lobbies.list after GET /cloud/devices/links → 200, as step 2 of 2, and found none',
    })
    expect(found.nearest[0]).toMatchObject({
      exchange: { id: 5 },
      differs: [{ field: 'operation', expected: 'lobbies.list' }],
    })
    expect(found.nearest[1]).toMatchObject({
      exchange: { id: 3 },
      differs: [{ field: 'order', expected: 'after GET /cloud/devices/links → 200', actual: 'before it' }],
    })
  })

  it('says that the only request of an order was taken for an earlier step', async ({ serve }) => {
    const served = await serve()
    await play(served)

    const found = served.mock.journal.verify({ order: [{ operation: 'games.*' }, { operation: 'games.*' }] })

    const after = `after POST /cloud/games/${ids.tanks}/namespaces/validate → 200`
    expect(found.nearest[0]?.exchange.id).toBe(5)
    expect(found.nearest[0]?.differs).toEqual([{ field: 'order', expected: after, actual: 'that request itself' }])
  })

  it.for([
    [{ operation: 'lobbies.lst' }, 'Did you mean lobbies.list?'],
    [{ operatoin: 'lobbies.list' }, 'Did you mean operation?'],
    [{ match: { body: [] } }, 'body.match.body'],
    [{ count: { min: -1 } }, 'body.count.min is -1'],
    [{ order: [{ match: { colour: 1 } }] }, 'body.order[0].match.colour'],
  ] as const)('refuses %j', async ([expectation, message], { serve }) => {
    const { steer } = await serve()

    const got = await steer('POST', '/__mock/journal/verify', expectation)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect((JSON.parse(got.body) as { message: string }).message).toContain(message)
  })

  it('finds an order exactly if the exchanges contain it', async ({ serve }) => {
    const { mock, send } = await serve()
    const names = ['a', 'b', 'c']
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...names), { maxLength: 6 }),
        fc.array(fc.constantFrom(...names), { maxLength: 4 }),
        async (sent, wanted) => {
          mock.journal.clear()
          for (const name of sent) await send({ method: 'GET', path: `/${name}` })

          const { ok } = mock.journal.verify({ order: wanted.map(name => ({ match: { path: `/${name}` } })) })

          let at = -1
          const follows = wanted.every(name => {
            at = sent.indexOf(name, at + 1)
            return at !== -1
          })
          expect(ok).toBe(follows)
        },
      ),
      { numRuns: inject('runs') },
    )
  })

  it('compares each exchange with one step of an order, however many steps there are', async () => {
    let looks = 0
    const entry = (id: number): JournalEntry => ({
      id,
      time: '2026-11-20T20:00:00Z',
      world: 'default',
      method: 'GET',
      get path() {
        looks += 1
        return '/a'
      },
      query: {},
      headers: {},
      status: 404,
      ms: 0,
      blocked_ms: 0,
    })
    const entries = Array.from({ length: 500 }, (_, i) => entry(i + 1))
    const { tables } = live(createMockmaker().world)
    const order = entries.map(() => ({ match: { path: '/a' } }))

    expect(verify({ order }, { entries, tables, dropped: 0 }).ok).toBe(true)
    expect(looks).toBeLessThan(10 * entries.length)
  })

  it('lists at most 100 differences of an exchange, and shortens a long expectation', async () => {
    const mock = createMockmaker()
    await mock.answer({ method: 'GET', path: '/nowhere', headers: {} })
    const much = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`q${i}`, '1']))

    const verifications = [{ query: much }, { headers: much }, { body: much }].map(match =>
      mock.journal.verify({ match }),
    )

    expect(verifications.map(({ ok, nearest }) => [ok, nearest[0]?.differs.length])).toEqual(
      Array(3).fill([false, 100]),
    )
    for (const { reason } of verifications) expect(reason).toMatch(/ that matches \{.{900,1100}…, and found 0$/)
  })
})
