import * as z from 'zod'
import { faultRandom, faultState } from '../store/faults.js'
import { fullNameOf } from '../store/namespaces.js'
import { type GameRow, type NamespaceRow, settingsDefaults } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'
import { readTables, timeOfState, type WorldState } from '../store/world-state.js'
import { withoutDefaults } from './entry.js'
import { gameEntry, namespaceEntry, simulationEntry } from './games.js'
import { gameModeEntry, lobbyEntry } from './lobbies.js'
import { regionEntry } from './regions.js'
import { clockEntry, noNamespace, Scenario, type ScenarioInput } from './schema.js'
import { bearerTokenEntry, deviceLinkEntry } from './tokens.js'

/**
 * The state of a world as a scenario that names every id. A world of it has equal rows, clock and random state, and a
 * higher revision. Rows keep their order among those of the same game, or namespace. A snapshot does not say which requests
 * wait, nor the address of links, which belongs to the server.
 */
export function snapshotOf(state: WorldState, { hasFaults = false } = {}): ScenarioInput {
  const { title, seed, revision, clock, random, faults } = state
  const tables = readTables(state.tables)
  const now = timeOfState(state)
  return z.encode(Scenario, {
    title,
    seed,
    revision,
    now,
    clock: clockEntry(clock),
    chance: { world: [...random], ...(hasFaults ? { faults: [...faultRandom(faults, seed).save()] } : {}) },
    ...settingsEntry(tables),
    regions: tables.regions.all().map(regionEntry),
    games: tables.games.all().map(game => gameWithNamespaces(game, tables)),
    device_links: tables.deviceLinks.all().map(link => deviceLinkEntry(link, tables)),
    bearer_tokens: tables.tokens.all().map(token => bearerTokenEntry(token, tables)),
    ...(hasFaults ? { faults: faults.records.map(record => faultState(record, { now, holding: 0 })) } : {}),
  })
}

function settingsEntry(tables: ReadTables): Scenario {
  const { client, hide_empty_lobbies, servers, cdn_domain, default_namespace_id } =
    tables.settings.get('settings') ?? {}
  return {
    ...(client === undefined ? {} : { client }),
    ...withoutDefaults({ hide_empty_lobbies, servers }, settingsDefaults),
    cdn_domain,
    default_namespace: default_namespace_id === undefined ? noNamespace : fullNameOf(default_namespace_id, tables),
  }
}

function gameWithNamespaces(game: GameRow, tables: ReadTables) {
  const namespaces = tables.namespaces.findMany(q => q.where({ game_id: game.game_id }))
  return gameEntry(
    game,
    namespaces.map(namespace => wholeNamespace(namespace, tables)),
  )
}

function wholeNamespace(namespace: NamespaceRow, tables: ReadTables) {
  const { namespace_id } = namespace
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id }))
  const modeOf = new Map(modes.map(mode => [mode.game_mode_id, mode]))
  const lobbies = tables.lobbies.findMany(q => q.where({ namespace_id }))
  const { servers } = tables.settings.get('settings') ?? {}
  const simulation = tables.simulations.get(namespace_id)
  return namespaceEntry(namespace, {
    game_modes: modes.map(gameModeEntry),
    lobbies: lobbies.map(lobby => {
      const players = tables.players.findMany(q => q.where({ lobby_id: lobby.lobby_id }))
      return lobbyEntry(lobby, { mode: modeOf.get(lobby.game_mode_id), servers, players })
    }),
    ...(simulation && { players: simulationEntry(simulation) }),
  })
}
