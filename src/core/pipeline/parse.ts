import type * as z from 'zod'
import { ApiError, type ErrorCode } from '../contract/errors.js'
import type { OperationSpec } from '../contract/operation.js'
import { type Issue, issueText, valueAt, withoutWiderLimits } from '../lib/issues.js'
import {
  exceededLimit,
  type JsonLimits,
  keepAllDigits,
  nestingLimit,
  parseJson as parseExactJson,
  removeOptionalNulls,
  setKey,
} from '../lib/json.js'
import { counted, nearest, quoted, shortened } from '../lib/messages.js'
import { TextDecoder, URLSearchParams } from '../lib/real-globals.js'
import { bodyLimit, header, type MockRequest } from './message.js'

type Fields = Readonly<Record<string, unknown>>

const mostProblems = 10

/** Parses the query of a request. Ignores unknown parameters. Throws `API_BAD_QUERY`. */
export function parseQuery({ query: schema }: Pick<OperationSpec, 'query'>, { query: text = '' }: MockRequest): Fields {
  if (!schema) return {}
  if (text === '') return parseTexts(schema, undefined, 'API_BAD_QUERY', 'query parameter')
  const query = new URLSearchParams(text)
  const fields: Record<string, string> = {}
  for (const name in schema.shape) {
    const [value, second] = query.getAll(name)
    if (second !== undefined)
      throw new ApiError('API_BAD_QUERY', `query parameter ${name} is given more than once: send it once`)
    if (value !== undefined) fields[name] = value
  }
  return parseTexts(schema, fields, 'API_BAD_QUERY', 'query parameter')
}

/** Parses the headers that the operation uses. Throws `API_BAD_HEADERS` if one does not fit. */
export function parseHeaders({ headers: schema }: OperationSpec, request: MockRequest): Fields {
  if (!schema) return {}
  let fields: Record<string, string> | undefined
  for (const name in schema.shape) {
    const value = header(request, name)
    if (value === undefined) continue
    fields ??= {}
    fields[name] = value
  }
  return parseTexts(schema, fields, 'API_BAD_HEADERS', 'header')
}

/** The parsed fields of requests without any. */
const defaultFields = new WeakMap<z.ZodObject, Fields>()

/** Parses texts into fields. Most requests send none: their fields are always the same. */
function parseTexts(schema: z.ZodObject, texts: Fields | undefined, code: ErrorCode, what: string): Fields {
  if (texts) return parse(schema, texts, code, what)
  const known = defaultFields.get(schema)
  if (known) return known
  const fields = parse(schema, {}, code, what)
  defaultFields.set(schema, fields)
  return fields
}

/** Throws for bytes that are not UTF-8. Polyfills for React Native cannot, so there it replaces them. */
export const strictDecoder = createStrictDecoder()

function createStrictDecoder(): TextDecoder {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  } catch {
    return new TextDecoder()
  }
}

/** Returns the value of a JSON body. `undefined` if there is none. */
export function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (!bytes?.length) return undefined
  try {
    return JSON.parse(strictDecoder.decode(bytes))
  } catch {
    return undefined
  }
}

/** A byte order mark. The decoder keeps it, because the service refuses it. */
const mark = '\ufeff'

export interface BodyLimits extends JsonLimits {
  readonly bytes: number
  /** Ends the message about a body that is too large. Default: `send a shorter one`. */
  readonly advice?: string | undefined
  /** Takes a body that begins with a byte order mark (BOM), as editors of Windows write it. Default: false, as the service. */
  readonly takesMark?: boolean
}

/** The limits of a body that may be any JSON, such as the state of a lobby. */
export const jsonLimits: BodyLimits = { bytes: bodyLimit, levels: nestingLimit, values: 100_000 }

/** A `lobby_config` of 16 KiB has at most 8,192 values, and no other field has as many. */
const operationLimits: BodyLimits = { ...jsonLimits, values: 10_000 }

/** Parses the body of an operation. A body of any JSON becomes the field `jsonBody`. Throws as `parseJson` does. */
export function parseBody({ body: schema, jsonBody }: OperationSpec, request: MockRequest): Fields {
  if (schema) return parseJson(request, schema, operationLimits)
  if (!jsonBody) return {}
  const fields: Fields = {}
  // All that `decodeJson` returns fits the schema.
  setKey(fields, 'jsonBody', request.body?.length ? decodeJson(request) : undefined)
  return fields
}

