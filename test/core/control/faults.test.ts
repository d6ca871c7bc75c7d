import { describe, expect } from 'vitest'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const
const twice = { operation: 'lobbies.list', effect: { error: { code: 'API_RATE_LIMIT' } }, times: 2 } as const

describe('the faults of a world, over HTTP', () => {
  it('are added, listed, removed and cleared', async ({ serve }) => {
    const { mock, client, steer } = await serve()

    const first = await client.faults.add(twice)
    await client.faults.add({ effect: { reset: true } })
    const listed = await client.faults.list()
    const removed = [await client.faults.remove('1'), await client.faults.remove('1')]
    const left = (await client.faults.list()).map(({ id }) => id)
    await client.faults.clear()

    expect(first).toEqual({
      ...twice,
      id: '1',
      matched: 0,
      struck: 0,
      holding: 0,
      added_at: '2026-11-20T20:00:00.000Z',
      began_at: '2026-11-20T20:00:00.000Z',
      begins_at: '2026-11-20T20:00:00.000Z',
    })
    expect([listed.length, removed, left, mock.faults.list()]).toEqual([2, [true, false], ['2'], []])
    expect(failure(await steer('DELETE', '/__mock/faults/1'))).toBe('404 API_NOT_FOUND')
  })

  it('send metadata to the client, also from a snapshot', async ({ serve }) => {
    const { mock, client, send } = await serve()
    const metadata = { hcaptcha: { site_id: 'site', site_key: 'key' } }
    const error = { status: 403, code: 'CAPTCHA_CAPTCHA_REQUIRED', metadata }
    await client.faults.add({ operation: 'lobbies.list', effect: { error } })

    const got = [await send(list)]
    const snapshot = await client.snapshot({ with: ['faults'] })
    await mock.reset()
    await client.restore(snapshot)
    got.push(await send(list))

    const { status: _, ...body } = error
    expect(got.map(one => [one.status, json(one)])).toEqual(
      Array.from({ length: 2 }, () => [403, { ...body, message: 'fault 1 of this mock injected this error' }]),
    )
  })

  it('are copied to a fork with their counters', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await client.faults.add(twice)
    await send(list)
    await client.worlds.put('fork', { fork: 'default' })
    const inFork = async () => (await send({ ...list, path: `/w/fork${list.path}` })).status

    const statuses = [await inFork(), await inFork(), (await send(list)).status, (await send(list)).status]

    expect(statuses).toEqual([429, 200, 429, 200])
    expect(mock.worlds.get('fork')?.faults.list()[0]).toMatchObject({ id: '1', matched: 3, struck: 2 })
  })

  it('are explained, without effect on the explanation itself', async ({ serve }) => {
    const { mock, client } = await serve()
    await client.faults.add(twice)

    const { verdict, because } = await client.explain({ path: list.path })

    expect(verdict).toBe('fault 1 applies: {"error":{"code":"API_RATE_LIMIT"}}')
    expect(because[0]).toBe('fault 1 matches: {"error":{"code":"API_RATE_LIMIT"}}, applied 0 of 2 times so far')
    expect(mock.faults.list()[0]?.matched).toBe(0)
  })

  it('are explained as not due while they are not', async ({ serve }) => {
    const { client } = await serve()
    await client.faults.add({ ...twice, after: 1 })

    const { verdict, because } = await client.explain({ path: list.path })

    expect([verdict, because[0]]).toEqual([
      'answered by lobbies.list',
      expect.stringContaining('but it is not active now'),
    ])
  })

  it('are found in the journal by the match that they used', async ({ serve }) => {
    const { client, send } = await serve()
    const match = { game: 'tanks', namespace: 'tanks/prod' }
    await client.faults.add({ match, effect: { error: { status: 503 } } })
    await send(list)

    expect(await client.journal.verify({ match: { ...match, status: 503 } })).toMatchObject({ ok: true, matched: 1 })
  })
})
