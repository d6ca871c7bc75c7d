import type { OpenApiDocument, OpenApiOperation, OpenApiPathItem } from './openapi-document.js'
import { bodyExample } from './openapi-examples.js'
import { openApiParameters } from './openapi-parameters.js'
import { openApiHeaders, openApiResponses } from './openapi-responses.js'
import { createOpenApiSchemas, type OpenApiSchemas } from './openapi-schema.js'
import type { Auth, OperationSpec, Source } from './operation.js'
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