/**
 * Parses a JSON body, whatever its content-type is. An empty body is `{}`. Null for an optional field means absent
 * (PROTOCOL.md B9). Throws `API_BODY_TOO_LARGE` or `API_BAD_BODY`.
 */
export function parseJson<T>(request: Body, schema: z.ZodType<T>, limits: BodyLimits): T {
  const decoded = decodeJson(request, limits)
  const value = typeof decoded === 'bigint' ? Number(decoded) : decoded
  removeOptionalNulls(schema, value)
  return parse(schema, value, 'API_BAD_BODY', 'body')
}

type Body = Pick<MockRequest, 'body' | 'headers'>

const shorter = 'send a shorter one'

/** Decodes a JSON body as `parseJson` does, without a schema. */
export function decodeJson(request: Body, limits = jsonLimits): unknown {
  const { body } = request
  if (!body?.length) return {}
  const { bytes, advice = shorter } = limits
  if (body.length > bytes) throw new ApiError('API_BODY_TOO_LARGE', `the body is longer than ${bytes} bytes: ${advice}`)
  try {
    return decodeText(body, limits)
  } catch (error) {
    // A middleware in front may have unpacked the body, and kept the header.
    const encoding = header(request, 'content-encoding') ?? 'identity'
    if (encoding.toLowerCase() === 'identity') throw error
    throw new ApiError(
      'API_BAD_BODY',
      `the body is compressed (content-encoding: ${shortened(encoding)}): send plain JSON, without that header`,
    )
  }
}

function decodeText(body: Uint8Array, limits: BodyLimits): unknown {
  const { levels, values, advice = shorter, takesMark = false } = limits
  const exceeded = exceededLimit(body, limits)
  if (exceeded === 'levels')
    throw new ApiError('API_BAD_BODY', `the body nests deeper than ${levels} levels: send a flatter one`)
  if (exceeded === 'values')
    throw new ApiError('API_BODY_TOO_LARGE', `the body has more than ${values} objects, arrays and commas: ${advice}`)
  let text = ''
  let value: unknown
  try {
    text = strictDecoder.decode(body)
    if (takesMark && text.startsWith(mark)) text = text.slice(mark.length)
    value = parseExactJson(text)
  } catch (error) {
    // Not the message of the error: engines differ in it, and all entry points must give the same answer.
    const reason = error instanceof SyntaxError ? 'send all of it, with strings in double quotes' : 'it is not UTF-8'
    const why = text.startsWith(mark) ? 'it begins with a byte order mark (BOM). Send UTF-8 without one' : reason
    throw new ApiError('API_BAD_BODY', `the body is not JSON: ${why}`)
  }
  const beyond = numberBeyond(text)
  if (beyond === undefined) return value
  throw new ApiError(
    'API_BAD_BODY',
    `the body has the number ${shortened(beyond)}, which is beyond ${Number.MAX_VALUE}: send a smaller one`,
  )
}

/** Finds a number of a JSON text that `JSON.parse` turns into infinity. The service refuses it. */
function numberBeyond(text: string): string | undefined {
  // Few texts have such an exponent or so many digits. A string keeps its quotes below, so it is no number.
  if (!/\d[eE]\+?\d{3}|\d{309}/.test(text)) return undefined
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+/g) ?? []
  return tokens.find(token => Math.abs(Number(token)) === Number.POSITIVE_INFINITY)
}

function mistypedKey({ path }: Issue, value: unknown): string {
  const [key, ...inner] = path
  if (typeof key !== 'string' || inner.length > 0 || valueAt(value, path) !== undefined) return ''
  const near = nearest(key, Object.keys(Object(value)))
  return near === undefined ? '' : `. The mock ignores the unknown key ${quoted(near)}: did you mean ${key}?`
}

/** `what` names the value in the message of the error. */
function parse<T>(schema: z.ZodType<T>, value: unknown, code: ErrorCode, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return keepAllDigits(parsed.data, value)
  const issues = withoutWiderLimits(parsed.error.issues)
  const textOf = (issue: Issue) => `${what}: ${issueText(issue, value)}${mistypedKey(issue, value)}`
  const texts = issues.slice(0, mostProblems).map(textOf)
  const others = issues.length - mostProblems
  const more = others > 0 ? [`and ${counted(others, 'more problem', 'more problems')}`] : []
  throw new ApiError(code, [...texts, ...more].join('; '))
}
