import { expect } from 'vitest'
import { failure, type Sent, uuid } from '../doors.js'
import { bearer, ids, tokens } from '../tanks.js'
import { type Frame, ok, post, request } from './frame.js'

const path = `/cloud/games/${ids.tanks}`
const startTs = '2026-11-20T20:00:00.000Z'

const get = (query?: string): Sent => ({
  method: 'GET',
  path,
  headers: bearer(tokens.cloud),
  ...(query === undefined ? {} : { query }),
})

interface Shown {
  readonly game: {
    readonly namespaces: readonly {
      readonly namespace_id: string
      readonly name_id: string
      readonly version_id: string
    }[]
    readonly versions: readonly { readonly version_id: string; readonly display_name: string }[]
  }
  readonly watch: { readonly index: string }
}

/** What `games.getGameById` promises. */
export function specifyGames({ describe, it }: Frame): void {
  describe('games.getGameById', () => {
    it('shows the game with its namespaces, their versions, all regions and its players', async ({ mock }) => {
      const shown = ok(await mock.send(get())) as Shown

      const [prod, closed] = shown.game.namespaces
      const region = (region_id: string, region_display_name: string, universal_region: string) => ({
        region_id,
        region_name_id: region_id,
        provider: 'linode',
        universal_region,
        provider_display_name: 'Linode',
        region_display_name,
      })
      const namespace = { create_ts: startTs, version_id: expect.stringMatching(uuid) }
      expect(shown).toEqual({
        game: {
          game_id: ids.tanks,
          create_ts: startTs,
          name_id: 'tanks',
          display_name: 'tanks',
          developer_group_id: expect.stringMatching(uuid),
          total_player_count: 2,
          namespaces: [
            { namespace_id: ids.prod, name_id: 'prod', display_name: 'prod', ...namespace },
            { namespace_id: ids.closed, name_id: 'closed', display_name: 'closed', ...namespace },
          ],
          versions: [prod, closed].map(one => ({
            version_id: one?.version_id,
            create_ts: startTs,
            display_name: one?.version_id,
          })),
          available_regions: [
            region('lnd-fra', 'Frankfurt', 'frankfurt'),
            region('lnd-atl', 'Atlanta', 'atlanta'),
            region('lnd-syd', 'Sydney', 'sydney'),
          ],
        },
        watch: { index: expect.stringMatching(/^\d+$/) },
      })
    })

    it('lists a version once, however many namespaces run it', async ({ mock }) => {
      const { game } = ok(await mock.send(get())) as Shown
      const [{ version_id } = { version_id: '' }] = game.versions
      const names = { display_name: 'Beta', name_id: 'beta', version_id }

      await mock.send(post(`${path}/namespaces`, names, tokens.cloud))

      const after = ok(await mock.send(get())) as Shown
      expect(after.game.namespaces.map(one => one.name_id)).toEqual(['prod', 'closed', 'beta'])
      expect(after.game.versions).toEqual(game.versions)
    })

    it('blocks on its own index until a namespace is made', async ({ mock }) => {
      const first = ok(await mock.send(get())) as Shown
      const watching = mock.send(get(`watch_index=${first.watch.index}`))

      // A second answer shows that the first request was read, and is blocked.
      await mock.send(get())
      const names = { display_name: 'Beta', name_id: 'beta', version_id: ids.lobby }
      await mock.send(post(`${path}/namespaces`, names, tokens.cloud))

      const second = ok(await watching) as Shown
      expect(second.game.namespaces.map(one => one.name_id)).toEqual(['prod', 'closed', 'beta'])
      expect(BigInt(second.watch.index)).toBeGreaterThan(BigInt(first.watch.index))
    })

    it.for(['0', '9999999999999999999'])(
      'answers an index that is not its own at once: %s',
      async (index, { mock }) => {
        expect(ok(await mock.send(get(`watch_index=${index}`)))).toEqual(ok(await mock.send(get())))
      },
    )

    it('sees nothing of what becomes of another game', async ({ mock }) => {
      const first = ok(await mock.send(get()))

      const names = { display_name: 'Beta', name_id: 'beta', version_id: ids.lobby }
      ok(await mock.send(post(`/cloud/games/${ids.boats}/namespaces`, names, tokens.cloudBoats)))

      expect(ok(await mock.send(get()))).toEqual(first)
    })

    it.for(['watch_index=', 'watch_index=newest', 'watch_index=1&watch_index=1'])(
      'refuses the query %s',
      async (query, { mock }) => {
        expect(failure(await mock.send(get(query)))).toBe('400 API_BAD_QUERY')
      },
    )

    it.for([
      ['no token', path, undefined, '401 API_UNAUTHORIZED'],
      ['a development token', path, tokens.development, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ["another game's cloud token", path, tokens.cloudBoats, '403 API_FORBIDDEN'],
      ['a game that nobody knows', '/cloud/games/nobody', tokens.cloud, '403 API_FORBIDDEN'],
    ] as const)('refuses %s', async ([, path, token, expected], { mock }) => {
      expect(failure(await mock.send(request('GET', path, token)))).toBe(expected)
    })
  })
}
