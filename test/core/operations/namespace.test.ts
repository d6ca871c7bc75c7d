import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { HostName } from '../../../src/core/contract/formats.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { anyCharacter } from '../../support/any-character.js'
import { ask, failure, json, type TestRequest } from '../../support/http.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { live, snapshotOf, stateOf } from '../../support/worlds.js'

const namespaces = `/cloud/games/${ids.tanks}/namespaces`
const beta = { display_name: 'Beta', name_id: 'beta', version_id: ids.lobby }

/** A game without namespaces. */
const game = { game_id: ids.tanks, name_id: 'tanks', tokens: { cloud: tokens.cloud }, namespaces: [] }

const sent = (method: string, path: string, body: unknown): TestRequest => ({
  method,
  path,
  headers: bearer(tokens.cloud),
  body: JSON.stringify(body),
})
const post = (mock: Mockmaker, path: string, body: unknown) => ask(mock, sent('POST', path, body))

describe('a namespace created by a call', () => {
  it('has each column of each game mode of the first namespace', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { world } = mock

    const { namespace_id } = json(await post(mock, namespaces, beta)) as { namespace_id: string }

    const modesOf = (namespace_id: string) =>
      world.gameModes.findMany(q => q.where({ namespace_id })).map(mode => ({ ...mode, namespace_id: '' }))
    expect(modesOf(namespace_id)).toEqual(modesOf(ids.prod))
    expect(world.tokens.findMany(q => q.where({ namespace_id }))).toEqual([])
  })

  it('has the default limit of lobbies, and neither a limit of players nor a game server', async () => {
    const mock = createMockmaker({ scenario: tanks })

    const { namespace_id } = json(await post(mock, namespaces, beta)) as { namespace_id: string }

    expect(mock.world.namespaces.get(namespace_id)).toEqual({
      namespace_id,
      game_id: ids.tanks,
      ...beta,
      created_at: Date.parse('2026-11-20T20:00:00Z'),
      tokenless: false,
      domains: [],
      lobby_count_max: 128,
    })
  })

  it('has no game modes if it is the first of its game', async () => {
    const mock = createMockmaker({ scenario: { games: [game] } })

    const got = await post(mock, namespaces, beta)

    expect(got.status, got.body).toBe(200)
    expect([mock.world.namespaces.count(), mock.world.gameModes.count()]).toEqual([1, 0])
  })

  it('is created in one change set, at the time of the world', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const changeSets: unknown[] = []
    mock.world.subscribe(({ changes }) => changeSets.push(changes.map(({ table }) => table)))

    await mock.world.clock.advance('1m')
    const { namespace_id } = json(await post(mock, namespaces, beta)) as { namespace_id: string }

    expect(changeSets).toEqual([['namespaces', 'gameModes', 'gameModes', 'gameModes']])
    expect(mock.world.namespaces.get(namespace_id)?.created_at).toBe(Date.parse('2026-11-20T20:01:00Z'))
  })

  it('is not created with the token of a game that was just deleted', async () => {
    const mock = createMockmaker({ scenario: { games: [game, { name_id: 'boats' }] } })

    mock.world.transaction(({ tokens, games }) => {
      tokens.deleteMany(q => q.where({ game_id: ids.tanks }))
      games.delete(q => q.where({ game_id: ids.tanks }))
    })
    const got = await post(mock, namespaces, beta)

    expect(failure(got)).toBe('400 TOKEN_INVALID')
    expect(mock.world.namespaces.count()).toBe(1)
  })

  it('is created once, even by concurrent calls', async () => {
    const mock = createMockmaker({ scenario: tanks })

    const got = await Promise.all([1, 2, 3].map(() => post(mock, namespaces, beta)))

    expect(got.map(({ status }) => status)).toEqual([200, 400, 400])
  })
})

