import * as z from 'zod'
import { isJsonObject } from '../lib/json.js'
import { anyCallErrors, ErrorBody, type ErrorCode, errorStatus } from './errors.js'
import { bodyExample, parameterExample } from './openapi-examples.js'
import type { Auth, Method, OperationSpec, Source } from './operation.js'
import { type OperationId, operationIds, operations } from './operations.js'

/** What a document says of the server that it is for. */
export interface OpenApiOptions {
  /** Where the server answers, without a slash at its end. Default: where the document was found. */
  readonly serverUrl?: string | undefined
  /** The version of what serves it. Default: `0.0.0`. */
  readonly version?: string | undefined
}

/** The table of operations as an OpenAPI 3.1 document. The same options give the same document, to the byte. */
export function openapi({ serverUrl, version = '0.0.0' }: OpenApiOptions = {}): OpenApiDocument {
  const schemas = createOpenApiSchemas()
  const paths: Record<string, OpenApiPathItem> = {}
  for (const id of operationIds) {
    const spec: OperationSpec = operations[id]
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operation(id, spec, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'mockmaker', version, description: about },
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: [...new Set(operationIds.map(tagOf))].map(name => ({ name })),
    paths,
    components: {
      schemas: schemas.components(),
      headers: openApiHeaders,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: aboutTokens } },
    },
  }
}

const about =
  'A mock of a matchmaker and game-namespace service, for working offline. Each operation says where its rules come from, and where it differs from the real service. POST, PUT and DELETE from a web page of another site (`sec-fetch-site: cross-site`), whose origin the mock does not allow, change nothing and are answered with 403 `API_FORBIDDEN`.'
const aboutTokens = 'A token of the mock, which shows its tokens when it starts and on `GET /`.'

/** Whom an operation answers, in a sentence. */
const callers: { readonly [auth in Auth]: string } = {
  none: 'Needs no token. One that is sent must still be valid.',
  bearer: 'Needs any valid token.',
  namespace: 'Needs a development or public token of a namespace, or none where the namespace is tokenless.',
  public: 'Needs a development or public token of a namespace.',
  lobby: "Needs the token of a lobby, which its server has, or a namespace's development token.",
  cloud: 'Needs a cloud token; where the path names a game, one of that game.',
}

const sources: { readonly [source in Source]: string } = {
  interface: 'The written interface of the service.',
  client: 'The published clients of the service.',
  ours: 'This mock: the real service has no such call.',
}

function operation(id: OperationId, spec: OperationSpec, schemas: OpenApiSchemas): OpenApiOperation {
  const parameters = openApiParameters(spec, schemas)
  const required = { bearer: [] }
  return {
    operationId: id,
    summary: spec.summary,
    description: descriptionOf(spec),
    tags: [tagOf(id)],
    security: spec.auth === 'none' || spec.auth === 'namespace' ? [{}, required] : [required],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(id, spec, schemas),
    responses: openApiResponses(spec, schemas),
  }
}

function requestBodyOf(
  id: OperationId,
  { body, jsonBody }: OperationSpec,
  schemas: OpenApiSchemas,
): Pick<OpenApiOperation, 'requestBody'> {
  const sent = body ?? jsonBody
  if (!sent) return {}
  const schema = schemas.of(sent, 'body')
  // An empty body is `{}`, so that a body without required fields may be left out.
  const required = (schema.required ?? []).length > 0
  return { requestBody: { required, content: { 'application/json': { schema, example: bodyExample(id) } } } }
}

function descriptionOf({ summary, auth, source, fidelity }: OperationSpec): string {
  const differences = fidelity.length === 0 ? ['Nothing that is known.'] : fidelity.map(note => `- ${note}`)
  return [
    summary,
    callers[auth],
    '### Source',
    sources[source],
    '### What differs from the real service',
    differences.join('\n'),
  ].join('\n\n')
}

/** An operation's id without its last word: `games.namespaces`. */
function tagOf(id: OperationId): string {
  return id.slice(0, id.lastIndexOf('.'))
}

