import type { TableName } from '../store/rows.js'

/** The tables of the control API, by their names in paths. */
export const tableNames = {
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

export type ControlTable = (typeof tableNames)[keyof typeof tableNames]

/** Returns the key of a table's records in an answer. */
export function listKey(path: string): string {
  return path.replaceAll('-', '_')
}
