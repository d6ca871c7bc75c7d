import type { Ranking } from './rank-index.js'
import { isSeated, type LobbyRow, type NamespaceRow, type PlayerRow, type RegionRow, seatsTaken } from './rows.js'
import type { Summand } from './sum-index.js'

/** Seats of lobbies that are taken, reserved or connected, by their namespace. */
const players: Summand<LobbyRow> = { columns: ['namespace_id'], amount: seatsTaken }
/** Lobbies that have not stopped, by their namespace. */
const running: Summand<LobbyRow> = { columns: ['namespace_id'], amount: ({ status }) => (status === 'stopped' ? 0 : 1) }
/** Players with a seat, by their namespace and their address: see `seatsFrom`. */
const seats: Summand<PlayerRow> = { columns: ['namespace_id', 'address'], amount: player => (isSeated(player) ? 1 : 0) }

/** The names of all sums. */
export type SumName = 'players' | 'running' | 'seats'
/** The names of all orders. */
export type OrderName = 'fullest'
/** The names of all views. */
export type ViewName = 'summaries' | 'names'

/** What is kept of the tables that have any. */
type Derived<Name extends string, Definition> = {
  readonly [table: string]: { readonly [Defined in Name]?: Definition }
}

/** What is added up over the records of a table. */
const sums: Derived<SumName, Summand<never>> = {
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

/** The orders in which the records of a table stand. */
const orders: Derived<OrderName, Ranking<never>> = { lobbies: { fullest } }

/** What is seen of the records of a table by those who look at some columns only. */
export interface ViewOf<Row> {
  /** In which group a record is shown. */
  group(row: Row): string
  readonly columns: readonly (keyof Row & string)[]
}

const namespaceSummaries: ViewOf<NamespaceRow> = {
  group: ({ game_id }) => game_id,
  columns: ['namespace_id', 'created_at', 'display_name', 'version_id', 'name_id'],
}
const regionNames: ViewOf<RegionRow> = {
  group: () => '',
  columns: ['region_id', 'region_uuid', 'provider_display_name', 'region_display_name'],
}

/** The views of a table. */
const views: Derived<ViewName, ViewOf<never>> = {
  /** What a game shows of its namespaces, by its id. */
  namespaces: { summaries: namespaceSummaries },
  /** What a game shows of regions, all in the one group that has no name. */
  regions: { names: regionNames },
}

/** The group of the lobbies of a game mode in a region. */
export function lobbiesOf(lobby: Pick<LobbyRow, 'namespace_id' | 'game_mode_id' | 'region_id'>): string {
  return `${lobby.namespace_id} ${lobby.game_mode_id} ${lobby.region_id}`
}

/** The group of the seats of those who come to a namespace from one address. */
export function seatsFrom({ namespace_id, address }: Pick<PlayerRow, 'namespace_id' | 'address'>): string {
  return `${namespace_id} ${address}`
}

/** What a sum of a table adds up. */
export function summandOf(table: string, name: SumName): Summand<object> {
  return definition(sums[table], name) as unknown as Summand<object> // a table is asked only with rows of its own
}

/** How an order of a table ranks its records. */
export function rankingOf(table: string, name: OrderName): Ranking<object> {
  return definition(orders[table], name) as unknown as Ranking<object> // the same
}

/** What a view of a table shows. */
export function viewOf(table: string, name: ViewName): ViewOf<object> {
  return definition(views[table], name) as unknown as ViewOf<object> // the same
}

function definition<Name extends string, T>(named: { readonly [Defined in Name]?: T } = {}, name: Name): T {
  const found = named[name]
  if (found === undefined) throw new Error(`this table has nothing that is called ${name}, but ${Object.keys(named)}`)
  return found
}
