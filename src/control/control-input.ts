import type * as z from 'zod'
import { ApiError, type ErrorCode } from '../contract/error.js'
import { exact } from '../contract/exact.js'
import { nestingLimit } from '../contract/json.js'
import { shaped } from '../contract/shaped.js'
import { UsageError } from '../contract/usage-error.js'
import type { Exchange } from '../server/exchange.js'
import { parseJson } from '../server/input.js'
import { AnyObject, type ControlSpec } from './operations.js'

/** The most bytes of a body of the control API. */
export const controlBodyLimit = 256 * 1024 * 1024

/** A snapshot has the states of lobbies inside it. */
const bodyLimits = { bytes: controlBodyLimit, levels: 2 * nestingLimit }

const noQuery = exact({})

/** What came with a call, checked: an unknown key is a slip, which would do something else in silence. Throws `ApiError`. */
export function controlInput({ query = noQuery, body }: ControlSpec, exchange: Exchange) {
  return {
    query: query === 'fields' ? undefined : checked(queryOf(exchange), { schema: query, part: 'query' }),
    body:
      body &&
      checked(parseJson(exchange.body, { schema: AnyObject, limits: bodyLimits }), { schema: body, part: 'body' }),
  }
}

const codes = { query: 'API_BAD_QUERY', body: 'API_BAD_BODY' } as const satisfies { readonly [part: string]: ErrorCode }

interface Check {
  readonly schema: z.ZodType
  readonly part: keyof typeof codes
}

function checked(input: object, { schema, part }: Check): unknown {
  try {
    return shaped(input, { schema, what: part })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ApiError(codes[part], error.message)
  }
}

function queryOf({ query = '' }: Exchange): object {
  const parameters = [...new URLSearchParams(query)]
  const names = parameters.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice === undefined) return Object.fromEntries(parameters)
  throw new ApiError('API_BAD_QUERY', `query parameter ${twice} is given more than once: send it once`)
}
