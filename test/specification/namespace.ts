import { expect } from 'vitest'
import { failure, json, ok, post, request, uuid } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const path = `/cloud/games/${ids.tanks}/namespaces`
const beta = { display_name: 'Open Beta', name_id: 'beta', version_id: ids.lobby }

/** The namespace `prod` of tanks. */
const prod = {
  namespace_id: ids.prod,
  create_ts: '2026-11-20T20:00:00.000Z',
  display_name: 'prod',
  version_id: expect.stringMatching(uuid),
  name_id: 'prod',
  config: {
    cdn: {
      enable_domain_public_auth: true,
      domains: [
        {
          domain: 'tanks.example',
          create_ts: '2026-11-20T20:00:00.000Z',
          verification_status: 'active',
          verification_method: { http: { cname_record: 'tanks--prod.mock.localhost' } },
          verification_errors: [],
        },
      ],
      auth_type: 'none',
      auth_user_list: [],
    },
    matchmaker: limits(128, 8),
    kv: {},
    identity: {},
  },
}

function limits(lobby_count_max: number, most: number) {
  return {
    lobby_count_max,
    max_players_per_client: most,
    max_players_per_client_vpn: most,
    max_players_per_client_proxy: most,
    max_players_per_client_tor: most,
    max_players_per_client_hosting: most,
  }
}

