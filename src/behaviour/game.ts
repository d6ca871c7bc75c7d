import type { NamespaceSummary, VersionSummary } from '../contract/games.js'
import { type RegionSummary, UniversalRegion } from '../contract/regions.js'
import { formatInstant } from '../lib/time.js'
import type { NamespaceRow, RegionRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { gameOf } from './game-of.js'
import { playerCount } from './player-count.js'

/** Shows a game with its namespaces, versions, regions and players (PROTOCOL.md C). */
export const getGame: Behaviour<'games.getGameById'> = ({ input, tables }) => {
  const { game_id, name_id, display_name, created_at, developer_group_id } = gameOf(input.game_id, tables)
  // All that is shown, and no more: a watch must not wake for anything else.
  const namespaces = [...tables.namespaces.viewed('summaries', game_id)]
  return {
    game: {
      game_id,
      create_ts: formatInstant(created_at),
      name_id,
      display_name,
      developer_group_id,
      total_player_count: playerCount(
        namespaces.map(({ namespace_id }) => tables.lobbies.sum('players', namespace_id)),
      ),
      namespaces: namespaces.map(namespaceSummary),
      versions: versionsOf(namespaces),
      available_regions: [...tables.regions.viewed('names', '')].map(regionSummary),
    },
  }
}

/** Creates another cloud token of a game (PROTOCOL.md C). */
export const createCloudToken: Behaviour<'games.tokens.createCloudToken'> = async ({ input, tables }) => {
  const { game_id } = gameOf(input.game_id, tables)
  const { token } = await tables.tokens.create({ kind: 'cloud', game_id })
  return { token }
}

/** A namespace as its game lists it. */
export function namespaceSummary(namespace: NamespaceRow): NamespaceSummary {
  const { namespace_id, created_at, display_name, version_id, name_id } = namespace
  return { namespace_id, create_ts: formatInstant(created_at), display_name, version_id, name_id }
}

/** The versions that namespaces run, each once, as old as the first namespace that runs it. */
function versionsOf(namespaces: readonly NamespaceRow[]): VersionSummary[] {
  const since = new Map<string, number>()
  for (const { version_id, created_at } of namespaces) {
    since.set(version_id, Math.min(created_at, since.get(version_id) ?? created_at))
  }
  const names = versionNames(namespaces)
  return [...since].map(([version_id, created_at]) => ({
    version_id,
    create_ts: formatInstant(created_at),
    display_name: names.get(version_id) ?? '',
  }))
}

/** The names of the versions that the namespaces of a game run, by their ids: `0.0.1`, `0.0.2`, … (PROTOCOL.md C). */
export function versionNames(namespaces: Iterable<{ readonly version_id: string }>): Map<string, string> {
  const names = new Map<string, string>()
  for (const { version_id } of namespaces) if (!names.has(version_id)) names.set(version_id, `0.0.${names.size + 1}`)
  return names
}

/** The name of the version that a namespace runs, as its game lists it: `0.0.1` (PROTOCOL.md C). */
export function versionNameOf(
  { game_id, version_id }: Pick<NamespaceRow, 'game_id' | 'version_id'>,
  tables: Pick<ReadTables, 'namespaces'>,
): string {
  return versionNames(tables.namespaces.findMany(q => q.where({ game_id }))).get(version_id) ?? ''
}

function regionSummary({
  region_id,
  region_uuid,
  provider_display_name,
  region_display_name,
}: RegionRow): RegionSummary {
  return {
    region_id: region_uuid,
    region_name_id: region_id,
    provider: words(provider_display_name).join('-'),
    universal_region: UniversalRegion.safeParse(words(region_display_name).join('_')).data ?? 'unknown',
    provider_display_name,
    region_display_name,
  }
}

/** The words of a name in lower case, without accents: `São Paulo` → `sao`, `paulo`. */
function words(name: string): string[] {
  const plain = name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
  return plain.match(/[\p{Letter}\p{Number}]+/gu) ?? []
}
