import { it as base, describe, expect } from 'vitest'
import { type OperationId, operationIds, operations } from '../../../src/core/contract/operations.js'
import { RouteTable, routes } from '../../../src/core/pipeline/routes.js'
import { answerEntryPoint } from '../../support/entry-points.js'
import { itThrough } from '../../support/fixtures.js'
import { json, type TestResponse } from '../../support/http.js'
import { bearer, ids, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const filled = (path: string) =>
  path
    .replace('{game_id}', ids.tanks)
    .replace('{namespace_id}', ids.prod)
    .replace('{lobby_id}', 'arena')
    .replace('{domain}', 'tanks.example')
const paths = [...new Set(operationIds.map(id => operations[id].path))]
const methodsAt = (path: string) =>
  operationIds.filter(id => operations[id].path === path).map(id => operations[id].method)
const message = (got: TestResponse) => (json(got) as { message: string }).message
const code = (got: TestResponse) => (json(got) as { code: string }).code

describe('a route table', () => {
  base('finds fixed segments, and parameters in braces', () => {
    const table = new RouteTable(
      { all: { method: 'GET', path: '/a' }, one: { method: 'GET', path: '/a/{id}' } },
      () => '',
    )

    expect([table.find('GET', '/a'), table.find('GET', '/a/b')]).toEqual([
      { id: 'all', params: {} },
      { id: 'one', params: { id: 'b' } },
    ])
  })
})

describe('routes.list', () => {
  base.each([
    ['GET', '/cloud/devices/links', ['devices.links.get']],
    ['HEAD', '/cloud/devices/links', ['devices.links.get']],
    ['OPTIONS', '/cloud/devices/links', ['devices.links.get', 'devices.links.prepare']],
    ['PUT', '/cloud/devices/links', []],
    ['GET', '/nowhere', []],
    ['OPTIONS', '/nowhere', []],
  ])('finds the operations of %s %s: %j', (method, path, found) => {
    expect(routes.list(method, path).toSorted()).toEqual(found)
  })
})

describe('routes.find', () => {
  base.each(operationIds)('finds %s by its own method and path', (id: OperationId) => {
    expect(routes.find(operations[id].method, filled(operations[id].path)).id).toBe(id)
  })

  base('prefers a fixed segment to a parameter', () => {
    expect(routes.find('POST', '/cloud/games/validate/namespaces/validate')).toEqual({
      id: 'games.namespaces.validateGameNamespace',
      params: { game_id: 'validate' },
    })
  })

  base('returns the parameters of each path, even if it was last found long ago', () => {
    const table = new RouteTable(operations, () => '')
    const games = Array.from({ length: 700 }, (_, i) => `game-${i}`)
    const found = [...games, ...games].map(id => table.find('POST', `/cloud/games/${id}/namespaces/validate`).params)

    expect(found).toEqual([...games, ...games].map(game_id => ({ game_id })))
  })

  base('caches the last 500 paths that have an operation', () => {
    const table = new RouteTable(operations, () => '')
    const params = (game: string) => table.find('POST', `/cloud/games/${game}/namespaces/validate`).params
    const first = params('first')
    for (let i = 0; i < 500; i++) table.list('GET', `/unknown-${i}`)
    const again = params('first')
    for (let i = 0; i < 500; i++) params(`other-${i}`)

    expect([again === first, params('first') === first]).toEqual([true, false])
  })

  base('does not cache a path of more than 300 characters', () => {
    const table = new RouteTable(operations, () => '')
    const path = `/cloud/games/${'x'.repeat(300)}/namespaces/validate`

    const usual = path.slice(0, 13) + path.slice(path.length - 287)

    expect(table.find('POST', path).params).not.toBe(table.find('POST', path).params)
    expect(usual).toHaveLength(300)
    expect(table.find('POST', usual).params).toBe(table.find('POST', usual).params)
  })

  base('takes HEAD for GET', () => {
    expect(routes.find('HEAD', '/cloud/devices/links').id).toBe('devices.links.get')
    expect(routes.list('HEAD', '/cloud/devices/links')).toEqual(['devices.links.get'])
  })
})

describe('a request', () => {
  const it = itThrough(answerEntryPoint)

  it.for([
    ['/lobbies/list', 'GET /matchmaker/lobbies/list'],
    [`/${'x'.repeat(286)}/lobbies/list`, 'GET /matchmaker/lobbies/list'],
    ['/list', 'GET /matchmaker/lobbies/list'],
    ['/matchmaker/lobbies/list/', 'GET /matchmaker/lobbies/list'],
    ['//matchmaker/lobbies/list', 'GET /matchmaker/lobbies/list'],
    ['/Matchmaker/Lobbies/List', 'GET /matchmaker/lobbies/list'],
    ['/matchmaker/lobies/list', 'GET /matchmaker/lobbies/list'],
    ['/matchmaker/lobbies', 'GET /matchmaker/lobbies/list'],
    ['/devices/links', 'GET /cloud/devices/links'],
    ['/v1/lobbies/find', 'POST /matchmaker/lobbies/find'],
    ['/v1/matchmaker/lobbies/find', 'POST /matchmaker/lobbies/find'],
    ['/api/v2/regions', 'GET /matchmaker/regions'],
    ['/api/v1/cloud/games/x/namespaces/validate', 'POST /cloud/games/{game_id}/namespaces/validate'],
    ['/v1/lobies/find', 'POST /matchmaker/lobbies/find'],
    ['/my/game/players/conected', 'POST /matchmaker/players/connected'],
    ['/cloud/device/links', 'GET /cloud/devices/links'],
    ['/links/complete', 'POST /cloud/devices/links/complete'],
    ['/cloud/devices/links/completed', 'POST /cloud/devices/links/complete'],
    ['/namespaces/x/mm-config', 'POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config'],
    ['/cloud/games/x/namespaces/y/mmconfig', 'POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config'],
    ['/cloud/games/x/namespace/validate', 'POST /cloud/games/{game_id}/namespaces/validate'],
    [
      '/cloud/games/x/namespaces/y/tokens/development/validates',
      'POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    ],
  ] as const)('of %s is answered 404, with a hint at %s', async ([path, near], { open }) => {
    const got = await open.send({ method: 'GET', path })

    expect([got.status, code(got), message(got)]).toEqual([
      404,
      'API_NOT_FOUND',
      `nothing is at ${path}: did you mean ${near}?`,
    ])
  })

  it.for([
    ['/nowhere', '/nowhere'],
    ['/a/b/c/d/e/f/g/h', '/a/b/c/d/e/f/g/h'],
    ['/%zz', '/%zz'],
    ['/index.php', '/index.php'],
    ['/lst', '/lst'],
    ['the name of a parameter', '/my/namespaces/namespace_id'],
    ['301 characters', `/${'x'.repeat(287)}/lobbies/list`],
    ['a list of something else', '/shop/articles/list'],
    ['a path longer than any operation', '/cloud/games//namespaces/validate/x/y/z/and/what/else/there/may/be'],
    ['2,000 segments', `/${'x/'.repeat(2_000)}`],
  ] as const)('of %s, which resembles no operation, is answered 404 without a guess', async ([, path], { open }) => {
    const got = await open.send({ method: 'POST', path, body: '{' })

    expect([got.status, code(got)]).toEqual([404, 'API_NOT_FOUND'])
    expect(message(got)).toMatch(/: npx mockmaker routes prints all operations$/)
  })

  it.for([
    ['an empty game id', '/cloud/games//namespaces/validate'],
    ['a slash at its end', filled('/cloud/games/{game_id}/namespaces/validate/')],
    ['an encoded slash', '/cloud/games/a%2Fb%2Fnamespaces/validate'],
    ['an encoded letter in a fixed part', '/%63loud/games/x/namespaces/validate'],
  ] as const)('with %s is answered 404', async ([, path], { open }) => {
    expect((await open.send({ method: 'POST', path, headers: bearer(tokens.cloud) })).status).toBe(404)
  })

  it.for([
    ['%31', '1'],
    ['a%2Fb', 'a/b'],
    ['%F0%9F%8E%AF', '🎯'],
    ['%zz', '%zz'],
    ['a+b', 'a+b'],
  ] as const)('with the game id %s is for game %s', async ([sent, meant], { open }) => {
    const path = `/cloud/games/${sent}/namespaces/nobody/mm-config`
    const body = '{"lobby_count_max":1,"max_players":1}'

    const got = await open.send({ method: 'POST', path, headers: bearer(tokens.cloud), body })

    expect(message(got)).toMatch(`game "${meant}" has no namespace "nobody"`)
  })

  const wrongMethods = paths.flatMap(path =>
    ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']
      .filter(method => !methodsAt(path).includes(method as 'GET'))
      .map(method => [method, path] as const),
  )
  it.for(wrongMethods)(
    'with the method %s to %s is refused, and names the allowed methods',
    async ([method, path], { open }) => {
      const before = stateOf(open.mock.world)
      const allowed = methodsAt(path).join(', ')

      const got = await open.send({ method, path: filled(path), headers: bearer('unknown') })

      expect([got.status, code(got), got.headers.allow]).toEqual([400, 'API_METHOD_NOT_ALLOWED', allowed])
      expect(message(got)).toBe(`${method} is not allowed on ${filled(path)}: use ${allowed}`)
      expect(stateOf(open.mock.world)).toBe(before)
    },
  )

  it('with HEAD to a path that only allows POST is refused without a body', async ({ open }) => {
    const got = await open.send({ method: 'HEAD', path: '/cloud/devices/links/complete' })

    expect([got.status, got.headers.allow, got.body]).toEqual([400, 'POST', ''])
  })

  it.for(paths)('for a preflight of %s is answered 204, and changes nothing', async (path, { open }) => {
    const before = stateOf(open.mock.world)
    const origin = 'http://localhost:3000'
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,x-coords',
    }

    const got = await open.send({ method: 'OPTIONS', path: filled(path), headers: { origin, ...asked } })

    expect([got.status, got.body]).toEqual([204, ''])
    expect(got.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization,x-coords',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
    expect(got.headers).not.toHaveProperty('content-type')
    expect(stateOf(open.mock.world)).toBe(before)
  })

  it.for([
    'HTTP://LOCALHOST:3000',
    'http://LocalHost',
    'capacitor://LOCALHOST',
    'https://TANKS.example',
    'https://Tanks--Prod.Mock.LocalHost',
  ])('from the origin %s may be read, whatever its case', async (origin, { open }) => {
    const got = await open.send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: { origin } })

    expect(got.headers['access-control-allow-origin']).toBe(origin)
  })

  it.for([
    'http://localhost@evil.example',
    'http://evil.example#.localhost',
    'http://evil.example/.localhost',
    'evil.example.localhost.',
    'localhost',
    'file://',
    'http://',
    '*',
  ])('from the origin %s may not be read', async (origin, { open }) => {
    const got = await open.send({ method: 'GET', path: '/matchmaker/lobbies/list', headers: { origin } })

    expect([got.status, got.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })
})
