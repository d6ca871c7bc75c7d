import { describe, expect, vi } from 'vitest'
import { createClient } from '../../../src/client/index.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { failure, json } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'

const html = { accept: 'text/html,*/*;q=0.8' }
const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** The world of a name, in the list of the control API. */
async function listed({ client }: Pick<ServedMock, 'client'>, id = 'default') {
  return (await client.worlds.list()).find(world => world.id === id)
}

describe('the list of worlds', () => {
  it('has the players of each world, its age, and its last use', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T10:00:00Z') })
    const served = await serve({ scenario: { clock: 'frozen', game_modes: ['duel'] } })
    await served.mock.lobby({ players: 3 })
    await served.client.worlds.put('other')
    vi.setSystemTime('2026-11-25T10:05:00Z')
    await served.send({ ...list, path: `/w/other${list.path}` })
    vi.setSystemTime('2026-11-25T10:09:00Z')

    expect(await listed(served)).toMatchObject({ players: 3, created_at: '2026-11-25T10:00:00.000Z' })
    expect(await listed(served, 'other')).toMatchObject({
      players: 0,
      created_at: '2026-11-25T10:00:00.000Z',
      used_at: '2026-11-25T10:05:00.000Z',
    })
    expect((await served.client.world.describe()).players).toBe(3)
    expect(json(await served.steer('GET', '/__mock/worlds/other'))).toMatchObject({
      id: 'other',
      created_at: '2026-11-25T10:00:00.000Z',
    })
    expect(served.mock.worlds.list()).toEqual(await served.client.worlds.list())
  })

  it('counts a world as used while somebody follows it', async ({ serve }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T10:00:00Z') })
    const served = await serve()
    const other = await served.client.worlds.put('other')
    const events = await createClient(other.url).changes({ with: ['world'] })
    await events.next()
    vi.setSystemTime('2026-11-25T10:09:00Z')

    const during = await listed(served, 'other')
    await events.return(undefined)
    await vi.waitFor(() => expect(mockOf(served.mock, 'test').worlds.inMemory('other')?.isBusy).toBe(false))

    expect([during?.used_at, (await listed(served, 'other'))?.used_at]).toEqual([
      '2026-11-25T10:09:00.000Z',
      '2026-11-25T10:00:00.000Z',
    ])
  })
})

describe('the dashboard of an unknown world', () => {
  it.for(['/w/nope/', '/w/nope'])(
    'comes at %s, and the calls that it makes say that there is no world',
    async (path, { serve }) => {
      const { mock, send, steer } = await serve()
      const page = await send({ method: 'GET', path: '/', headers: html })

      const got = await send({ method: 'GET', path, headers: html })
      const read = await steer('GET', '/w/nope/__mock/world')
      const streamed = await send({
        method: 'GET',
        path: '/w/nope/__mock/changes',
        headers: { accept: 'text/event-stream' },
      })

      expect([got.status, got.body]).toEqual([200, page.body])
      expect([failure(read), failure(streamed)]).toEqual(['404 API_NOT_FOUND', '404 API_NOT_FOUND'])
      expect(json(read)).toMatchObject({ message: expect.stringContaining('there is no world "nope"') })
      expect(mock.worlds.list().map(({ id }) => id)).toEqual(['default'])
    },
  )

  it('needs no world for HEAD either, and none for a name that no world can have', async ({ serve }) => {
    const { mock, send } = await serve()

    const head = await send({ method: 'HEAD', path: '/w/nope/', headers: html })
    const malformed = await send({ method: 'GET', path: '/w/a%20b/', headers: html })

    expect([head.status, head.body, malformed.status]).toEqual([200, '', 404])
    expect(mock.worlds.list()).toHaveLength(1)
  })

  it('is refused where no dashboard works, and then a world is made as before', async ({ serve }) => {
    const { mock, send } = await serve({ control: false })

    const got = await send({ method: 'GET', path: '/w/nope/', headers: html })

    expect(got.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(mock.worlds.list()).toHaveLength(2)
  })
})
