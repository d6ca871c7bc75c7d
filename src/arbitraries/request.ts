import fc from 'fast-check'
import type { DocumentedOperation, OpenApiParameter } from '../contract/openapi.js'
import type { OperationSpec } from '../contract/operation.js'
import type { OperationId } from '../contract/operations.js'
import { checkKeys } from '../lib/usage-error.js'
import { jsonOf } from './json-values.js'
import { findOperation } from './operations.js'

/** A request of the service. Send it with `fetch(baseUrl + request.url, request)`. */
export interface GeneratedRequest {
  readonly operation: OperationId
  readonly method: string
  /** The path and the query. */
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. Absent if there is no body. */
  readonly body?: string
}

/** Options of `request`. All are optional. */
export interface RequestOptions {
  /** Sent as bearer token. Default: none. */
  readonly token?: string | undefined
  /** Texts that exist in your world, such as ids. They are mixed with random ones. Default: none. */
  readonly texts?: readonly string[] | undefined
}

/**
 * Generates any request that the contract allows for an operation. The mock never refuses it because of its form, but it may
 * because of its token, or of the state of the world. Throws `UsageError` if there is no such operation, or for an unknown option.
 */
export function request(operation: OperationId, options: RequestOptions = {}): fc.Arbitrary<GeneratedRequest> {
  checkKeys(options, ['token', 'texts'])
  const { token, texts = [] } = options
  const { spec, documented, schemas } = findOperation(operation)
  const { parameters = [] } = documented
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return fc.tuple(parametersOf(parameters, { schemas, texts }), bodyOf(operation, texts)).map(([values, body]) => {
    const inPlace = (place: OpenApiParameter['in']) =>
      parameters.flatMap(({ name, in: at }) =>
        at === place && values[name] !== undefined ? [[name, values[name]] as const] : [],
      )
    const path = inPlace('path').reduce(
      (filled, [name, value]) => filled.replace(`{${name}}`, () => encodeURIComponent(value)),
      spec.path,
    )
    const query = inPlace('query')
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')
    return {
      operation,
      method: spec.method,
      url: query === '' ? path : `${path}?${query}`,
      headers: { ...bearer, ...Object.fromEntries(inPlace('header')) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
  })
}

type Parameters = Readonly<Record<string, string>>

/** The sources of generated values: the components of the document, and texts of the user. */
interface Sources extends Pick<DocumentedOperation, 'schemas'> {
  readonly texts: readonly string[]
}

function parametersOf(parameters: readonly OpenApiParameter[], sources: Sources): fc.Arbitrary<Parameters> {
  const values = Object.fromEntries(parameters.map(one => [one.name, parameterValue(one, sources)]))
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Parameters>
}

function parameterValue(
  { schema, in: place, example }: OpenApiParameter,
  { schemas, texts }: Sources,
): fc.Arbitrary<string> {
  const values = jsonOf(schema, { schemas, texts: [example, ...texts] }) as fc.Arbitrary<string> // parameters are texts
  // A URL has no halves of surrogate pairs, and a path has no empty segment and no dots alone.
  const wellFormed = values.map(text => String(text).replace(/\p{Surrogate}/gu, ''))
  return place === 'path' ? wellFormed.filter(text => text !== '' && !/^\.+$/.test(text)) : wellFormed
}

/** Generates the JSON of the body. `undefined` is no body. */
function bodyOf(operation: OperationId, texts: readonly string[]): fc.Arbitrary<unknown> {
  const { spec, documented, schemas } = findOperation(operation)
  const schema = documented.requestBody?.content['application/json'].schema
  if (!schema) return fc.constant(undefined)
  return jsonOf(schema, { schemas, texts, hasUnknownFields: true }).filter(body => hasForm(body, spec))
}

function hasForm(body: unknown, { body: schema, jsonBody }: OperationSpec): boolean {
  return (schema ?? jsonBody)?.safeParse(body).success ?? true
}
