import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import type { GameModeRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** A game mode in a region that it enables. */
export interface Place {
  readonly mode: GameModeRow
  readonly region_id: string
}

interface InNamespace {
  readonly namespaceId: string
  readonly tables: ReadTables
}

/** The game modes of a list, each once, in the order of the list. Throws `ApiError` for the first that the namespace lacks. */
export function modesOf(ids: readonly string[], around: InNamespace): GameModeRow[] {
  return [...new Set(ids)].map(id => modeOf(id, around))
}

/** The game mode of that id. Throws `ApiError` where the namespace has none. */
export function modeOf(id: string, { namespaceId: namespace_id, tables }: InNamespace): GameModeRow {
  const mode = tables.gameModes.get(`${namespace_id}/${id}`)
  if (mode) return mode
  const known = tables.gameModes.findMany(q => q.where({ namespace_id })).map(({ game_mode_id }) => game_mode_id)
  throw new ApiError(
    'MATCHMAKER_GAME_MODE_NOT_FOUND',
    `the namespace has no game mode ${quoted(id)}.${didYouMean(id, known)}`,
  )
}

/**
 * The modes in the regions that are asked for, where they enable them: each place once, by mode, then in the order in
 * which the regions are asked for. Throws `ApiError` for an unknown region, and where no mode enables one of the regions.
 */
export function placesOf(
  modes: readonly GameModeRow[],
  { regions: asked, tables }: { readonly regions: readonly string[] | undefined; readonly tables: ReadTables },
): readonly [Place, ...Place[]] {
  const regions = asked && [...new Set(asked)]
  for (const id of regions ?? []) checkRegion(id, tables)
  const [first, ...others] = modes.flatMap(mode => {
    const enabled = new Set(mode.regions)
    const ids = regions?.filter(id => enabled.has(id)) ?? [...enabled]
    return ids.map((region_id): Place => ({ mode, region_id }))
  })
  if (first) return [first, ...others]
  const names = modes.map(mode => `${mode.game_mode_id} (${mode.regions.join(', ') || 'none'})`)
  const wanted = regions === undefined ? 'any region' : `${regions.map(quoted).join(', ') || 'no region'}`
  throw new ApiError(
    'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
    `${wanted} is asked for, and game modes enable: ${names.join('; ')}`,
  )
}

function checkRegion(id: string, { regions }: ReadTables): void {
  if (regions.get(id)) return
  const known = regions.all().map(({ region_id }) => region_id)
  throw new ApiError('MATCHMAKER_REGION_NOT_FOUND', `there is no region ${quoted(id)}.${didYouMean(id, known)}`)
}
