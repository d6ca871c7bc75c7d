import { Json, nestsWithin } from '../contract/json.js'

/** What a lobby's game server says about it: any JSON that nests at most 64 levels. */
export const State = Json.refine(
  value => !nestsWithin(value) || isJson(value),
  'expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
)

/** Looks at all that is inside: what nests too deep, and perhaps without end, the other check has refused. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(isJson)
}
