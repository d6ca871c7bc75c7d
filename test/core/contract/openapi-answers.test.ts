import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type OpenApiOperation, type OperationId, openapi, operationIds } from '../../../src/core/contract/index.js'
import { createMockmaker } from '../../../src/index.js'
import { reservedPlayer, successes, tokenOf } from '../../support/example-calls.js'
import { documented, spec } from '../../support/openapi.js'
import { tanks } from '../../support/tanks.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Sends a call to a new mock of tanks. */
async function call(
  id: OperationId,
  { token, ...sent }: { path: string; query?: string; body?: object; token?: string | undefined },
) {
  const mock = createMockmaker({ scenario: tanks })
  await mock.world.players.create({ lobby_id: 'arena', player_token: reservedPlayer, status: 'reserved' })
  const answer = await mock.answer({
    method: spec(id).method,
    path: sent.path,
    query: sent.query,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    body: sent.body && encoder.encode(JSON.stringify(sent.body)),
  })
  return { ...answer, body: decoder.decode(answer.body) }
}

const { schemas } = openapi().components

/** Turns a response schema of the document into a validator. */
function schemaOf(operation: OpenApiOperation, status: number): z.ZodType {
  const schema = operation.responses[status]?.content?.['application/json'].schema
  const text = JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(text))
}

describe.each(operationIds.filter(id => spec(id).output))('a success of %s', id => {
  it('fits the document', async () => {
    const { status, headers, body } = await call(id, { ...successes[id], token: tokenOf(id) })

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
    expect(schemaOf(documented(id), 200).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })

  it('has no field that the document lacks', async () => {
    const { body } = await call(id, { ...successes[id], token: tokenOf(id) })

    // The document allows unknown fields. The schema of the table drops them.
    expect(JSON.parse(body)).toEqual(spec(id).output?.parse(JSON.parse(body)))
  })
})

describe.each(operationIds.filter(id => !spec(id).output))('a success of %s', id => {
  it('is an empty body', async () => {
    const { status, body } = await call(id, { ...successes[id], token: tokenOf(id) })

    expect({ status, body }).toEqual({ status: 200, body: '' })
  })
})

describe.each(operationIds)('a failure of %s', id => {
  it('fits the document for an unknown token', async () => {
    const { status, body } = await call(id, { ...successes[id], token: 'nobody' })

    expect(schemaOf(documented(id), status).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })
})

describe.each(operationIds.filter(id => spec(id).body))('a failure of %s', id => {
  it('fits the document for a body that is not an object', async () => {
    const { status, body } = await call(id, { ...successes[id], body: [], token: tokenOf(id) })

    expect(JSON.parse(body)).toMatchObject({ code: 'API_BAD_BODY' })
    expect(schemaOf(documented(id), status).safeParse(JSON.parse(body))).toMatchObject({ success: true })
  })
})

describe('the schemas of the document', () => {
  it('refuse a lobby without its count, which shows that the tests above can fail', async () => {
    const { body } = await call('lobbies.list', successes['lobbies.list'])
    const answer = JSON.parse(body)
    delete answer.lobbies[0].total_player_count

    expect(schemaOf(documented('lobbies.list'), 200).safeParse(answer)).toMatchObject({ success: false })
  })

  it('refuse a namespace without one of its limits', async () => {
    const id = 'games.namespaces.getGameNamespaceById'
    const { body } = await call(id, { ...successes[id], token: tokenOf(id) })
    const answer = JSON.parse(body)
    delete answer.namespace.config.matchmaker.max_players_per_client_tor

    expect(schemaOf(documented(id), 200).safeParse(answer)).toMatchObject({ success: false })
  })

  it('refuse a code that the operation does not list', () => {
    const failure = { code: 'CLOUD_DEVICE_LINK_ALREADY_COMPLETE', message: 'no' }

    expect(schemaOf(documented('lobbies.list'), 400).safeParse(failure)).toMatchObject({ success: false })
  })
})
