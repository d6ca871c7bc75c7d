/** Writes a time of day in UTC: `20:15:48`. */
export function timeOfDay(ms: number): string {
  return instant(ms).slice(-13, -5)
}

/** Writes a date and a time in UTC: `2026-11-20 20:15:48`. */
export function dateAndTime(ms: number): string {
  return instant(ms).slice(0, -5).replace('T', ' ')
}

function instant(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '----------T--:--:--.---Z' : date.toISOString()
}

/** Writes a duration with one or two units: `250 ms`, `16 s`, `1 min 20 s`, `2 h`. */
export function duration(ms: number): string {
  const rounded = Math.round(Math.abs(ms))
  if (rounded < 1_000) return `${rounded} ms`
  const seconds = Math.round(rounded / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return withRest(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return withRest(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  return withRest(Math.floor(minutes / 1_440), 'd', Math.round((minutes % 1_440) / 60), 'h')
}

function withRest(amount: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${amount} ${unit}` : `${amount} ${unit} ${rest} ${smaller}`
}

const numbers = new Intl.NumberFormat('en')

/** Writes a number with separators: `4,544`. */
export function grouped(number: number): string {
  return numbers.format(number)
}

/** Writes a count with its noun: `1 lobby`, `517 lobbies`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** Writes a size: `812 B`, `106 KB`, `2.1 MB`. */
export function bytes(size: number): string {
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
  if (typeof state !== 'object') return shortened(String(state))
  const values: string[] = []
  // No `Object.values`, which would copy all values of a long state.
  for (const key in state) {
    if (values.length === mostValues) break
    const value: unknown = (state as Readonly<Record<string, unknown>>)[key]
    if (typeof value === 'object' || value === undefined) continue
    values.push(shortened(typeof value === 'boolean' ? `${key}: ${value}` : String(value)))
  }
  return values.join(' · ')
}

function shortened(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text
}

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** Reads a duration of the control API, such as `1h30m` or `30s`. Returns ms. */
export function durationMs(text: string): number {
  let sum = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|[dhms])/g))
    sum += Number(amount) * unitMs[unit as keyof typeof unitMs] // the pattern allows no others
  return sum
}
