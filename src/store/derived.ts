import { type LobbyRow, seatsTaken } from './lobby-row.js'
import { isSeated, type PlayerRow } from './player-row.js'
import type { Ranking } from './rank-index.js'
import type { NamespaceRow, RegionRow } from './rows.js'
import type { Summand } from './sum-index.js'

/** Connected players of lobbies, by their namespace. */
const players: Summand<LobbyRow> = { columns: ['namespace_id'], amount: lobby => lobby.total_player_count }
/** Lobbies that have not stopped, by their namespace. */
const running: Summand<LobbyRow> = { columns: ['namespace_id'], amount: ({ status }) => (status === 'stopped' ? 0 : 1) }
/** Players with a seat, by their namespace and their address: see `seatsFrom`. */
const seats: Summand<PlayerRow> = { columns: ['namespace_id', 'address'], amount: player => (isSeated(player) ? 1 : 0) }

/** What is added up over the records of a table, by the names of the sums. */
const sums: { readonly [table: string]: { readonly [name: string]: Summand<never> } } = {
  lobbies: { players, running },
  players: { seats },
}

/** Lobbies that find may choose, the one with the fewest free seats first: see `lobbiesOf`. */
const fullest: Ranking<LobbyRow> = {
  columns: ['namespace_id', 'game_mode_id', 'region_id'],
  rank(lobby) {
    if (lobby.status === 'stopped' || lobby.is_closed || lobby.publicity !== 'public') return undefined
    const free = lobby.max_players_normal - seatsTaken(lobby)
    return free > 0 ? free : undefined
  },
}

/** The orders in which the records of a table stand, by their names. */
const orders: { readonly [table: string]: { readonly [name: string]: Ranking<never> } } = { lobbies: { fullest } }

/** What is seen of the records of a table by those who look at some columns only. */
export interface ViewOf<Row> {
  /** Under what a record stands. */
  under(row: Row): string
  readonly columns: readonly (keyof Row & string)[]
}

const namespaceSummaries: ViewOf<NamespaceRow> = {
  under: ({ game_id }) => game_id,
  columns: ['namespace_id', 'created_at', 'display_name', 'version_id', 'name_id'],
}
const regionNames: ViewOf<RegionRow> = {
  under: () => '',
  columns: ['region_id', 'provider_display_name', 'region_display_name'],
}

/** The views of a table, by their names. */
const views: { readonly [table: string]: { readonly [name: string]: ViewOf<never> } } = {
  /** What a game shows of its namespaces, by its id. */
  namespaces: { summaries: namespaceSummaries },
  /** What a game shows of regions, all under the empty text. */
  regions: { names: regionNames },
}

/** Under what the lobbies of a game mode in a region stand. */
export function lobbiesOf(place: Pick<LobbyRow, 'namespace_id' | 'game_mode_id' | 'region_id'>): string {
  return `${place.namespace_id} ${place.game_mode_id} ${place.region_id}`
}

/** Under what the seats of those are added up who come to a namespace from one address. */
export function seatsFrom({ namespace_id, address }: Pick<PlayerRow, 'namespace_id' | 'address'>): string {
  return `${namespace_id} ${address}`
}

/** What a sum of a table adds up. */
export function summandOf(table: string, name: string): Summand<object> {
  return definition(sums[table], name) as unknown as Summand<object> // a table is asked only with rows of its own
}

/** How an order of a table ranks its records. */
export function rankingOf(table: string, name: string): Ranking<object> {
  return definition(orders[table], name) as unknown as Ranking<object> // the same
}

/** What a view of a table shows. */
export function viewOf(table: string, name: string): ViewOf<object> {
  return definition(views[table], name) as unknown as ViewOf<object> // the same
}

function definition<T>(named: { readonly [name: string]: T } = {}, name: string): T {
  const found = named[name]
  if (found === undefined) throw new Error(`nothing is called ${name}: one of ${Object.keys(named)}`)
  return found
}
