import * as z from 'zod'
import { type OpenApiSchema, openapi } from '../../src/core/contract/openapi.js'
import { controlPath } from '../../src/core/contract/paths.js'
import { controlCalls } from '../../src/core/control/api.js'
import { createsWorld } from '../../src/core/control/call.js'
import { tablesByPath } from '../../src/core/store/table-names.js'
import { type CallTypes, type ControlTypes, controlTypes } from './control-types.js'

/** A call with the parts that the document needs. */
interface Call {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly query?: z.ZodObject | 'fields' | undefined
  readonly body?: z.ZodType | undefined
  readonly media?: string | undefined
  readonly answeredBy?: 'this' | 'named'
  readonly isRead?: true
}

const description = `Controls a running mock: its worlds, clock, faults and journal. Send \`content-type: application/json\` with every call except GET.

The paths are those of the world \`default\`. Those of another world begin with \`/w/{id}\`: change the URL of the server. A call that changes an unknown world creates it. The mock answers the machine that it runs on. It answers others if it is told to.`

/** Writes the control API as an OpenAPI 3.1 document, without a version and a server. */
export function controlDocument(): string {
  const types = controlTypes()
  const paths: Record<string, Record<string, object>> = {}
  for (const call of controlCalls() as readonly Call[]) {
    const path = `${controlPath}${call.path === '/' ? '' : call.path}`
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationOf(call, types) }
  }
  const schemas = { ...types.schemas, ErrorBody: openapi().components.schemas.ErrorBody ?? {} }
  const bearer = { type: 'http', scheme: 'bearer', description: 'The control token, if the mock has one.' }
  const info = { title: 'The control API of mockmaker', version: '', description }
  // Indented, it would be twice as large.
  return `{
"openapi": "3.1.0",
"info": ${JSON.stringify(info)},
"paths": ${onLines(paths)},
"components": {
"schemas": ${onLines(reachable(paths, schemas))},
"securitySchemes": ${JSON.stringify({ bearer })}
}
}
`
}

/** Writes an object as JSON, with a line for each key. */
function onLines(object: object): string {
  const lines = Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}`
}

const created: OpenApiSchema = {
  type: 'object',
  properties: { created: { const: true, description: 'The call has created its world. Otherwise absent.' } },
}

function operationOf(call: Call, types: ControlTypes): object {
  const callTypes = types.calls[call.route]
  if (!callTypes) throw new Error(`ControlApi has no ${call.route}`)
  const { body, answer } = callTypes
  const parameters = parametersOf(call, callTypes)
  return {
    operationId: operationId(call),
    summary: firstSentence(call.summary),
    description: call.summary,
    security: [{}, { bearer: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(call.body ? { requestBody: requestBody(call.body, body, types) } : {}),
    responses: {
      200: {
        description: 'Success.',
        content: {
          ...(answer
            ? { 'application/json': { schema: createsWorld(call) ? { allOf: [answer, created] } : answer } }
            : {}),
          ...(call.media === undefined ? {} : { [call.media]: { schema: { type: 'string' } } }),
        },
      },
      default: {
        description: 'Failure. The message says what is wrong, and what to do.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
      },
    },
  }
}

/** `GET /faults/{fault_id}` gives `getFaultsByFaultId`. */
function operationId({ method, path }: Call): string {
  const words = path
    .replaceAll(/\{(\w+)\}/g, 'by_$1')
    .split(/[^a-z]+/)
    .filter(Boolean)
  const name = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return method.toLowerCase() + (name || 'Calls')
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/[.:]$/, '') ?? text
}

const pathExamples: Readonly<Record<string, string>> = {
  world_id: 'test-42',
  fault_id: 'f_1',
  request_id: '12',
  exchange_id: '12',
  player: 'player.mock.ykiz8tm5eqlgrhr6dd2a7r9x',
  lobby_id: '44444444-4444-4444-8444-444444444444',
  token: 'device.mock.f1x7e9c0tq3m8v2b5n6h4k1z',
  table: 'lobbies',
  id: '44444444-4444-4444-8444-444444444444',
}

function parametersOf({ path, query }: Call, types: CallTypes): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = names.map(name => {
    const schema = name === 'table' ? { type: 'string', enum: Object.keys(tablesByPath) } : { type: 'string' }
    const example = pathExamples[name]
    if (example === undefined) throw new Error(`parameter ${name} has no example: add one in control-openapi.ts`)
    return { name, in: 'path', required: true, schema, example }
  })
  if (query === undefined) return inPath
  if (query === 'fields') {
    const schema = { type: 'object', additionalProperties: { type: 'string' } }
    const example = { game_mode_id: 'duel' }
    const description = 'Any fields of the records, each as a parameter of its own.'
    return [...inPath, { name: 'fields', in: 'query', style: 'form', explode: true, description, schema, example }]
  }
  const { properties = {} } = withComments(jsonSchema(query).schema, types.query)
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema,
  }))
  return [...inPath, ...inQuery]
}

function requestBody(body: z.ZodType, type: OpenApiSchema | undefined, types: ControlTypes): object {
  const { schema, isWhole } = jsonSchema(body)
  const content = {
    'application/json': { schema: isWhole || !type ? withComments(schema, type && deref(type, types)) : type },
  }
  return { required: !body.safeParse({}).success, content }
}

function deref(schema: OpenApiSchema, { schemas }: ControlTypes): OpenApiSchema {
  return schemas[schema.$ref?.replace('#/components/schemas/', '') ?? ''] ?? schema
}

/** Adds the comments of a type to the properties of its schema that have no description. */
function withComments(schema: OpenApiSchema, type: OpenApiSchema | undefined): OpenApiSchema {
  if (!schema.properties) return schema
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const { description } = type?.properties?.[name] ?? {}
    return [name, description === undefined ? property : { description, ...property }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** Converts a schema. `isWhole` is false if a part of it checks by code, and only its type tells what it takes. */
function jsonSchema(zodSchema: z.ZodType): { readonly schema: OpenApiSchema; readonly isWhole: boolean } {
  let isWhole = true
  const { $schema, ...schema } = z.toJSONSchema(zodSchema, {
    io: 'input',
    unrepresentable: 'any',
    override(context) {
      if (context.zodSchema._zod.def.type === 'custom') isWhole = false
    },
  })
  if (schema.$defs) throw new Error(`inline the schemas ${Object.keys(schema.$defs)} of a control call`)
  return { schema: schema as OpenApiSchema, isWhole }
}

/** Keeps the schemas that a part of the document refers to, and those that they refer to. */
function reachable(part: unknown, schemas: Readonly<Record<string, OpenApiSchema>>): Record<string, OpenApiSchema> {
  const found = new Set<string>()
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const name = '$ref' in value ? String(value.$ref).replace('#/components/schemas/', '') : undefined
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      follow(schemas[name])
    }
    for (const inner of Object.values(value)) follow(inner)
  }
  follow(part)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
