import * as z from 'zod'
import { NamespaceSummary } from './namespace.js'
import { Timestamp } from './timestamp.js'
import { Uint32 } from './uint32.js'
import { UniversalRegion } from './universal-region.js'
import { Uuid } from './uuid.js'

/** A version of a game that a namespace runs. Its names are `0.0.1`, `0.0.2`, … (PROTOCOL.md C). */
export const VersionSummary = z
  .object({ version_id: z.string(), create_ts: Timestamp, display_name: z.string() })
  .meta({ id: 'VersionSummary', description: 'A version of a game that one of its namespaces runs.' })
export type VersionSummary = z.output<typeof VersionSummary>

/** A region in which lobbies of a game may run. On the cloud side its id is a UUID (PROTOCOL.md D). */
export const RegionSummary = z
  .object({
    region_id: Uuid,
    region_name_id: z.string().meta({ description: 'The name that the matchmaker calls `region_id`.' }),
    provider: z.string(),
    universal_region: UniversalRegion,
    provider_display_name: z.string(),
    region_display_name: z.string(),
  })
  .meta({ id: 'RegionSummary', description: 'A region in which lobbies of a game may run.' })
export type RegionSummary = z.output<typeof RegionSummary>

/** A whole game. `total_player_count` counts the seats, reserved and connected, of all its lobbies. */
export const Game = z
  .object({
    game_id: z.string(),
    create_ts: Timestamp,
    name_id: z.string(),
    display_name: z.string(),
    developer_group_id: z.string(),
    total_player_count: Uint32,
    namespaces: z.array(NamespaceSummary),
    versions: z.array(VersionSummary),
    available_regions: z.array(RegionSummary),
  })
  .meta({
    id: 'Game',
    description: 'A game. `total_player_count` counts the seats, reserved and connected, of all its lobbies.',
  })
