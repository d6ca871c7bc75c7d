import { expect } from 'vitest'
import type { OpenMock } from '../support/entry-points.js'
import { failure, ok, post, request, type TestRequest } from '../support/http.js'
import { ids, tokens } from '../support/tanks.js'
import type { Frame } from './frame.js'

const namespaces = `/cloud/games/${ids.tanks}/namespaces`
const add = (domain: unknown, id: string = ids.closed, token: string = tokens.cloud) =>
  post(`${namespaces}/${id}/domains`, { domain }, token)
const remove = (domain: string, id: string = ids.prod) =>
  request('DELETE', `${namespaces}/${id}/domains/${domain}`, tokens.cloud)
const toggle = (enabled: unknown, id: string = ids.closed): TestRequest => ({
  ...post(`${namespaces}/${id}/domain-public-auth`, { enabled }, tokens.cloud),
  method: 'PUT',
})
const listFrom = (origin: string): TestRequest => ({
  method: 'GET',
  path: '/matchmaker/lobbies/list',
  headers: { origin },
})

async function domainsOf(id: string, mock: Pick<OpenMock, 'send'>): Promise<readonly string[]> {
  const { namespace } = ok(await mock.send(request('GET', `${namespaces}/${id}`, tokens.cloud))) as {
    namespace: { config: { cdn: { domains: { domain: string }[] } } }
  }
  return namespace.config.cdn.domains.map(({ domain }) => domain)
}

const nowhere = [
  ['an unknown namespace', 'nobody'],
  ['a namespace of another game', ids.boatsProd],
] as const

