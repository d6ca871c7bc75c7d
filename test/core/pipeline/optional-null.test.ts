import { describe, expect, it } from 'vitest'
import { type OpenApiSchema, type OperationId, openapi, operationIds } from '../../../src/core/contract/index.js'
import { createMockmaker } from '../../../src/index.js'
import { reservedPlayer, successes, tokenOf } from '../../support/example-calls.js'
import { ask, json } from '../../support/http.js'
import { documented, spec } from '../../support/openapi.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest, stateOf } from '../../support/worlds.js'

const { schemas } = openapi().components

/** Returns a schema with `$ref` resolved, and without the null that it allows. */
function resolved(schema: OpenApiSchema): OpenApiSchema {
  if (schema.$ref !== undefined) return resolved(schemas[schema.$ref.split('/').at(-1) as string] as OpenApiSchema)
  const [first, ...others] = schema.anyOf ?? []
  const isNullable = others.length === 1 && (others[0] as OpenApiSchema).type === 'null'
  return isNullable ? resolved(first as OpenApiSchema) : schema
}

/** Returns a body with null in each absent optional field, at any depth, according to the document. */
function withNulls(schema: OpenApiSchema, body: unknown): unknown {
  const { properties, required = [], additionalProperties = {}, items = {} } = resolved(schema)
  if (Array.isArray(body)) return body.map(one => withNulls(items as OpenApiSchema, one))
  if (typeof body !== 'object' || body === null) return body
  const sent = Object.entries(body).map(([key, value]) => {
    const field = (properties?.[key] ?? additionalProperties) as OpenApiSchema
    return [key, withNulls(field, value)]
  })
  const absent = Object.keys(properties ?? {}).filter(key => !required.includes(key) && !Object.hasOwn(body, key))
  return { ...Object.fromEntries(absent.map(key => [key, null])), ...Object.fromEntries(sent) }
}

function bodySchema(id: OperationId): OpenApiSchema {
  return documented(id).requestBody?.content['application/json'].schema ?? {}
}

const withBody = operationIds.filter(id => spec(id).body)
const withOptional = withBody.filter(
  id => JSON.stringify(withNulls(bodySchema(id), successes[id].body)) !== JSON.stringify(successes[id].body),
)

/** Sends a request to a new world of tanks. Returns the answer, and the state of the world. */
async function outcome(id: OperationId, { body, token }: { body: unknown; token: string | undefined }) {
  const mock = createMockmaker({ scenario: tanks })
  await mock.world.players.create({ lobby_id: 'arena', player_token: reservedPlayer, status: 'reserved' })
  const headers = token === undefined ? {} : bearer(token)
  const { status, body: answer } = await ask(mock, {
    method: spec(id).method,
    path: successes[id].path,
    headers,
    body: JSON.stringify(body),
  })
  const world = stateOf(mock.world)
  await mock.close()
  return { status, answer, world }
}

describe('null in an optional field', () => {
  it('is sent for every operation that has optional fields, also for nested ones', () => {
    expect(withOptional).toEqual([
      'lobbies.find',
      'lobbies.join',
      'lobbies.create',
      'games.namespaces.validateGameNamespaceTokenDevelopment',
      'games.namespaces.createGameNamespaceTokenDevelopment',
    ])
    expect(withNulls(bodySchema('lobbies.join'), successes['lobbies.join'].body)).toEqual({
      lobby_id: ids.lobby,
      captcha: null,
      verification_data: null,
    })
    const id = 'games.namespaces.createGameNamespaceTokenDevelopment'
    expect(withNulls(bodySchema(id), successes[id].body)).toEqual({
      hostname: 'x',
      ports: { default: { port: 7777, port_range: null, protocol: 'http' } },
      lobby_ports: null,
    })
  })

  it.each(withBody.flatMap(id => [tokenOf(id), tokens.development].map(token => ({ id, token }))))(
    'has the same effect as absence: $id with $token',
    async ({ id, token }) => {
      const { body } = successes[id]

      const absent = await outcome(id, { body, token })
      const nulls = await outcome(id, { body: withNulls(bodySchema(id), body), token })

      expect(nulls).toEqual(absent)
      if (token === tokenOf(id)) expect(absent.status).toBe(200)
    },
  )

  it('stays null if the body is any JSON', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    await ask(mock, { method: 'PUT', path: '/matchmaker/lobbies/state', headers: bearer(tokens.arena), body: 'null' })

    expect(mock.world.lobbies.get('arena')).toHaveProperty('state', null)
  })

  it('stays null inside any JSON', async () => {
    const state = '{"map":null,"__proto__":{"ports":null}}'
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    await ask(mock, { method: 'PUT', path: '/matchmaker/lobbies/state', headers: bearer(tokens.arena), body: state })

    expect(JSON.stringify(mock.world.lobbies.get('arena')?.state)).toBe(state)
  })

  it.each([
    ['lobbies.find', { game_modes: null }, 'body: game_modes is null: expected array'],
    ['lobbies.find', { game_modes: ['ffa'], regions: [null] }, 'body: regions[0] is null: expected string'],
    ['lobbies.find', { game_modes: ['ffa'], tags: { map: null } }, 'body: tags.map is null: expected string'],
    ['lobbies.join', { lobby_id: null }, 'body: lobby_id is null: expected string'],
    ['lobbies.join', null, 'body: is null: expected object'],
  ] as const)('is refused elsewhere: %s %j', async (id, body, message) => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks }))
    const before = stateOf(mock.world)
    const { path } = successes[id]
    const got = await ask(mock, { method: 'POST', path, headers: {}, body: JSON.stringify(body) })

    expect(json(got)).toEqual({ code: 'API_BAD_BODY', message: expect.stringContaining(message) })
    expect(stateOf(mock.world)).toBe(before)
  })
})
