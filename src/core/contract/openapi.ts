import * as z from 'zod'
import { ErrorBody, type ErrorCode, errorStatus } from './errors.js'
import { type Auth, codesOf, type Method, type OperationSpec, type Source } from './operation.js'
import { type OperationId, type Operations, operationIds, operations } from './operations.js'

/** A schema of OpenAPI 3.1: JSON Schema of draft 2020-12. */
export interface OpenApiSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  /** A component of the document: `#/components/schemas/Lobby`. */
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, OpenApiSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | OpenApiSchema
  readonly propertyNames?: OpenApiSchema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly items?: OpenApiSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly anyOf?: readonly OpenApiSchema[]
  readonly oneOf?: readonly OpenApiSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

/** An OpenAPI 3.1 document, as far as the service needs one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, { readonly [method in Lowercase<Method>]?: OpenApiOperation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly headers: Readonly<Record<string, OpenApiHeader>>
    readonly securitySchemes: {
      readonly bearer: { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string }
    }
  }
}

/** An operation at a path and method. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** One of them is enough. `{}` means no token. */
  readonly security: readonly { readonly bearer?: readonly string[] }[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent }
  /** By status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

/** A parameter of a path, of a query, or a header. */
export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: OpenApiSchema
  readonly example: string | boolean
}

/** The response with one status. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>
  /** Absent if the body is empty. */
  readonly content?: OpenApiContent
}

/** A body, always JSON. */
export interface OpenApiContent {
  readonly 'application/json': { readonly schema: OpenApiSchema; readonly example?: unknown }
}

/** A header of a response. */
export interface OpenApiHeader {
  readonly description: string
  readonly required?: boolean
  readonly schema: OpenApiSchema
}

/** Options of `openapi`. */
export interface OpenApiOptions {
  /** The URL of the server, without a slash at its end. Default: none, which means the server of the document. */
  readonly serverUrl?: string | undefined
  /** The version of the server. Default: `0.0.0`. */
  readonly version?: string | undefined
}

const description =
  'A mock of a matchmaker and game-namespace service, for working offline. Each operation names the source of its rules, and its differences from the real service. The mock refuses POST, PUT and DELETE from a web page of another site (`sec-fetch-site: cross-site`) whose origin it does not allow, with 403 `API_FORBIDDEN`.'

/** Writes the table of operations as an OpenAPI 3.1 document. The same options give the same bytes. */
export function openapi({ serverUrl, version = '0.0.0' }: OpenApiOptions = {}): OpenApiDocument {
  const schemas = new Schemas()
  const paths: Record<string, OpenApiDocument['paths'][string]> = {}
  for (const id of operationIds) {
    const { path, method }: OperationSpec = operations[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id, schemas) }
  }
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    description: 'The page at `GET /` and `GET /__mock/tokens` show the tokens of the mock.',
  } as const
  return {
    openapi: '3.1.0',
    info: { title: 'mockmaker', version, description },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: [...new Set(operationIds.map(tagOf))].map(name => ({ name })),
    paths,
    components: { schemas: schemas.components(), headers: responseHeaders, securitySchemes: { bearer } },
  }
}

/** One operation as in the document, with the components that it refers to. */
export interface DocumentedOperation {
  readonly documented: OpenApiOperation
  readonly schemas: OpenApiDocument['components']['schemas']
}

/** Documents one operation, with the components that it refers to. Takes a fraction of the time of `openapi`. */
export function documentOperation(id: OperationId): DocumentedOperation {
  const schemas = new Schemas()
  return { documented: operationOf(id, schemas), schemas: schemas.components() }
}

const authNotes: { readonly [auth in Auth]: string } = {
  none: 'Needs no token. A token that is sent must be valid.',
  bearer: 'Needs any valid token.',
  namespace: 'Needs a development or public token of a namespace, or none if the namespace is tokenless.',
  public: 'Needs a development or public token of a namespace.',
  lobby: 'Needs the token of a lobby, or a development token of a namespace.',
  cloud: 'Needs a cloud token. If the path names a game, it must be a token of that game.',
}

const sourceNotes: { readonly [source in Source]: string } = {
  interface: 'The written interface of the service.',
  client: 'The published clients of the service.',
  ours: 'This mock. The real service has no such call.',
}

function operationOf(id: OperationId, schemas: Schemas): OpenApiOperation {
  const spec: OperationSpec = operations[id]
  const parameters = parametersOf(spec, schemas)
  const required = { bearer: [] }
  return {
    operationId: id,
    summary: spec.summary,
    description: describe(spec),
    tags: [tagOf(id)],
    security: spec.auth === 'none' || spec.auth === 'namespace' ? [{}, required] : [required],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(id, schemas),
    responses: responsesOf(spec, schemas),
  }
}

