import * as fc from 'fast-check'
import type { OpenApiParameter } from '../../core/contract/openapi.js'
import type { OperationId } from '../../core/contract/operations.js'
import { checkKeys } from '../../core/lib/messages.js'
import { jsonOf, type ValueOptions } from './json-values.js'
import { type FoundOperation, findOperation } from './operations.js'

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
  const found = findOperation(operation)
  const { spec, documented, schemas } = found
  const { parameters = [] } = documented
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return fc.tuple(parametersOf(parameters, { schemas, texts }), bodyOf(found, texts)).map(([values, body]) => {
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

function parametersOf(parameters: readonly OpenApiParameter[], options: ValueOptions): fc.Arbitrary<Parameters> {
  const values = Object.fromEntries(parameters.map(one => [one.name, parameterValue(one, options)]))
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(values, { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Parameters>
}

function parameterValue(
  { schema, in: place, example }: OpenApiParameter,
  { schemas, texts = [] }: ValueOptions,
): fc.Arbitrary<string> {
  const values = jsonOf(schema, { schemas, texts: [String(example), ...texts] }) as fc.Arbitrary<unknown>
  // A URL has no halves of surrogate pairs, and a path has no empty segment and no dots alone.
  const wellFormed = values.map(text => String(text).replace(/\p{Surrogate}/gu, ''))
  return place === 'path' ? wellFormed.filter(text => text !== '' && !/^\.+$/.test(text)) : wellFormed
}

function bodyOf({ spec, documented, schemas }: FoundOperation, texts: readonly string[]): fc.Arbitrary<unknown> {
  const parser = spec.body ?? spec.jsonBody
  const schema = documented.requestBody?.content['application/json'].schema
  if (!parser || !schema) return fc.constant(undefined)
  return jsonOf(schema, { schemas, texts, hasUnknownFields: true }).filter(body => parser.safeParse(body).success)
}
