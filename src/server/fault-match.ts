import type { Fault, FaultMatch } from '../contract/fault.js'
import { matchesGlob } from '../contract/matches-glob.js'
import type { RequestTraits } from './request-traits.js'

/** Whether a fault concerns a request. */
export function concerns({ operation, match = {}, effect }: Fault, request: RequestTraits): boolean {
  if (operation !== undefined && !isOf(request, operation)) return false
  // What cannot block cannot wake, and is left to other faults.
  if (effect.spurious !== undefined && !request.mayBlock) return false
  return matches(match, request)
}

function isOf({ operation }: RequestTraits, pattern: string): boolean {
  return operation !== undefined && matchesGlob(operation, pattern)
}

function matches({ query, headers, body, game, namespace }: FaultMatch, request: RequestTraits): boolean {
  const sent = request.exchange.headers
  return (
    allMatch(query, name => request.query.getAll(name)) &&
    allMatch(headers, name => [sent[name.toLowerCase()] ?? []].flat()) &&
    (body === undefined || includes(request.body, body)) &&
    (game === undefined || request.gameNames.includes(game)) &&
    (namespace === undefined || request.namespaceNames.includes(namespace))
  )
}

/** Whether each name has a value that its pattern matches. */
function allMatch(
  patterns: Readonly<Record<string, string>> = {},
  valuesOf: (name: string) => readonly string[],
): boolean {
  return Object.entries(patterns).every(([name, pattern]) => valuesOf(name).some(value => matchesGlob(value, pattern)))
}

/** Whether a JSON value has all that a part of one says: of an object the keys of the part, of a list just its elements. */
function includes(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(part)) return false
  const keys = Object.keys(part)
  if (Array.isArray(value) && value.length !== keys.length) return false
  // A key of both.
  return keys.every(key => Object.hasOwn(value, key) && includes(value[key as never], part[key as never]))
}
