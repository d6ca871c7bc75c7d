import type { OperationInput } from '../../contract/operations.js'
import { modeKey } from '../../store/lobby-rules.js'
import type { GameModeRow, RegionRow } from '../../store/matchmaker-rows.js'

// The sentences about regions that are down, for answers and for the page.

interface Outages {
  readonly tables: {
    readonly gameModes: { get(key: string): GameModeRow | undefined }
    readonly regions: { get(id: string): RegionRow | undefined }
  }
  /** Returns the outage of a region, or `undefined`. */
  outageOf(regionId: string): unknown
}

type FindInput = Pick<OperationInput<'lobbies.find'>, 'game_modes' | 'regions'>

/** Lists the regions of a find. */
export function regionsOf(
  namespace_id: string,
  { game_modes, regions }: FindInput,
  { tables }: Pick<Outages, 'tables'>,
): string[] {
  const modes = game_modes.flatMap(game_mode_id => tables.gameModes.get(modeKey({ namespace_id, game_mode_id })) ?? [])
  return [...new Set(regions ?? modes.flatMap(mode => mode.regions))]
}

/** Lists the regions of a find that are down. */
export function downRegions(namespace_id: string, input: FindInput, world: Outages): string[] {
  return regionsOf(namespace_id, input, world).filter(id => world.outageOf(id) !== undefined)
}

/** Says which regions of a find are down: `of its two regions only London is up`. Empty if all are up. */
export function outageTexts(namespace_id: string, input: FindInput, world: Outages): string[] {
  const { tables, outageOf } = world
  const all = regionsOf(namespace_id, input, world)
  const names = (ids: readonly string[]) => ids.map(id => tables.regions.get(id)?.region_display_name ?? id).join(', ')
  const up = all.filter(id => outageOf(id) === undefined)
  if (up.length === all.length) return []
  const count = all.length === 2 ? 'two' : all.length
  if (up.length === 1) return [`of its ${count} regions only ${names(up)} is up`]
  const down = downRegions(namespace_id, input, world)
  return [`${names(down)} ${down.length === 1 ? 'is' : 'are'} down`]
}

/** Says that a list of regions has one that is down. */
export function listedText(name: string): string {
  return `${name} is down, and stays listed`
}
