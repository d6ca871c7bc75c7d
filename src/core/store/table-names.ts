import type { TableName } from '../generated/rows.js'

/** The names of all tables. Change sets list tables in this order. */
export const tableNames = [
  'settings',
  'games',
  'regions',
  'namespaces',
  'gameModes',
  'lobbies',
  'players',
  'simulations',
  'deviceLinks',
  'tokens',
] as const satisfies readonly TableName[]

/** The tables of the control API, by their names in paths. */
export const tablesByPath = {
  games: 'games',
  namespaces: 'namespaces',
  'game-modes': 'gameModes',
  regions: 'regions',
  lobbies: 'lobbies',
  players: 'players',
  simulations: 'simulations',
  'device-links': 'deviceLinks',
  tokens: 'tokens',
} as const satisfies { readonly [path: string]: TableName }

/** A table that the control API has. */
export type ControlTable = Exclude<TableName, 'settings'>

/** Returns the key of a table's records in an answer. */
export function listKey(path: string): string {
  return path.replaceAll('-', '_')
}
