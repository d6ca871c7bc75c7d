import type { ClockMode } from '../../src/core/store/clock.js'
import { tableNames } from '../../src/core/store/table-names.js'
import { LiveWorld } from '../../src/core/store/world.js'
import { createState, type InitialRows, type StateDefinition } from '../../src/core/store/world-state.js'
import { startAt } from './tanks.js'
import { snapshotOf } from './worlds.js'

interface SmallWorldOptions {
  readonly seed?: number
  readonly clock?: ClockMode
  readonly now?: number
  readonly rows?: InitialRows
}

/** Creates a world of a few rows, or of `rows` only, frozen at `startAt`. */
export function smallWorld(options: SmallWorldOptions = {}): LiveWorld {
  return new LiveWorld(createState(smallDefinition(options)))
}

/** The definition of that world. */
export function smallDefinition({
  seed = 1,
  clock = 'frozen',
  now = startAt,
  rows = smallRows(),
}: SmallWorldOptions = {}): StateDefinition {
  return { title: 'small', seed, clock, now, rows: () => rows }
}

/** Two games with one namespace each, and lobbies in the first one. */
export function smallRows() {
  return {
    settings: [
      {
        settings_id: 'settings',
        cdn_domain: 'mock.localhost',
        default_namespace_id: 'prod',
        hide_empty_lobbies: false,
        servers: 'auto',
        public_url: 'https://hub.mock.localhost',
      },
    ],
    games: [game('tanks'), game('boats')],
    regions: [region('fra'), region('atl')],
    namespaces: [namespace('prod', 'tanks'), namespace('beta', 'boats')],
    gameModes: [mode('prod', 'duel'), mode('prod', 'ffa'), mode('beta', 'duel')],
    lobbies: [lobby('l0'), lobby('l1'), lobby('l2')],
    deviceLinks: [{ device_link_token: 'device.mock.sofa', device_link_id: 'sofa', status: 'pending' }],
    tokens: [
      { token: 'pub_prod.mock.one', kind: 'public', namespace_id: 'prod' },
      { token: 'cloud.mock.tanks', kind: 'cloud', game_id: 'tanks' },
    ],
  }
}

export function game(game_id: string) {
  const fixed = { created_at: startAt, developer_group_id: 'makers' }
  return { game_id, name_id: game_id, display_name: game_id, ...fixed }
}

function region(region_id: string) {
  const datacenter_coord = { latitude: 50, longitude: 8 }
  const region_uuid = `00000000-0000-4000-8000-${[...region_id]
    .map(c => c.charCodeAt(0).toString(16))
    .join('')
    .padStart(12, '0')}`
  return { region_id, region_uuid, provider_display_name: 'Own', region_display_name: region_id, datacenter_coord }
}

export function namespace(namespace_id: string, game_id: string) {
  const fixed = { created_at: startAt, version_id: 'first', tokenless: true, domains: [], lobby_count_max: 128 }
  return { namespace_id, game_id, name_id: namespace_id, display_name: namespace_id, ...fixed }
}

function mode(namespace_id: string, game_mode_id: string) {
  return { namespace_id, game_mode_id, ...mostPlayers, regions: ['fra'], listable: true }
}

const mostPlayers = { max_players_normal: 8, max_players_direct: 8, max_players_party: 8 }

/** Returns the row of a lobby of prod/duel in fra. */
export function lobby(lobby_id: string) {
  const place = { namespace_id: 'prod', game_mode_id: 'duel', region_id: 'fra' }
  return {
    lobby_id,
    ...place,
    ...mostPlayers,
    total_player_count: 0,
    reserved_player_count: 0,
    publicity: 'public',
    is_closed: false,
    run_by: 'mock',
    status: 'ready',
  }
}

/** Returns all rows of a world as JSON, by table, in order. */
export function contents({ tables }: LiveWorld): string {
  return JSON.stringify(tableNames.map(name => [name, tables[name].all()]))
}

/** Returns everything that a transaction can change as JSON: the snapshot, and the rows in the tables' own order. */
export function dump(world: LiveWorld): string {
  const tables = tableNames.map(name => {
    const { revision, nextSeq } = world.tables[name].state
    return { name, revision, nextSeq, entries: world.tables[name].state.entries() }
  })
  return JSON.stringify({
    snapshot: snapshotOf(world.state),
    clock: world.clock.state,
    random: world.random.save(),
    tables,
  })
}
