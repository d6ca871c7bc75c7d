import { exactValue, parseJson as parseExactJson, setKey, writeJson } from '../../core/lib/json.js'
import { grouped, shortened } from '../../core/lib/messages.js'
import { elapsedText, localTimeOfDay, timeOfDay } from '../../core/lib/time.js'

/** Writes a time of the day: `20:05:08`. */
export function clockTime(ms: number, zone: 'utc' | 'local'): string {
  return zone === 'utc' ? timeOfDay(ms) : localTimeOfDay(ms)
}

/** Writes a duration as `elapsedText` does, from 10 s on in whole seconds: it may count. */
export function duration(ms: number): string {
  const exact = Math.abs(ms)
  return elapsedText(exact < 9_950 ? exact : Math.round(exact / 1_000) * 1_000)
}

/** Counts who plays, and who holds a seat and is on the way: `5`, `5 + 2`. */
export function seatCount(plays: number, onTheWay: number): string {
  return onTheWay > 0 ? `${grouped(plays)} + ${grouped(onTheWay)}` : grouped(plays)
}

/** Writes an age in whole units: `1 s`, `4 min`, `2 h`, `3 d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${grouped(Math.floor(seconds / 86_400))} d`
}

/** Writes a size, or that of a text: `812 B`, `106 KB`, `2.1 MB`. */
export function bytes(of: number | string): string {
  const size = typeof of === 'string' ? new Blob([of]).size : of
  if (size < 1_000) return `${size} B`
  if (size < 1_000_000) return `${Math.round(size / 1_000)} KB`
  return `${(size / 1_000_000).toFixed(1)} MB`
}

/** The most values and characters of a summary. States may be megabytes long. */
const mostValues = 6
const longestValue = 40

/** Summarises the state of a lobby: its first plain values, `Port Simone · running · 3`. */
export function stateSummary(state: unknown): string {
  if (state === undefined || state === null) return ''
  if (typeof state !== 'object') return shortened(String(state), longestValue)
  const values: string[] = []
  // No `Object.values`, which would copy all values of a long state.
  for (const key in state) {
    if (values.length === mostValues) break
    const value: unknown = (state as Readonly<Record<string, unknown>>)[key]
    if (typeof value === 'object' || value === undefined) continue
    values.push(
      shortened(typeof value === 'boolean' ? `${key}: ${value}` : String(exactValue(state, key)), longestValue),
    )
  }
  return values.join(' · ')
}

/** Writes a body as JSON with lines. A text stays as it is, and no body is empty. */
export function prettyJson(value: unknown): string {
  return typeof value === 'string' ? value : (writeJson(value, { space: 2 }) ?? '')
}

/** Reads JSON that the user wrote, as the value of a key. The sentence of its error begins with `what`. */
export function parseJson<Key extends string>(key: Key, what: string, text: string): { [Name in Key]: unknown } {
  try {
    const parsed = {} as { [Name in Key]: unknown } // the only key
    setKey(parsed, key, parseExactJson(text))
    return parsed
  } catch (error) {
    throw new Error(`${what} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}
