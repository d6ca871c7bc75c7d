import * as z from 'zod'
import type { ErrorCode } from '../contract/errors.js'
import { ApiError } from '../contract/errors.js'
import { parseInput } from '../lib/issues.js'
import { nestingLimit } from '../lib/json.js'
import { shortened } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import { parseJson } from '../server/input.js'
import { bodyLimit, type MockRequest } from '../server/message.js'
import { AnyObject, type ControlSpec } from './operations.js'

/** A snapshot has the states of lobbies inside it. */
const levels = 2 * nestingLimit

const noQuery = z.strictObject({})

/** What came with a call, checked: an unknown key is a slip, which would do something else in silence. Throws `ApiError`. */
export function controlInput({ query = noQuery, body, longestBody = bodyLimit }: ControlSpec, exchange: MockRequest) {
  const limits = { bytes: longestBody, levels }
  return {
    query: query === 'fields' ? undefined : checked(queryOf(exchange), { schema: query, part: 'query' }),
    body: body && checked(parseJson(exchange.body, AnyObject, limits), { schema: body, part: 'body' }),
  }
}

const codes = { query: 'API_BAD_QUERY', body: 'API_BAD_BODY' } as const satisfies { readonly [part: string]: ErrorCode }

interface Check {
  readonly schema: z.ZodType
  readonly part: keyof typeof codes
}

function checked(input: object, { schema, part }: Check): unknown {
  try {
    return parseInput(schema, input, part)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ApiError(codes[part], error.message)
  }
}

function queryOf({ query = '' }: MockRequest): object {
  const parameters = [...new URLSearchParams(query)]
  const seen = new Set<string>()
  const twice = parameters.map(([name]) => name).find(name => seen.size === seen.add(name).size)
  if (twice === undefined) return Object.fromEntries(parameters)
  throw new ApiError('API_BAD_QUERY', `query parameter ${shortened(twice)} is given more than once: send it once`)
}