/** A schema as OpenAPI 3.1 has it: JSON Schema of draft 2020-12. */
export type OpenApiSchema = z.core.JSONSchema.BaseSchema

/** An OpenAPI 3.1 document, as far as the service needs one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, OpenApiPathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    readonly headers: Readonly<Record<string, OpenApiHeader>>
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string }>
    >
  }
}

/** The operations at a path, by method. */
export type OpenApiPathItem = { readonly [method in Lowercase<Method>]?: OpenApiOperation }

/** One operation: what it is for, whom it answers, and with what. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** Each is enough; `{}` is no token. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
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
  readonly example: string
}

/** What is answered with one status. */
export interface OpenApiResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, OpenApiReference>>
  /** Absent where the body is empty. */
  readonly content?: OpenApiContent
}

/** A body: JSON, always. */
export interface OpenApiContent {
  readonly 'application/json': { readonly schema: OpenApiSchema; readonly example?: unknown }
}

/** A header that responses refer to. */
export interface OpenApiHeader {
  readonly description: string
  readonly required?: boolean
  readonly schema: OpenApiSchema
}

/** Stands for a component of the document: `#/components/…`. */
export interface OpenApiReference {
  readonly $ref: string
}

/** The parameters of an operation, as they are on the wire: of its path, its query and its headers. */
function openApiParameters({ params, query, headers }: OperationSpec, schemas: OpenApiSchemas): OpenApiParameter[] {
  const parts = [
    ['path', params],
    ['query', query],
    ['header', headers],
  ] as const
  return parts.flatMap(([place, part]) => {
    if (!part) return []
    const { properties = {}, required = [] } = schemas.of(part, 'parameter')
    return Object.entries(properties).map(([name, property]): OpenApiParameter => {
      // Only `true` and `false` are schemas that are no objects, and no field of an operation is made so.
      const { description, ...schema } = property as Exclude<typeof property, boolean>
      const described = description === undefined ? {} : { description }
      const isRequired = place === 'path' || required.includes(name)
      return { name, in: place, required: isRequired, ...described, schema, example: parameterExample(name) }
    })
  })
}

