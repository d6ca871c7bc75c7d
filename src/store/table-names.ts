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
