import { ApiError } from '../contract/errors.js'
import type { NamespaceSummary, VersionSummary } from '../contract/games.js'
import { type RegionSummary, UniversalRegion } from '../contract/regions.js'
import { quoted } from '../lib/messages.js'
import { formatInstant } from '../lib/time.js'
import type { RegionRow } from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import { createRow } from '../store/models.js'
import type { GameRow, NamespaceRow } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'
import { sumPlayers } from './lobbies.js'
import type { Resolver } from './resolver.js'

/** Returns a game with its namespaces, versions, regions and players (PROTOCOL.md C). */
export const getGame: Resolver<'games.getGameById'> = ({ input, tables }) => {
  const { game_id, name_id, display_name, created_at, developer_group_id } = findGame(input.game_id, tables)
  // Views: a watch must not wake for columns that are not shown.
  const namespaces = tables.namespaces.inView('game_id', game_id, { game_id })
  return {
    game: {
      game_id,
      create_ts: formatInstant(created_at),
      name_id,
      display_name,
      developer_group_id,
      total_player_count: sumPlayers(namespaces.map(({ namespace_id }) => tables.lobbies.sum('players', namespace_id))),
      namespaces: namespaces.map(namespaceSummary),
      versions: versionSummaries(namespaces),
      available_regions: tables.regions.inView('names', '', {}).map(regionSummary),
    },
  }
}

/** Creates another cloud token of a game (PROTOCOL.md C). */
export const createCloudToken: Resolver<'games.tokens.createCloudToken'> = call => {
  const { game_id } = findGame(call.input.game_id, call.tables)
  const { token } = createRow('tokens', { kind: 'cloud', game_id }, call)
  return { token }
}

/** Finds a game. Throws `ApiError` if it was deleted after the caller's token was checked. */
export function findGame(gameId: string, { games }: Pick<Tables, 'games'>): GameRow {
  const game = games.get(gameId)
  if (game) return game
  throw new ApiError('API_NOT_FOUND', `game ${quoted(gameId)} no longer exists: GET / shows the games`)
}

export function namespaceSummary(namespace: NamespaceRow): NamespaceSummary {
  const { namespace_id, created_at, display_name, version_id, name_id } = namespace
  return { namespace_id, create_ts: formatInstant(created_at), display_name, version_id, name_id }
}

function versionSummaries(namespaces: readonly NamespaceRow[]): VersionSummary[] {
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

/** Returns the name of the version that a namespace runs, as its game lists it: `0.0.1` (PROTOCOL.md C). */
export function versionNameOf(
  { game_id, version_id }: Pick<NamespaceRow, 'game_id' | 'version_id'>,
  { namespaces }: Pick<ReadTables, 'namespaces'>,
): string {
  return versionNames(namespaces.findMany(q => q.where({ game_id }))).get(version_id) ?? ''
}

/** Names the versions that the namespaces of a game run, by their ids: `0.0.1`, `0.0.2`, … (PROTOCOL.md C). */
export function versionNames(namespaces: Iterable<{ readonly version_id: string }>): Map<string, string> {
  const names = new Map<string, string>()
  for (const { version_id } of namespaces) if (!names.has(version_id)) names.set(version_id, `0.0.${names.size + 1}`)
  return names
}

function regionSummary(region: RegionRow): RegionSummary {
  const { region_id, region_uuid, provider_display_name, region_display_name } = region
  return {
    region_id: region_uuid,
    region_name_id: region_id,
    provider: words(provider_display_name).join('-'),
    universal_region: UniversalRegion().safeParse(words(region_display_name).join('_')).data ?? 'unknown',
    provider_display_name,
    region_display_name,
  }
}

/** Splits a name into words in lower case, without accents: `São Paulo` → `sao`, `paulo`. */
function words(name: string): string[] {
  const plain = name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
  return plain.match(/[\p{Letter}\p{Number}]+/gu) ?? []
}