/** The headers that responses refer to. */
const openApiHeaders = {
  'rvt-ray-id': {
    description: 'An id for the request. The log of the mock has it too.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  allow: {
    description: 'With `API_METHOD_NOT_ALLOWED`: the methods that the path allows, separated by commas.',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'With `API_RATE_LIMIT`: in how many seconds to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const satisfies { readonly [name: string]: OpenApiHeader }

type HeaderName = keyof typeof openApiHeaders

/** The headers that come with some codes. */
const headersOf: { readonly [code in ErrorCode]?: HeaderName } = {
  API_METHOD_NOT_ALLOWED: 'allow',
  API_RATE_LIMIT: 'retry-after',
}

/** The codes that a call of an operation may answer, in the order of the error table. */
function errorCodesOf({ errors, body, jsonBody }: OperationSpec): ErrorCode[] {
  const ofBody = body || jsonBody ? ['API_BODY_TOO_LARGE'] : []
  const possible = new Set<string>([...anyCallErrors, ...errors, ...ofBody])
  // The keys of the error table are the codes.
  return (Object.keys(errorStatus) as ErrorCode[]).filter(code => possible.has(code))
}

/** The responses of an operation by status: its success, and one for each status among its error codes. */
function openApiResponses(spec: OperationSpec, schemas: OpenApiSchemas): Record<string, OpenApiResponse> {
  const codes = errorCodesOf(spec)
  const statuses = [...new Set(codes.map(code => errorStatus[code]))].sort()
  const failures = statuses.map(status => {
    const ofStatus = codes.filter(code => errorStatus[code] === status)
    return [String(status), failure(ofStatus, schemas)] as const
  })
  return { '200': success(spec, schemas), ...Object.fromEntries(failures) }
}

function success({ output }: OperationSpec, schemas: OpenApiSchemas): OpenApiResponse {
  const headers = headerReferences([])
  if (!output) return { description: 'Done. The body is empty.', headers }
  return { description: 'Done.', headers, content: { 'application/json': { schema: schemas.of(output, 'answer') } } }
}

function failure(codes: readonly ErrorCode[], schemas: OpenApiSchemas): OpenApiResponse {
  return {
    description: `Fails with one of these codes: ${codes.map(code => `\`${code}\``).join(', ')}.`,
    headers: headerReferences(codes),
    content: {
      'application/json': {
        schema: {
          allOf: [schemas.of(ErrorBody, 'answer'), { type: 'object', properties: { code: { enum: [...codes] } } }],
        },
      },
    },
  }
}

function headerReferences(codes: readonly ErrorCode[]): Record<string, OpenApiReference> {
  const names = ['rvt-ray-id', ...codes.flatMap(code => headersOf[code] ?? [])]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Makes the schemas of one document. Those that have an id are kept as its components, and referred to. */
interface OpenApiSchemas {
  /** The schema of a parameter, of a sent body, or of an answer, as it is on the wire. A body's optional fields allow null. */
  of(schema: z.ZodType, place: 'parameter' | 'body' | 'answer'): OpenApiSchema
  /** Those with an id that have been met so far, in the order of their ids. */
  components(): Record<string, OpenApiSchema>
}

const ownPlace = '#/$defs/'
const documentPlace = '#/components/schemas/'

/** Schemas for one new document. Throws where two that differ have one id: a bug in the contract. */
function createOpenApiSchemas(): OpenApiSchemas {
  const met = new Map<string, OpenApiSchema>()
  return {
    of(schema, place) {
      const { $schema, $defs = {}, ...made } = z.toJSONSchema(schema, { io: place === 'answer' ? 'output' : 'input' })
      const onWire = (one: OpenApiSchema) => moved(place === 'body' ? withOptionalNulls(one) : one)
      for (const [id, definition] of Object.entries($defs)) keep(met, { id, definition: onWire(definition) })
      return onWire(made)
    },
    components: () => Object.fromEntries([...met].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

function keep(
  met: Map<string, OpenApiSchema>,
  { id, definition }: { readonly id: string; readonly definition: OpenApiSchema },
): void {
  const known = met.get(id)
  if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`schema ${id} is not the same on its way in and out: give the one that goes out an id of its own`)
  }
  met.set(id, definition)
}

/**
 * A schema with its references pointed at the document's components. What is answered may get further fields
 * some day, and unknown ones that are sent are ignored, so no object is closed.
 */
function moved(schema: OpenApiSchema): OpenApiSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'additionalProperties' && value === false) return undefined
    return key === '$ref' && typeof value === 'string' ? value.replace(ownPlace, documentPlace) : value
  })
}

/** A JSON schema of a body that also allows null in each optional field, as the service does. */
function withOptionalNulls(schema: OpenApiSchema): OpenApiSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => (isObjectSchema(value) ? allowNulls(value) : value))
}

function isObjectSchema(value: unknown): value is OpenApiSchema & Required<Pick<OpenApiSchema, 'properties'>> {
  return isJsonObject(value) && value.type === 'object' && isJsonObject(value.properties)
}

function allowNulls(schema: OpenApiSchema & Required<Pick<OpenApiSchema, 'properties'>>): OpenApiSchema {
  const { properties, required = [] } = schema
  const fields = Object.entries(properties).map(([key, field]) => [
    key,
    required.includes(key) || typeof field === 'boolean' ? field : nullable(field),
  ])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function nullable(schema: OpenApiSchema): OpenApiSchema {
  const { description, examples, default: initial, ...type } = schema
  // A schema without a type allows null already.
  if (Object.keys(type).length === 0) return schema
  const notes = Object.entries({ description, examples, default: initial }).filter(([, note]) => note !== undefined)
  return { ...Object.fromEntries(notes), anyOf: [type, { type: 'null' }] }
}