/** Specifies the calls that allow a namespace to be called without a token. */
export function specifyNamespaceDomains({ describe, it }: Frame): void {
  describe('games.namespaces.toggleNamespaceDomainPublicAuth', () => {
    const origin = 'https://tanks--closed.mock.localhost'

    it('lets pages of a namespace call without a token, until it is turned off', async ({ mock }) => {
      expect(failure(await mock.send(listFrom(origin)))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')

      expect(ok(await mock.send(toggle(true)))).toEqual({})
      expect(ok(await mock.send(listFrom(origin)))).toMatchObject({
        game_modes: [{ game_mode_id: 'solo' }, { game_mode_id: 'walled' }],
      })

      expect(ok(await mock.send(toggle(false)))).toEqual({})
      expect(failure(await mock.send(listFrom(origin)))).toBe('401 CLAIMS_MISSING_ENTITLEMENT')
    })

    it('accepts the current value again', async ({ mock }) => {
      expect(ok(await mock.send(toggle(true, ids.prod)))).toEqual({})
    })

    it.for([undefined, null, 'true', 1, {}])('refuses %j', async (enabled, { mock }) => {
      expect(failure(await mock.send(toggle(enabled)))).toBe('400 API_BAD_BODY')
    })

    it.for(nowhere)('does not find %s', async ([, id], { mock }) => {
      expect(failure(await mock.send(toggle(true, id)))).toBe('404 NAMESPACE_NOT_FOUND')
    })
  })

  describe('games.namespaces.addNamespaceDomain', () => {
    it('assigns pages of the domain to the namespace', async ({ mock }) => {
      expect(ok(await mock.send(add('solo.example')))).toEqual({})
      await mock.send(toggle(true))

      expect(ok(await mock.send(listFrom('https://solo.example:8443')))).toMatchObject({
        game_modes: [{ game_mode_id: 'solo' }, { game_mode_id: 'walled' }],
      })
      expect(await domainsOf(ids.closed, mock)).toEqual(['solo.example'])
    })

    it('lets pages of the domain read answers', async ({ mock }) => {
      await mock.send(add('solo.example'))

      const { headers } = await mock.send(listFrom('https://solo.example'))

      expect(headers['access-control-allow-origin']).toBe('https://solo.example')
    })

    it('accepts a domain in capitals, and one that the namespace already has', async ({ mock }) => {
      for (const domain of ['Solo.Example', 'solo.example']) expect(ok(await mock.send(add(domain)))).toEqual({})

      expect(await domainsOf(ids.closed, mock)).toEqual(['solo.example'])
    })

    it.for([
      ['', 'CDN_INVALID_DOMAIN'],
      ['https://solo.example', 'CDN_INVALID_DOMAIN'],
      ['solo.example:80', 'CDN_INVALID_DOMAIN'],
      ['solo..example', 'CDN_INVALID_DOMAIN'],
      ['sölo.example', 'CDN_INVALID_DOMAIN'],
      ['a b', 'CDN_INVALID_DOMAIN'],
      ['*.example', 'CDN_INVALID_DOMAIN'],
      ['x'.repeat(254), 'CDN_INVALID_DOMAIN'],
      ['tanks.example', 'CLOUD_HOSTNAME_TAKEN'],
      ['TANKS.example', 'CLOUD_HOSTNAME_TAKEN'],
    ] as const)('refuses the domain %j with %s, and changes nothing', async ([domain, code], { mock }) => {
      expect(failure(await mock.send(add(domain)))).toBe(`400 ${code}`)
      expect(await domainsOf(ids.closed, mock)).toEqual([])
      expect(await domainsOf(ids.prod, mock)).toEqual(['tanks.example'])
    })

    it("refuses a domain of another game's namespace", async ({ mock }) => {
      const path = `/cloud/games/${ids.boats}/namespaces/${ids.boatsProd}/domains`

      const got = await mock.send(post(path, { domain: 'tanks.example' }, tokens.cloudBoats))

      expect(failure(got)).toBe('400 CLOUD_HOSTNAME_TAKEN')
    })

    it('refuses an eleventh domain, and takes one that is there', async ({ mock }) => {
      for (let i = 0; i < 10; i += 1) expect(ok(await mock.send(add(`d${i}.example`)))).toEqual({})

      expect(failure(await mock.send(add('d10.example')))).toBe('400 CDN_TOO_MANY_DOMAINS')
      expect(ok(await mock.send(add('d9.example')))).toEqual({})
    })

    it.for([undefined, null, 1, ['solo.example'], {}])('refuses %j', async (domain, { mock }) => {
      expect(failure(await mock.send(add(domain)))).toBe('400 API_BAD_BODY')
    })

    it.for(nowhere)('does not find %s', async ([, id], { mock }) => {
      expect(failure(await mock.send(add('solo.example', id)))).toBe('404 NAMESPACE_NOT_FOUND')
    })

    it('refuses the cloud token of another game', async ({ mock }) => {
      expect(failure(await mock.send(add('solo.example', ids.closed, tokens.cloudBoats)))).toBe('403 API_FORBIDDEN')
    })
  })

  describe('games.namespaces.removeNamespaceDomain', () => {
    it.for(['tanks.example', 'TANKS.Example', 'tanks%2Eexample', '%74anks.example'])(
      'removes a domain from its namespace only: %s',
      async (domain, { mock }) => {
        expect(ok(await mock.send(remove(domain)))).toEqual({})

        expect(await domainsOf(ids.prod, mock)).toEqual([])
        expect(ok(await mock.send(add('tanks.example')))).toEqual({})
      },
    )

    it('keeps the other domains of the namespace, in order', async ({ mock }) => {
      for (const domain of ['b.example', 'a.example']) await mock.send(add(domain, ids.prod))
      expect(await domainsOf(ids.prod, mock)).toEqual(['tanks.example', 'b.example', 'a.example'])

      await mock.send(remove('b.example'))

      expect(await domainsOf(ids.prod, mock)).toEqual(['tanks.example', 'a.example'])
    })

    it.for([
      ['the namespace does not have', 'solo.example', ids.prod],
      ['another namespace has', 'tanks.example', ids.closed],
      ['is none', '%20', ids.prod],
      ['is broken percent-encoding', '%zz', ids.prod],
    ] as const)('does nothing for a domain that %s', async ([, domain, id], { mock }) => {
      expect(ok(await mock.send(remove(domain, id)))).toEqual({})
      expect(await domainsOf(ids.prod, mock)).toEqual(['tanks.example'])
    })

    it.for(nowhere)('does not find %s', async ([, id], { mock }) => {
      expect(failure(await mock.send(remove('tanks.example', id)))).toBe('404 NAMESPACE_NOT_FOUND')
    })

    it.for([
      [undefined, '401 API_UNAUTHORIZED'],
      [tokens.development, '401 CLAIMS_MISSING_ENTITLEMENT'],
      [tokens.cloudBoats, '403 API_FORBIDDEN'],
    ] as const)('refuses the token %s', async ([token, expected], { mock }) => {
      const got = await mock.send(request('DELETE', `${namespaces}/${ids.prod}/domains/tanks.example`, token))

      expect(failure(got)).toBe(expected)
    })
  })
}