describe('a development token created by a call', () => {
  const path = `${namespaces}/${ids.prod}/tokens/development`
  const range = { min: 8000, max: 8009 }
  const development = {
    hostname: 'dev.example',
    lobby_ports: [
      { label: 'default', target_port: 7777, proxy_protocol: 'http' },
      { label: 'voice', port_range: range, proxy_protocol: 'udp' },
    ],
  }
  const byLabel = {
    hostname: 'dev.example',
    ports: { default: { port: 7777, protocol: 'http' }, voice: { port: null, port_range: range, protocol: 'udp' } },
  }
  const withNulls = {
    hostname: 'dev.example',
    lobby_ports: development.lobby_ports.map(port => ({ target_port: null, port_range: null, more: 1, ...port })),
  }

  it.each([
    ['from a list', development],
    ['by their labels', byLabel],
    ['with nulls and unknown fields', withNulls],
  ])('has its own host name and ports: %s', async (_, body) => {
    const mock = createMockmaker({ scenario: tanks })

    const { token } = json(await post(mock, path, body)) as { token: string }

    expect(mock.world.tokens.get(token)).toEqual({
      token,
      kind: 'development',
      namespace_id: ids.prod,
      development,
      expires_at: Date.parse('2027-11-20T20:00:00Z'),
    })
    expect(mock.world.namespaces.get(ids.prod)?.development?.hostname).toBe('127.0.0.1')
  })

  it('is in a snapshot, and is restored from it', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token } = json(await post(mock, path, byLabel)) as { token: string }

    const snapshot = JSON.parse(JSON.stringify(snapshotOf(live(mock.world).state)))
    const other = createMockmaker({ scenario: snapshot })

    expect(snapshot.bearer_tokens).toContainEqual(expect.objectContaining({ token, development }))
    expect(other.world.tokens.get(token)).toEqual(mock.world.tokens.get(token))
  })

  it('is cut to its label in the journal', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token } = json(await post(mock, path, byLabel)) as { token: string }

    const journal = JSON.stringify(mock.journal.find())

    expect(journal).toContain('tokens/development')
    expect(journal).not.toContain(token)
  })

  const port = fc.record(
    {
      label: fc.constantFrom('a', 'b', 'default', '', 'A', 'a--b', '__proto__', 'constructor'),
      target_port: fc.constantFrom(undefined, null, 0, 80, -1),
      port_range: fc.constantFrom(undefined, null, { min: 1, max: 9 }, { min: 9, max: 12 }, { min: 2, max: 1 }),
      proxy_protocol: fc.constantFrom('http', 'https', 'tcp', 'tcp_tls', 'udp'),
    },
    { noNullPrototype: true },
  )

  it.prop([fc.array(port, { maxLength: 18 })], { numRuns: inject('runs') })(
    'is created if its validation finds nothing, and else refused with the same errors',
    async lobby_ports => {
      const mock = createMockmaker({ scenario: tanks })
      const body = { hostname: 'h', lobby_ports }
      const before = stateOf(mock.world)
      const { errors } = json(await post(mock, `${path}/validate`, body)) as { errors: unknown[] }

      const got = await post(mock, path, body)

      if (errors.length === 0) expect(json(got)).toEqual({ token: expect.stringMatching(/^dev_prod\.mock\./) })
      else {
        expect(failure(got)).toBe('400 VALIDATION_ERROR')
        expect(json(got)).toMatchObject({ metadata: { errors } })
        expect(stateOf(mock.world)).toBe(before)
      }
    },
  )
})

describe('a domain added by a call', () => {
  const path = `${namespaces}/${ids.closed}/domains`
  const domain = fc.oneof(
    fc.domain(),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.constantFrom('localhost', '127.0.0.1', '[::1]', 'A.EXAMPLE', 'tanks.example', 'a_b.example', 'x.'),
  )

  it.prop([domain], { numRuns: inject('runs') })(
    'is stored in lower case if it is a host name, and else refused',
    async text => {
      const mock = createMockmaker({ scenario: tanks })
      const isFree = HostName.safeParse(text.toLowerCase()).success && text !== 'tanks.example'
      const before = stateOf(mock.world)

      const got = await post(mock, path, { domain: text })

      expect(got.status).toBe(isFree ? 200 : 400)
      if (!isFree) expect(stateOf(mock.world)).toBe(before)
      expect(mock.world.namespaces.get(ids.closed)?.domains).toEqual(isFree ? [text.toLowerCase()] : [])
      if (!isFree) return
      expect((await ask(mock, sent('DELETE', `${path}/${encodeURIComponent(text)}`, {}))).status).toBe(200)
      expect(mock.world.namespaces.get(ids.closed)?.domains).toEqual([])
    },
  )
})

describe('a refusal', () => {
  it.each([
    ['POST', namespaces, { ...beta, name_id: 'prod' }, '400 VALIDATION_ERROR'],
    ['POST', namespaces, { ...beta, version_id: 'v1' }, '400 API_BAD_BODY'],
    ['POST', `${namespaces}/${ids.boatsProd}/tokens/public`, {}, '404 NAMESPACE_NOT_FOUND'],
    ['POST', `${namespaces}/nobody/tokens/development`, { hostname: 'h', ports: {} }, '404 NAMESPACE_NOT_FOUND'],
    ['PUT', `${namespaces}/${ids.boatsProd}/domain-public-auth`, { enabled: false }, '404 NAMESPACE_NOT_FOUND'],
    ['PUT', `${namespaces}/${ids.prod}/domain-public-auth`, { enabled: 'no' }, '400 API_BAD_BODY'],
    ['POST', `${namespaces}/${ids.boatsProd}/domains`, { domain: 'a.example' }, '404 NAMESPACE_NOT_FOUND'],
    ['POST', `${namespaces}/${ids.closed}/domains`, { domain: 'tanks.example' }, '400 CLOUD_HOSTNAME_TAKEN'],
    ['DELETE', `${namespaces}/nobody/domains/tanks.example`, {}, '404 NAMESPACE_NOT_FOUND'],
    ['POST', `/cloud/games/${ids.boats}/namespaces`, beta, '403 API_FORBIDDEN'],
  ])('of %s %s %j changes nothing', async (method, path, body, expected) => {
    const mock = createMockmaker({ scenario: tanks })
    const before = stateOf(mock.world)

    expect(failure(await ask(mock, sent(method, path, body)))).toBe(expected)
    expect(stateOf(mock.world)).toBe(before)
  })
})
