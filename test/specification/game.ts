import { expect } from 'vitest'
import { failure, ok, post, request, type TestRequest, uuid } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const path = `/cloud/games/${ids.tanks}`
const startTs = '2026-11-20T20:00:00.000Z'

const get = (query?: string): TestRequest => ({
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

/** Specifies the calls that return a game and create its cloud tokens. */
export function specifyGames({ describe, it }: Frame): void {
  describe('games.getGameById', () => {
    it('returns the game with its namespaces, their versions, all regions and its players', async ({ mock }) => {
      const shown = ok(await mock.send(get())) as Shown

      const [prod, closed] = shown.game.namespaces
      const region = (region_name_id: string, region_id: string, region_display_name: string) => ({
        region_id,
        region_name_id,
        provider: 'linode',
        universal_region: region_display_name.toLowerCase(),
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
          versions: [
            { version_id: prod?.version_id, create_ts: startTs, display_name: '0.0.1' },
            { version_id: closed?.version_id, create_ts: startTs, display_name: '0.0.2' },
          ],
          available_regions: [
            region('lnd-fra', '37aeb24a-12f6-45ea-ba7e-d2589588d7db', 'Frankfurt'),
            region('lnd-atl', '54c60ee9-ae31-4a3f-b5ff-06aa5639310f', 'Atlanta'),
            region('lnd-syd', '6041893e-7a35-4ab7-a31d-9fd4d6f9dee2', 'Sydney'),
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

    it('blocks on its own index until a namespace is created', async ({ mock }) => {
      const first = ok(await mock.send(get())) as Shown
      const watching = mock.send(get(`watch_index=${first.watch.index}`))

      // A second answer shows that the first request has been read, and blocks.
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

    it('ignores changes of another game', async ({ mock }) => {
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
      ['an unknown game', '/cloud/games/nobody', tokens.cloud, '403 API_FORBIDDEN'],
    ] as const)('refuses %s', async ([, path, token, expected], { mock }) => {
      expect(failure(await mock.send(request('GET', path, token)))).toBe(expected)
    })
  })

  describe('games.tokens.createCloudToken', () => {
    const create = (token?: string, body = '', game: string = ids.tanks) =>
      ({
        method: 'POST',
        path: `/cloud/games/${game}/tokens/cloud`,
        headers: token === undefined ? {} : bearer(token),
        body,
      }) as const

    it('creates a cloud token of the game, and keeps the caller’s valid', async ({ mock }) => {
      const { token } = ok(await mock.send(create(tokens.cloud))) as { token: string }

      expect(token).toMatch(/^cloud\.mock\.[0-9a-z]{24}$/)
      for (const one of [token, tokens.cloud]) {
        const agent = ok(await mock.send(request('GET', '/cloud/auth/inspect', one)))
        expect(agent).toEqual({ agent: { game_cloud: { game_id: ids.tanks } } })
      }
    })

    it('creates another token each time', async ({ mock }) => {
      const first = ok(await mock.send(create(tokens.cloud)))

      expect(ok(await mock.send(create(tokens.cloud)))).not.toEqual(first)
    })

    it.for(['', '{}', 'null', '{', '[1]'])('ignores the body %j', async (body, { mock }) => {
      expect((await mock.send(create(tokens.cloud, body))).status).toBe(200)
    })

    it.for([
      ['no token', undefined, ids.tanks, '401 API_UNAUTHORIZED'],
      ['an unknown token', 'nobody', ids.tanks, '400 TOKEN_INVALID'],
      ['a public token', tokens.public, ids.tanks, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['a development token', tokens.development, ids.tanks, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ["another game's cloud token", tokens.cloudBoats, ids.tanks, '403 API_FORBIDDEN'],
      ['an unknown game', tokens.cloud, 'nobody', '403 API_FORBIDDEN'],
    ] as const)('refuses %s', async ([, token, game, expected], { mock }) => {
      expect(failure(await mock.send(create(token, '', game)))).toBe(expected)
    })
  })
}
