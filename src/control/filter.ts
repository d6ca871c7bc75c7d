import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { valueAt } from '../lib/issues.js'
import { shortened } from '../lib/quote.js'
import type { AnyRecord } from './records.js'

/** What rows are filtered by. */
interface Filter {
  /** As in a URL: `game_mode_id=duel&state.map=Harbour`. */
  readonly query: string
  /** The fields that rows of the table may have. */
  readonly fields: readonly string[]
}

/** The rows that have all of the values; a list has each of its items. Throws `ApiError` for a field that no row may have. */
export function filtered(rows: readonly AnyRecord[], { query, fields }: Filter): AnyRecord[] {
  // Each condition once: what is asked twice costs no more than what is asked once.
  const conditions = [
    ...new Map(
      [...new URLSearchParams(query)].map(([name, value]) => [`${name}=${value}`, { path: name.split('.'), value }]),
    ).values(),
  ]
  for (const { path } of conditions) {
    const [field = ''] = path
    if (!fields.includes(field))
      throw new ApiError(
        'API_BAD_QUERY',
        `query parameter ${shortened(field)} is no field to filter by.${didYouMean(field, fields)}`,
      )
  }
  return rows.filter(row => conditions.every(({ path, value }) => has(valueAt(row, path), value)))
}

function has(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some(item => has(item, text))
  if (value === undefined) return false
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)) === text
}
