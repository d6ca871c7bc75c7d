import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import {
  anyCallErrors,
  errorStatus,
  type OpenApiOperation,
  type OperationId,
  openapi,
  operationIds,
  operations,
} from '../../../src/core/contract/index.js'
import { documentOperation } from '../../../src/core/contract/openapi.js'
import { documented, references, spec } from '../../support/openapi.js'

/** Gets the value at a path, or `undefined`. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)?.[key], value)
}

function parameter(id: OperationId, name: string) {
  return documented(id).parameters?.find(candidate => candidate.name === name)
}

/** Lists the error codes that the document has for a status. */
function codes(operation: OpenApiOperation, status: number | string): unknown {
  const schema = operation.responses[status]?.content?.['application/json'].schema
  return at(schema, 'allOf', 1, 'properties', 'code', 'enum')
}

describe('openapi', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const document = openapi({ serverUrl: 'http://127.0.0.1:4100', version: '1.2.3' })

    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)))

    expect(result).toEqual({ valid: true })
  })

  it('has the URL and the version of the server', () => {
    const { servers, info, openapi: format } = openapi({ serverUrl: 'http://127.0.0.1:4100', version: '1.2.3' })

    expect({ servers, version: info.version, format }).toEqual({
      servers: [{ url: 'http://127.0.0.1:4100' }],
      version: '1.2.3',
      format: '3.1.0',
    })
  })

  it('has the same bytes each time', () => {
    expect(JSON.stringify(openapi())).toBe(JSON.stringify(openapi()))
  })

  it('has the operations of the table, and no others', () => {
    const found = Object.entries(openapi().paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
    )

    expect(found.sort()).toEqual(operationIds.map(id => [id, spec(id).method, spec(id).path]).sort())
  })

  it('has no broken references', () => {
    const document = openapi()

    const lost = references(document).filter(ref => at(document, ...ref.slice(2).split('/')) === undefined)

    expect(lost).toEqual([])
  })

  it('has shared schemas as components', () => {
    expect(Object.keys(openapi().components.schemas)).toEqual([
      'Agent',
      'Bootstrap',
      'DevelopmentPort',
      'DeviceLink',
      'ErrorBody',
      'Game',
      'GameMode',
      'Join',
      'JoinPort',
      'Lobby',
      'Namespace',
      'NamespaceSummary',
      'Port',
      'PreparedDeviceLink',
      'Region',
      'RegionSummary',
      'Validation',
      'ValidationError',
      'VersionSummary',
      'Watch',
    ])
  })

  it('leaves objects open, so that clients accept answers with more fields', () => {
    expect(JSON.stringify(openapi())).not.toContain('"additionalProperties":false')
  })
})

describe.each(operationIds)('openapi of %s', id => {
  it('has each parameter of the path, the query and the headers', () => {
    const { params, query, headers } = spec(id)
    const fields = (place: string, part?: z.ZodObject) => Object.keys(part?.shape ?? {}).map(name => `${place} ${name}`)

    const found = (documented(id).parameters ?? []).map(({ name, in: place }) => `${place} ${name}`)

    expect(found).toEqual([...fields('path', params), ...fields('query', query), ...fields('header', headers)])
  })

  it('has each field of the body', () => {
    const body = documented(id).requestBody?.content['application/json'].schema

    expect(Object.keys(body?.properties ?? {})).toEqual(Object.keys(spec(id).body?.shape ?? {}))
  })

  it('has each error code of the table, and the common ones, under its status', () => {
    const expected = [...spec(id).errors, ...anyCallErrors]
    const { responses } = documented(id)

    const missing = expected.filter(code => !(codes(documented(id), errorStatus[code]) as string[]).includes(code))

    expect(missing).toEqual([])
    expect(Object.keys(responses)).toEqual([
      ...new Set(['200', ...expected.map(code => String(errorStatus[code])).sort()]),
    ])
  })

  it('names the codes of a failure in its description', () => {
    const { description } = documented(id).responses[400] ?? {}

    expect(description).toContain('`TOKEN_INVALID`')
  })

  it('gives each response a ray id', () => {
    const headers = Object.values(documented(id).responses).map(response => response.headers['rvt-ray-id'])

    expect(new Set(headers.map(header => header?.$ref))).toEqual(new Set(['#/components/headers/rvt-ray-id']))
  })

  it('names the source of its rules, and each difference from the real service', () => {
    const { description } = documented(id)

    expect(description).toContain('### Source')
    for (const note of spec(id).fidelity) expect(description).toContain(`- ${note}`)
  })

  it('requires a token only if the operation does', () => {
    const { auth } = spec(id)
    const optional = auth === 'none' || auth === 'namespace'

    expect(documented(id).security).toEqual(optional ? [{}, { bearer: [] }] : [{ bearer: [] }])
  })

  it('has an example for each parameter and each body', () => {
    const { parameters = [], requestBody } = documented(id)

    expect(parameters.filter(({ example }) => example === undefined)).toEqual([])
    if (requestBody) expect(requestBody.content['application/json'].example).toBeDefined()
  })

  it('allows null in each optional field of its body, and in no other', () => {
    const { properties = {}, required = [] } = documented(id).requestBody?.content['application/json'].schema ?? {}
    // A field without a type allows any JSON.
    const allowsNull = (field: unknown) =>
      at(field, 'anyOf', 1, 'type') === 'null' || ['type', 'anyOf', '$ref'].every(key => at(field, key) === undefined)

    const nullable = Object.keys(properties).filter(key => allowsNull(properties[key]))

    expect(nullable).toEqual(Object.keys(properties).filter(key => !required.includes(key)))
  })

  it('has a body of the success only if the operation has an output', () => {
    expect(documented(id).responses[200]?.content !== undefined).toBe(spec(id).output !== undefined)
  })
})