/** Specifies the calls that create and return a namespace, and validate its limits. */
export function specifyNamespaces({ describe, it }: Frame): void {
  describe('games.namespaces.createGameNamespace', () => {
    it('creates a namespace that needs a token, and has no domains', async ({ mock }) => {
      const { namespace_id } = ok(await mock.send(post(path, beta, tokens.cloud))) as { namespace_id: string }

      expect(namespace_id).toMatch(uuid)
      expect(ok(await mock.send(request('GET', `${path}/${namespace_id}`, tokens.cloud)))).toEqual({
        namespace: {
          ...prod,
          namespace_id,
          ...beta,
          config: { ...prod.config, cdn: { ...prod.config.cdn, enable_domain_public_auth: false, domains: [] } },
        },
      })
    })

    it('gives it the game modes of the first namespace of the game, and no lobbies', async ({ mock }) => {
      const { namespace_id } = ok(await mock.send(post(path, beta, tokens.cloud))) as { namespace_id: string }
      const minted = await mock.send(request('POST', `${path}/${namespace_id}/tokens/public`, tokens.cloud))
      const { token } = ok(minted) as { token: string }

      const listed = ok(await mock.send(request('GET', '/matchmaker/lobbies/list', token)))

      expect(listed).toMatchObject({
        game_modes: [{ game_mode_id: 'duel' }, { game_mode_id: 'ffa' }, { game_mode_id: 'secret' }],
        lobbies: [],
        regions: [{ region_id: 'lnd-fra' }, { region_id: 'lnd-syd' }],
      })
    })

    it.for([
      ['an empty display name', { ...beta, display_name: '' }, ['display-name too-short', 'display-name invalid']],
      ['a name that the game has', { ...beta, name_id: 'prod' }, ['name-id not-unique']],
      ['a name that is none', { ...beta, name_id: 'a--b' }, ['name-id invalid']],
    ] as const)('refuses %s with the error of the validation, and creates nothing', async ([, body, why], { mock }) => {
      const before = ok(await mock.send(request('GET', `/cloud/games/${ids.tanks}`, tokens.cloud)))

      const got = await mock.send(post(path, body, tokens.cloud))

      const { errors } = ok(await mock.send(post(`${path}/validate`, body, tokens.cloud))) as { errors: unknown }
      expect(failure(got)).toBe('400 VALIDATION_ERROR')
      expect(json(got)).toEqual({
        code: 'VALIDATION_ERROR',
        message: `the namespace is not valid: ${why.join(', ')}. metadata.errors lists all problems`,
        metadata: { errors: why.map(text => ({ path: text.split(' ') })) },
      })
      expect(json(got)).toMatchObject({ metadata: { errors } })
      expect(ok(await mock.send(request('GET', `/cloud/games/${ids.tanks}`, tokens.cloud)))).toEqual(before)
    })

    it('refuses a name that the game already uses', async ({ mock }) => {
      ok(await mock.send(post(path, beta, tokens.cloud)))

      expect(failure(await mock.send(post(path, beta, tokens.cloud)))).toBe('400 VALIDATION_ERROR')
    })

    it("accepts a name of another game's namespace", async ({ mock }) => {
      const got = await mock.send(
        post(`/cloud/games/${ids.boats}/namespaces`, { ...beta, name_id: 'closed' }, tokens.cloudBoats),
      )

      expect(got.status).toBe(200)
    })

    it.for([
      ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
      ['AAAAAAAA-BBBB-1CCC-8DDD-EEEEEEEEEEEE', 'aaaaaaaa-bbbb-1ccc-8ddd-eeeeeeeeeeee'],
    ] as const)('accepts the UUID %s as a version, and shows it as %s', async ([version_id, shown], { mock }) => {
      const made = ok(await mock.send(post(path, { ...beta, version_id }, tokens.cloud))) as { namespace_id: string }

      const { namespace } = ok(await mock.send(request('GET', `${path}/${made.namespace_id}`, tokens.cloud))) as {
        namespace: { version_id: string }
      }
      expect(namespace.version_id).toBe(shown)
    })

    it.for([
      {},
      { ...beta, version_id: 'v1' },
      { ...beta, version_id: `${ids.lobby} ` },
      { ...beta, version_id: null },
      { ...beta, display_name: 1 },
      { ...beta, name_id: ['beta'] },
    ])('refuses the body %j', async (body, { mock }) => {
      expect(failure(await mock.send(post(path, body, tokens.cloud)))).toBe('400 API_BAD_BODY')
    })

    it.for([
      [undefined, '401 API_UNAUTHORIZED'],
      [tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      [tokens.cloudBoats, '403 API_FORBIDDEN'],
    ] as const)('refuses the token %s before the body', async ([token, expected], { mock }) => {
      expect(failure(await mock.send(post(path, '{', token)))).toBe(expected)
    })
  })

  describe('games.namespaces.getGameNamespaceById', () => {
    it('returns a namespace with its whole config', async ({ mock }) => {
      expect(ok(await mock.send(request('GET', `${path}/${ids.prod}`, tokens.cloud)))).toEqual({ namespace: prod })
    })

    it('returns the limits that were set', async ({ mock }) => {
      const set = { lobby_count_max: 0, max_players: 4_294_967_295 }
      await mock.send(post(`${path}/${ids.prod}/mm-config`, set, tokens.cloud))

      expect(ok(await mock.send(request('GET', `${path}/${ids.prod}`, tokens.cloud)))).toMatchObject({
        namespace: { config: { matchmaker: limits(0, 4_294_967_295) } },
      })
    })

    it.for([
      ['no token', ids.prod, undefined, '401 API_UNAUTHORIZED'],
      ['a public token', ids.prod, tokens.public, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ["another game's cloud token", ids.prod, tokens.cloudBoats, '403 API_FORBIDDEN'],
      ['an unknown namespace', 'nobody', tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
      ['a namespace of another game', ids.boatsProd, tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
      ['the name of a namespace', 'prod', tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
      ['a key of Object.prototype', 'constructor', tokens.cloud, '404 NAMESPACE_NOT_FOUND'],
    ] as const)('refuses %s', async ([, id, token, expected], { mock }) => {
      expect(failure(await mock.send(request('GET', `${path}/${id}`, token)))).toBe(expected)
    })

    it('names the namespaces of the game if it does not have the given one', async ({ mock }) => {
      const got = json(await mock.send(request('GET', `${path}/${ids.prod.slice(0, -1)}3`, tokens.cloud)))

      expect(got).toMatchObject({
        message: `game "${ids.tanks}" has no namespace "${ids.prod.slice(0, -1)}3". Known: ${ids.prod}, ${ids.closed}. Did you mean ${ids.prod}?`,
      })
    })
  })

  describe('games.namespaces.updateGameNamespaceVersion', () => {
    const put = (version: unknown, token: string | undefined = tokens.cloud, id: string = ids.prod) =>
      ({ ...post(`${path}/${id}/version`, version, token), method: 'PUT' }) as const
    const versionOf = (shown: unknown) => (shown as { namespace: { version_id: string } }).namespace.version_id

    it.for([
      [ids.lobby, ids.lobby],
      ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
      ['AAAAAAAA-BBBB-1CCC-8DDD-EEEEEEEEEEEE', 'aaaaaaaa-bbbb-1ccc-8ddd-eeeeeeeeeeee'],
    ] as const)('sets the version %s, shown as %s', async ([version_id, shown], { mock }) => {
      expect(ok(await mock.send(put({ version_id, more: 1 })))).toEqual({})

      expect(versionOf(ok(await mock.send(request('GET', `${path}/${ids.prod}`, tokens.cloud))))).toBe(shown)
    })

    it('lists the version with the game, and names versions by their number', async ({ mock }) => {
      ok(await mock.send(put({ version_id: ids.lobby }, tokens.cloud, ids.closed)))

      const { game } = ok(await mock.send(request('GET', `/cloud/games/${ids.tanks}`, tokens.cloud))) as {
        game: { versions: { version_id: string; display_name: string }[] }
      }
      expect(game.versions.map(({ display_name }) => display_name)).toEqual(['0.0.1', '0.0.2'])
      expect(game.versions[1]?.version_id).toBe(ids.lobby)
    })

    it('wakes a watch of the game', async ({ mock }) => {
      const game = { method: 'GET', path: `/cloud/games/${ids.tanks}`, headers: bearer(tokens.cloud) } as const
      const first = ok(await mock.send(game)) as { watch: { index: string } }
      const watching = mock.send({ ...game, query: `watch_index=${first.watch.index}` })

      // A second answer shows that the first request has been read, and blocks.
      await mock.send(game)
      ok(await mock.send(put({ version_id: ids.lobby })))

      expect(ok(await watching)).toMatchObject({ game: { namespaces: [{ version_id: ids.lobby }, {}] } })
    })

    it.for([
      {},
      { version_id: null },
      { version_id: 'v1' },
      { version_id: '0.0.2' },
      { version_id: `${ids.lobby} ` },
      { version_id: [ids.lobby] },
      [],
      '{',
    ])('refuses the body %j, and keeps the version', async (body, { mock }) => {
      const show = () => mock.send(request('GET', `${path}/${ids.prod}`, tokens.cloud))
      const before = versionOf(ok(await show()))

      expect(failure(await mock.send(put(body)))).toBe('400 API_BAD_BODY')
      expect(versionOf(ok(await show()))).toBe(before)
    })

    it.for([
      ['a public token', tokens.public, ids.prod, '401 CLAIMS_MISSING_ENTITLEMENT'],
      ['an empty token', '', ids.prod, '401 API_UNAUTHORIZED'],
      ["another game's cloud token", tokens.cloudBoats, ids.prod, '403 API_FORBIDDEN'],
      ['an unknown namespace', tokens.cloud, 'nobody', '404 NAMESPACE_NOT_FOUND'],
      ['a namespace of another game', tokens.cloud, ids.boatsProd, '404 NAMESPACE_NOT_FOUND'],
    ] as const)('refuses %s', async ([, token, id, expected], { mock }) => {
      expect(failure(await mock.send(put({ version_id: ids.lobby }, token, id)))).toBe(expected)
    })
  })

  describe('games.namespaces.validateGameNamespaceMatchmakerConfig', () => {
    const validate = (id: string) => `${path}/${id}/mm-config/validate`

    it.for([0, 4_294_967_295])('finds no error in %d, and changes nothing', async (most, { mock }) => {
      const body = { lobby_count_max: most, max_players: most }

      expect(ok(await mock.send(post(validate(ids.prod), body, tokens.public)))).toEqual({ errors: [] })
      expect(ok(await mock.send(request('GET', `${path}/${ids.prod}`, tokens.cloud)))).toEqual({ namespace: prod })
    })

    it('accepts any token, and ignores the namespace', async ({ mock }) => {
      const body = { lobby_count_max: 1, max_players: 1 }

      const got = await mock.send(post(validate('nobody'), body, tokens.cloudBoats))

      expect(ok(got)).toEqual({ errors: [] })
    })

    it.for([
      {},
      { lobby_count_max: 1 },
      { lobby_count_max: -1, max_players: 1 },
      { lobby_count_max: 1, max_players: 1.5 },
    ])('refuses the body %j', async (body, { mock }) => {
      expect(failure(await mock.send(post(validate(ids.prod), body, tokens.public)))).toBe('400 API_BAD_BODY')
    })

    it('refuses an empty token', async ({ mock }) => {
      expect(failure(await mock.send({ ...post(validate(ids.prod), {}), headers: bearer('') }))).toBe(
        '401 API_UNAUTHORIZED',
      )
    })
  })
}
