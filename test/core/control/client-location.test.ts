import { describe, expect } from 'vitest'
import type { Region } from '../../../src/core/contract/regions.js'
import { failure, json, post } from '../../support/http.js'
import { it, type ServedMock } from '../../support/served-mock.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const berlin = { latitude: 52.52, longitude: 13.4 }
const sydney = { latitude: -33.87, longitude: 151.2 }

/** The regions as a client sees them, each with its distance in words. */
async function distances({ send }: ServedMock, headers = {}): Promise<string> {
  const answer = await send({ method: 'GET', path: '/matchmaker/regions', headers })
  const { regions } = json(answer) as { regions: Region[] }
  return regions
    .map(({ region_id, datacenter_distance_from_client: { kilometers } }) => {
      if (kilometers === 0) return `${region_id} unknown`
      return `${region_id} ${kilometers > 1000 ? 'far' : 'near'}`
    })
    .join()
}

describe('the place of the player', () => {
  it('is that of distances, find and explain from then on', async ({ serve }) => {
    const served = await serve({ scenario: { ...tanks, client: berlin } })
    const { mock, send, steer } = served
    await mock.world.lobbies.update('empty', { is_closed: true })
    const seen = [[await distances(served), mock.explain({ find: 'ffa' }).region_id]]

    const moved = await steer('PUT', '/__mock/client', { location: sydney })

    expect(json(moved)).toEqual({ location: sydney })
    seen.push([await distances(served), mock.explain({ find: 'ffa' }).region_id])
    expect(seen).toEqual([
      ['lnd-fra near,lnd-syd far', 'lnd-fra'],
      ['lnd-fra far,lnd-syd near', 'lnd-syd'],
    ])
    const { lobby } = json(await send(post('/matchmaker/lobbies/find', { game_modes: ['ffa'] }))) as {
      lobby: { region: object }
    }
    expect(lobby.region).toMatchObject({ region_id: 'lnd-syd' })
    expect(await distances(served, { 'x-coords': '52.52,13.40' })).toBe('lnd-fra near,lnd-syd far')
  })

  it('is unknown after null', async ({ serve }) => {
    const served = await serve({ scenario: { ...tanks, client: berlin } })

    const moved = await served.steer('PUT', '/__mock/client', { location: null })

    expect(json(moved)).toEqual({ location: null })
    expect(await distances(served)).toBe('lnd-fra unknown,lnd-syd unknown')
    expect(served.mock.snapshot()).not.toHaveProperty('client')
  })

  it('moves in one change set, which is an event and part of the history and of snapshots', async ({ serve }) => {
    const { mock, client } = await serve()
    const events = mock.changes()
    const { revision } = mock.world

    await client.setClientLocation(sydney)
    await mock.setClientLocation(berlin)

    const [first, second] = mock.history({ since: revision }).change_sets
    const cause = { kind: 'control', call: 'setClientLocation' }
    expect([first, second]).toMatchObject([
      { cause, changes: [{ table: 'settings', after: { client: sydney } }] },
      { cause, changes: [{ table: 'settings', before: { client: sydney }, after: { client: berlin } }] },
    ])
    expect((await events.next()).value).toMatchObject({
      data: { puts: [{ table: 'settings', row: { client: sydney } }] },
    })
    expect([mock.snapshot({ revision: first?.revision ?? 0 }).client, mock.snapshot().client]).toEqual([sydney, berlin])
    await mock.reset()
    expect(mock.snapshot()).not.toHaveProperty('client')
  })

  it.for([
    [{ location: { latitude: 91, longitude: 0 } }, 'body.location.latitude is 91: expected at most 90'],
    [{ location: { latitude: 0, longitude: -180.5 } }, 'body.location.longitude is -180.5: expected at least -180'],
    [{ location: { latitude: '0', longitude: 0 } }, 'body.location.latitude is "0": expected number'],
    [{ location: { latitude: 0 } }, 'body.location.longitude is missing: expected number'],
    [{ location: { latitude: 0, longitude: 0, altitude: 3 } }, 'body.location.altitude is an unknown key'],
    [{ location: [0, 0] }, 'body.location is [0,0]: expected object'],
    [sydney, 'body.latitude is an unknown key'],
    [{}, 'body.location is missing: expected object'],
  ] as const)('is refused if it is %j', async ([body, message], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const refused = await steer('PUT', '/__mock/client', body)

    expect(failure(refused)).toBe('400 API_BAD_BODY')
    expect(json(refused)).toMatchObject({ message: expect.stringContaining(message) })
    expect(stateOf(mock.world)).toBe(before)
  })

  it('is refused in a call with the same message', async ({ serve }) => {
    const { mock, client } = await serve()
    const location = { latitude: 0, longitude: 181 }

    await expect(mock.setClientLocation(location)).rejects.toThrow('location.longitude is 181: expected at most 180')
    await expect(client.setClientLocation(location)).rejects.toThrow('location.longitude is 181: expected at most 180')
    await expect(mock.setClientLocation(undefined as never)).rejects.toThrow('location is missing')
  })

  it('wakes no watch, because none shows distances', async ({ serve }) => {
    const { mock, send } = await serve()
    const watch = { method: 'GET', path: `/cloud/games/${ids.tanks}`, headers: bearer(tokens.cloud) } as const
    const { watch: at } = json(await send(watch)) as { watch: { index: string } }
    const blocked = send({ ...watch, query: `watch_index=${at.index}` })
    await mock.blocked(1)

    await mock.setClientLocation(sydney)

    expect(mock.journal.pending()).toHaveLength(1)
    expect(json(await send(watch))).toMatchObject({ watch: at })
    await mock.world.games.update(ids.tanks, { display_name: 'Tanks 2' })
    expect(json(await blocked)).toMatchObject({ game: { display_name: 'Tanks 2' } })
  })
})
