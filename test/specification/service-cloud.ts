import { expect } from 'vitest'
import { ok, post, request } from '../support/http.js'
import { bearer, ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const game = `/cloud/games/${ids.tanks}`
const version_id = '5e5e5e5e-1111-4222-8333-444444444444'
const created = { display_name: 'Test Namespace', name_id: 'test-ns', version_id }

type Send = Parameters<Parameters<Frame['it']>[1]>[0]['mock']

interface ShownGame {
  readonly game: {
    readonly game_id: string
    readonly namespaces: readonly { readonly display_name: string }[]
    readonly versions: readonly { readonly version_id: string; readonly display_name: string }[]
    readonly available_regions: readonly { readonly region_id: string; readonly region_name_id: string }[]
  }
}

async function createNamespace(mock: Send): Promise<string> {
  const { namespace_id } = ok(await mock.send(post(`${game}/namespaces`, created, tokens.cloud))) as {
    namespace_id: string
  }
  return `${game}/namespaces/${namespace_id}`
}

async function domainsOf(path: string, mock: Send): Promise<string[]> {
  const { namespace } = ok(await mock.send(request('GET', path, tokens.cloud))) as {
    namespace: { config: { cdn: { domains: { domain: string }[] } } }
  }
  return namespace.config.cdn.domains.map(({ domain }) => domain)
}

/**
 * The expectations of the service's own test of its cloud, for the operations that the mock has.
 * Source of each: rivet v23.2.0-rc1, svc/api/cloud/tests/basic.rs: `generic`, the named section.
 */
export function specifyServiceCloudTests({ describe, it }: Frame): void {
  describe("the service's test of its cloud (rivet v23.2.0-rc1, svc/api/cloud/tests/basic.rs: generic)", () => {
    it('GET /auth/inspect: describes the token of the request', async ({ mock }) => {
      ok(await mock.send(request('GET', '/cloud/auth/inspect', tokens.cloud)))
    })

    it('GET /games/{}: returns the game, its namespaces in order, and its group', async ({ mock }) => {
      const shown = ok(await mock.send(request('GET', game, tokens.cloud))) as ShownGame

      expect(shown.game).toMatchObject({ game_id: ids.tanks, developer_group_id: expect.stringMatching(/./) })
      expect(shown.game.namespaces.map(({ display_name }) => display_name)).toEqual(['prod', 'closed'])
    })

    it('GET /games/{}: calls the first version 0.0.1', async ({ mock }) => {
      const shown = ok(await mock.send(request('GET', game, tokens.cloud))) as ShownGame

      expect(shown.game.versions[0]?.display_name).toBe('0.0.1')
    })

    it('GET /games/{}: lists the UUID of a region', async ({ mock }) => {
      const { available_regions } = (ok(await mock.send(request('GET', game, tokens.cloud))) as ShownGame).game

      expect(available_regions).toContainEqual(
        expect.objectContaining({ region_id: '37aeb24a-12f6-45ea-ba7e-d2589588d7db', region_name_id: 'lnd-fra' }),
      )
    })

    it('POST /games/{}/namespaces, GET /games/{}/namespaces/{}: creates a namespace and shows it', async ({ mock }) => {
      const path = await createNamespace(mock)

      expect(ok(await mock.send(request('GET', path, tokens.cloud)))).toMatchObject({ namespace: created })
    })

    it('PUT /games/{}/namespaces/{}/version: sets the version of a namespace', async ({ mock }) => {
      const path = await createNamespace(mock)

      ok(await mock.send({ ...post(`${path}/version`, { version_id: ids.lobby }, tokens.cloud), method: 'PUT' }))

      const shown = ok(await mock.send(request('GET', path, tokens.cloud)))
      expect(shown).toMatchObject({ namespace: { version_id: ids.lobby } })
    })

    it('POST /games/{}/namespaces/{}/tokens/public: creates a public token', async ({ mock }) => {
      const path = await createNamespace(mock)

      const { token } = ok(await mock.send(request('POST', `${path}/tokens/public`, tokens.cloud))) as { token: string }

      ok(await mock.send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(token) }))
    })

    it('POST /games/{}/namespaces/{}/tokens/development: creates a development token', async ({ mock }) => {
      const path = await createNamespace(mock)
      const port = { label: 'test', target_port: 80, proxy_protocol: 'https' }
      const body = { hostname: '127.0.0.1', lobby_ports: [port] }

      const { token } = ok(await mock.send(post(`${path}/tokens/development`, body, tokens.cloud))) as { token: string }

      const seat = ok(await mock.send(post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, token)))
      expect(seat).toMatchObject({
        ports: { test: { hostname: '127.0.0.1', host: '127.0.0.1:80', port: 80, is_tls: true } },
      })
    })

    it('POST /games/{}/tokens/cloud, GET /games/{} (with cloud token): the new token shows the game', async ({
      mock,
    }) => {
      const { token } = ok(await mock.send(request('POST', `${game}/tokens/cloud`, tokens.cloud))) as { token: string }

      expect(ok(await mock.send(request('GET', game, token)))).toMatchObject({ game: { game_id: ids.tanks } })
    })

    it('POST /games/{}/namespace/validate: finds one error in a name that begins with a space', async ({ mock }) => {
      const names = { name_id: ' bad-name-id', display_name: 'A display name' }

      const { errors } = ok(await mock.send(post(`${game}/namespaces/validate`, names, tokens.cloud))) as {
        errors: unknown[]
      }

      expect(errors).toHaveLength(1)
    })

    it('POST /games/{}/namespaces/{}/domains, DELETE …/domains/{}: adds a domain, and removes it', async ({ mock }) => {
      const path = await createNamespace(mock)

      ok(await mock.send(post(`${path}/domains`, { domain: 'example.com' }, tokens.cloud)))
      expect(await domainsOf(path, mock)).toContain('example.com')

      ok(await mock.send(request('DELETE', `${path}/domains/example.com`, tokens.cloud)))
      expect(await domainsOf(path, mock)).not.toContain('example.com')
    })
  })
}
