import type * as z from 'zod'
import { ApiError, type ErrorCode } from '../contract/errors.js'
import type { OperationSpec } from '../contract/operation.js'
import { issueText } from '../lib/issues.js'
import { nestingLimit, removeOptionalNulls, textNestsWithin } from '../lib/json.js'
import { bodyLimit, header, type MockRequest } from './message.js'

type Fields = Readonly<Record<string, unknown>>

/** The most problems that one message tells. */
const shownProblems = 10

/** The query as the schema has it. A known parameter that is given twice, or does not fit, is `API_BAD_QUERY`; unknown ones are ignored. */
export function parseQuery({ query: schema }: Pick<OperationSpec, 'query'>, { query: text = '' }: MockRequest): Fields {
  if (!schema) return {}
  if (text === '') return withoutQuery(schema)
  const query = new URLSearchParams(text)
  const fields: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const [value, second] = query.getAll(name)
    if (second !== undefined)
      throw new ApiError('API_BAD_QUERY', `query parameter ${name} is given more than once: send it once`)
    if (value !== undefined) fields[name] = value
  }
  return parse(schema, fields, { code: 'API_BAD_QUERY', what: 'query parameter' })
}

const empty = new WeakMap<z.ZodObject, Fields>()

/** What no query at all means, which is the same each time. Throws where the schema needs one. */
function withoutQuery(schema: z.ZodObject): Fields {
  const known = empty.get(schema) ?? parse(schema, {}, { code: 'API_BAD_QUERY', what: 'query parameter' })
  empty.set(schema, known)
  return known
}

/** The headers that the operation reads. One that does not fit is `API_BAD_HEADERS`. */
export function parseHeaders({ headers: schema }: OperationSpec, request: MockRequest): Fields {
  if (!schema) return {}
  const fields: Record<string, string> = {}
  for (const name of Object.keys(schema.shape)) {
    const value = header(request, name)
    if (value !== undefined) fields[name] = value
  }
  return parse(schema, fields, { code: 'API_BAD_HEADERS', what: 'header' })
}

/** How much a body may be. */
interface BodyLimits {
  readonly bytes: number
  /** Of nested objects and arrays. */
  readonly levels: number
}

const operationLimits: BodyLimits = { bytes: bodyLimit, levels: nestingLimit }

/** The body of an operation, as `parseJson` reads it; the whole of it as `jsonBody` where that may be any JSON, `undefined` where it is empty. */
export function parseBody({ body: schema, jsonBody }: OperationSpec, { body }: MockRequest): Fields {
  if (schema) return parseJson(body, { schema, limits: operationLimits })
  if (!jsonBody) return {}
  const isEmpty = body === undefined || body.length === 0
  return { jsonBody: isEmpty ? undefined : parseJson(body, { schema: jsonBody, limits: operationLimits }) }
}

/**
 * A body, whatever its content-type says; an empty one is `{}`. Null in an optional field means absent (PROTOCOL.md B9).
 * Too long, not JSON, or not what the schema has: `API_BODY_TOO_LARGE`, `API_BAD_BODY`.
 */
export function parseJson<T>(
  body: Uint8Array | undefined,
  { schema, limits }: { readonly schema: z.ZodType<T>; readonly limits: BodyLimits },
): T {
  if (body && body.length > limits.bytes) {
    throw new ApiError('API_BODY_TOO_LARGE', `the body is longer than ${limits.bytes} bytes: send a shorter one`)
  }
  if (body && !textNestsWithin(body, limits.levels))
    throw new ApiError('API_BAD_BODY', `the body nests deeper than ${limits.levels} levels: send a flatter one`)
  const value = body === undefined || body.length === 0 ? {} : json(body)
  removeOptionalNulls(schema, value)
  return parse(schema, value, { code: 'API_BAD_BODY', what: 'body' })
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function json(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch (error) {
    // Each engine words a SyntaxError in its own way, and every door answers the same bytes.
    const reason = error instanceof SyntaxError ? 'send all of it, with strings in double quotes' : 'it is not UTF-8'
    throw new ApiError('API_BAD_BODY', `the body is not JSON: ${reason}`)
  }
}

function parse<T>(
  schema: z.ZodType<T>,
  value: unknown,
  { code, what }: { readonly code: ErrorCode; readonly what: string },
): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const texts = issues.slice(0, shownProblems).map(issue => `${what}: ${issueText(issue, value)}`)
  const more = issues.length > shownProblems ? [`and ${issues.length - shownProblems} more problems`] : []
  throw new ApiError(code, [...texts, ...more].join('; '))
}