describe('openapi, in detail', () => {
  it.each(['52.52,13.40', ' -33.9 , +151.2 ', '.5,5.'])('allows x-coords "%s"', coordinates => {
    const schema = parameter('lobbies.list', 'x-coords')?.schema

    expect(schema?.type).toBe('string')
    expect(coordinates).toMatch(new RegExp(schema?.pattern ?? '$^', 'u'))
  })

  it.each(['52.52', 'north,east', '52,52,13'])('forbids x-coords "%s"', coordinates => {
    const schema = parameter('lobbies.list', 'x-coords')?.schema

    expect(coordinates).not.toMatch(new RegExp(schema?.pattern ?? '', 'u'))
  })

  it('bounds unsigned 32-bit integers', () => {
    const body = documented('games.namespaces.updateGameNamespaceMatchmakerConfig').requestBody

    expect(at(body, 'content', 'application/json', 'schema', 'properties', 'lobby_count_max')).toEqual({
      type: 'integer',
      minimum: 0,
      maximum: 4_294_967_295,
      format: 'uint32',
    })
  })

  it('names the header of a wrong method, and of a rate limit', () => {
    const { responses } = documented('lobbies.list')

    expect(responses[400]?.headers).toHaveProperty('allow')
    expect(responses[429]?.headers).toHaveProperty('retry-after')
    expect(responses[404]?.headers).not.toHaveProperty('allow')
  })

  it('limits the number of game modes and tags, and the length of a tag', () => {
    const body = documented('lobbies.find').requestBody?.content['application/json'].schema

    expect(at(body, 'properties', 'game_modes', 'minItems')).toBe(1)
    expect(at(body, 'properties', 'tags', 'anyOf', 0)).toMatchObject({
      maxProperties: 8,
      propertyNames: { maxLength: 128 },
      additionalProperties: { maxLength: 512 },
    })
  })

  it('requires either ports or lobby_ports, at most 16 of them', () => {
    const body = documented('games.namespaces.createGameNamespaceTokenDevelopment').requestBody
    const schema = body?.content['application/json'].schema

    expect(schema?.oneOf?.map(one => at(one, 'required'))).toEqual([['ports'], ['lobby_ports']])
    expect(at(schema, 'properties', 'ports', 'anyOf', 0)).toMatchObject({ maxProperties: 16 })
    expect(at(schema, 'properties', 'lobby_ports', 'anyOf', 0)).toMatchObject({ maxItems: 16 })
  })
})

describe('one documented operation', () => {
  it.each(operationIds)('is the same as in the document: %s', id => {
    const { path, method } = operations[id]
    const { paths, components } = openapi()

    const { documented: one, schemas } = documentOperation(id)

    expect(one).toEqual(paths[path]?.[method.toLowerCase() as Lowercase<typeof method>])
    expect(components.schemas).toMatchObject(schemas)
    expect(Object.keys(schemas).length).toBeLessThan(Object.keys(components.schemas).length)
    const references = [...JSON.stringify([one, schemas]).matchAll(/#\/components\/schemas\/(\w+)/g)]
    expect(references.filter(([, name = '']) => !(name in schemas))).toEqual([])
  })
})