function tagOf(id: OperationId): string {
  return id.slice(0, id.lastIndexOf('.'))
}

function describe({ summary, auth, source, fidelity }: OperationSpec): string {
  const differences = fidelity.length === 0 ? 'None known.' : fidelity.map(note => `- ${note}`).join('\n')
  const parts = [
    summary,
    authNotes[auth],
    '### Source',
    sourceNotes[source],
    '### Differences from the real service',
    differences,
  ]
  return parts.join('\n\n')
}

function parametersOf({ params, query, headers }: OperationSpec, schemas: Schemas): OpenApiParameter[] {
  const parts = [
    ['path', params],
    ['query', query],
    ['header', headers],
  ] as const
  return parts.flatMap(([place, part]) => {
    if (!part) return []
    const { properties = {}, required = [] } = schemas.convert(part, 'parameter')
    return Object.entries(properties).map(([name, { description, ...schema }]): OpenApiParameter => {
      const example = parameterExamples[name]
      if (example === undefined) throw new Error(`parameter ${name} has no example: add one in openapi.ts`)
      const described = description === undefined ? {} : { description }
      return { name, in: place, required: place === 'path' || required.includes(name), ...described, schema, example }
    })
  })
}

function requestBodyOf(id: OperationId, schemas: Schemas): Pick<OpenApiOperation, 'requestBody'> {
  const { body, jsonBody }: OperationSpec = operations[id]
  const bodySchema = body ?? jsonBody
  if (!bodySchema) return {}
  const schema = schemas.convert(bodySchema, 'body')
  // An empty body is read as `{}`.
  const required = (schema.required ?? []).length > 0
  return { requestBody: { required, content: { 'application/json': { schema, example: bodyExamples[id] } } } }
}

