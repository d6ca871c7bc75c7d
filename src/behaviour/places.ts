import { ApiError } from '../contract/error.js'
import { quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
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

/** The game mode of that id. Throws `ApiError` where the namespace has none. */
export function modeOf(id: string, { namespaceId: namespace_id, tables }: InNamespace): GameModeRow {
  const mode = tables.gameModes.get(`${namespace_id}/${id}`)
  if (mode) return mode
  const known = tables.gameModes.findMany(q => q.where({ namespace_id })).map(({ game_mode_id }) => game_mode_id)
  throw new ApiError(
    'MATCHMAKER_GAME_MODE_NOT_FOUND',
    `the namespace has no game mode ${quoted(id)}.${knownChoices(id, known)}`,
  )
}

/**
 * Where the modes are to be had among the regions that are asked for: by mode, and then as they are asked for. Throws
 * `ApiError` where a region is none, or no mode enables one of them.
 */
export function placesOf(
  modes: readonly GameModeRow[],
  { regions, tables }: { readonly regions: readonly string[] | undefined; readonly tables: ReadTables },
): readonly [Place, ...Place[]] {
  for (const id of regions ?? []) checkRegion(id, tables)
  const [first, ...others] = modes.flatMap(mode => {
    const enabled = regions?.filter(id => mode.regions.includes(id)) ?? mode.regions
    return enabled.map((region_id): Place => ({ mode, region_id }))
  })
  if (first) return [first, ...others]
  const names = modes.map(mode => `${mode.game_mode_id} (${mode.regions.join(', ') || 'none'})`)
  const asked = regions === undefined ? 'any region' : `${regions.map(quoted).join(', ') || 'no region'}`
  throw new ApiError(
    'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
    `${asked} is asked for, and game modes enable: ${names.join('; ')}`,
  )
}

function checkRegion(id: string, { regions }: ReadTables): void {
  if (regions.get(id)) return
  const known = regions.all().map(({ region_id }) => region_id)
  throw new ApiError('MATCHMAKER_REGION_NOT_FOUND', `there is no region ${quoted(id)}.${knownChoices(id, known)}`)
}