const responseHeaders = {
  'rvt-ray-id': {
    description: 'The id of the request. The log of the mock shows it too.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  allow: {
    description: 'With `API_METHOD_NOT_ALLOWED`: the methods that the path allows, separated by commas.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'With `API_RATE_LIMIT`: the seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const satisfies { readonly [name: string]: OpenApiHeader }

const headersOfCodes: { readonly [code in ErrorCode]?: keyof typeof responseHeaders } = {
  API_METHOD_NOT_ALLOWED: 'allow',
  API_RATE_LIMIT: 'retry-after',
}

/** The responses by status: the success, and one for each status of the error codes, in the order of the error table. */
function responsesOf(spec: OperationSpec, schemas: Schemas): Record<string, OpenApiResponse> {
  const codes = codesOf(spec)
  const statuses = [...new Set(codes.map(code => errorStatus[code]))].sort()
  const failures = statuses.map(status => {
    const ofStatus = codes.filter(code => errorStatus[code] === status)
    return [String(status), failure(ofStatus, schemas)] as const
  })
  return { '200': success(spec.output, schemas), ...Object.fromEntries(failures) }
}

function success(output: z.ZodType | undefined, schemas: Schemas): OpenApiResponse {
  const headers = headerReferences([])
  if (!output) return { description: 'Success. The body is empty.', headers }
  return {
    description: 'Success.',
    headers,
    content: { 'application/json': { schema: schemas.convert(output, 'answer') } },
  }
}

function failure(codes: readonly ErrorCode[], schemas: Schemas): OpenApiResponse {
  const ofCodes: OpenApiSchema = { type: 'object', properties: { code: { enum: [...codes] } } }
  return {
    description: `Fails with one of these codes: ${codes.map(code => `\`${code}\``).join(', ')}.`,
    headers: headerReferences(codes),
    content: { 'application/json': { schema: { allOf: [schemas.convert(ErrorBody(), 'answer'), ofCodes] } } },
  }
}

function headerReferences(codes: readonly ErrorCode[]): OpenApiResponse['headers'] {
  const names = ['rvt-ray-id', ...codes.flatMap(code => headersOfCodes[code] ?? [])]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Converts zod schemas for one document, and collects those with an id as its components. */
class Schemas {
  readonly #components = new Map<string, OpenApiSchema>()

  /** Converts a schema to its form on the wire. The optional fields of a body allow null. */
  convert(schema: z.ZodType, place: 'parameter' | 'body' | 'answer'): OpenApiSchema {
    const json = z.toJSONSchema(schema, { io: place === 'answer' ? 'output' : 'input' })
    const { $schema, $defs = {}, ...converted } = inDocument(json, place === 'body')
    for (const [id, definition] of Object.entries($defs)) this.#add(id, definition)
    return converted
  }

  /** Sorted by id. */
  components(): Record<string, OpenApiSchema> {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  #add(id: string, definition: OpenApiSchema): void {
    const known = this.#components.get(id)
    if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`schema ${id} differs between requests and answers: give the one in answers another id`)
    }
    this.#components.set(id, definition)
  }
}

/**
 * Points the references of a schema at the components of the document. It also opens all objects: answers may get more
 * fields one day, and bodies may have unknown ones. With `allowNulls`, null means absent in each optional field
 * (PROTOCOL.md B9).
 */
function inDocument(
  schema: z.core.JSONSchema.JSONSchema,
  allowNulls: boolean,
): OpenApiSchema & { readonly $defs?: Readonly<Record<string, OpenApiSchema>> } {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'additionalProperties' && value === false) return undefined
    if (key === '$ref') return value.replace('#/$defs/', '#/components/schemas/')
    if (!allowNulls || value?.type !== 'object' || !value.properties) return value
    const { properties = {}, required = [] }: Pick<OpenApiSchema, 'properties' | 'required'> = value
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      required.includes(name) ? field : nullable(field),
    ])
    return { ...value, properties: Object.fromEntries(fields) }
  })
}

function nullable(schema: OpenApiSchema): OpenApiSchema {
  const { description, examples, default: defaultValue, ...type } = schema
  // A schema without a type allows null already.
  if (Object.keys(type).length === 0) return schema
  const notes = Object.entries({ description, examples, default: defaultValue }).filter(
    ([, note]) => note !== undefined,
  )
  return { ...Object.fromEntries(notes), anyOf: [type, { type: 'null' }] }
}

type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer Body extends z.ZodType }
  ? z.input<Body>
  : Operations[Id] extends { jsonBody: z.ZodType }
    ? unknown
    : never

type WithBody = { [Id in OperationId]: [BodyOf<Id>] extends [never] ? never : Id }[OperationId]

const matchmakerConfig = { lobby_count_max: 128, max_players: 8 }
const lobby_id = '44444444-4444-4444-8444-444444444444'
const game_id = '11111111-1111-4111-8111-111111111111'
const player_token = 'player.mock.ykiz8tm5eqlgrhr6dd2a7r9x'
const device_link_token = 'device.mock.f1x7e9c0tq3m8v2b5n6h4k1z'

/** An example for each operation with a body. A missing one does not compile. */
const bodyExamples: { readonly [id in OperationId]?: unknown } = {
  'lobbies.find': { game_modes: ['duel'], regions: ['lnd-fra', 'lnd-atl'] },
  'lobbies.join': { lobby_id },
  'lobbies.create': { game_mode: 'duel', region: 'lnd-fra', publicity: 'public', max_players: 4 },
  'lobbies.setClosed': { is_closed: true },
  'lobbies.setState': { map: 'dust', round: 3 },
  'players.connected': { player_token },
  'players.disconnected': { player_token },
  'games.namespaces.validateGameNamespace': { display_name: 'Staging', name_id: 'staging' },
  'games.namespaces.createGameNamespace': {
    display_name: 'Staging',
    name_id: 'staging',
    version_id: '55555555-5555-4555-8555-555555555555',
  },
  'games.namespaces.updateGameNamespaceVersion': { version_id: '55555555-5555-4555-8555-555555555555' },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': matchmakerConfig,
  'games.namespaces.validateGameNamespaceMatchmakerConfig': matchmakerConfig,
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    lobby_ports: [{ label: 'default', target_port: 7777, proxy_protocol: 'http' }],
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    hostname: '127.0.0.1',
    ports: { default: { port: 7777, protocol: 'http' } },
  },
  'games.namespaces.toggleNamespaceDomainPublicAuth': { enabled: true },
  'games.namespaces.addNamespaceDomain': { domain: 'tanks.example' },
  'devices.links.complete': { device_link_token, game_id },
} satisfies { readonly [Id in WithBody]: BodyOf<Id> }

/** An example for each parameter. A name means the same in every operation. */
const parameterExamples: Readonly<Record<string, string | boolean>> = {
  game_id,
  namespace_id: '22222222-2222-4222-8222-222222222222',
  lobby_id,
  domain: 'tanks.example',
  include_state: true,
  watch_index: '1763668800000',
  device_link_token,
  'x-coords': '52.52,13.40',
}
