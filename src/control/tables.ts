import * as z from 'zod'
import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { models } from '../store/model.js'
import type { TableName } from '../store/rows.js'

/** The tables that can be steered, by their names in paths. */
export const steeredTables = {
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

export type SteeredTable = (typeof steeredTables)[keyof typeof steeredTables]

/** The table of a name in a path. Throws `ApiError` where there is none. */
export function tableAt(path: string): SteeredTable {
  // An own key of the tables is the name of one.
  if (Object.hasOwn(steeredTables, path)) return steeredTables[path as keyof typeof steeredTables]
  const known = Object.keys(steeredTables)
  throw new ApiError(
    'API_NOT_FOUND',
    `nothing is at /__mock/${path}, and no table is called ${quoted(path)}.${didYouMean(path, known)}`,
  )
}

/** What the records of a table are called together in an answer. */
export function wireNameOf(path: string): string {
  return path.replaceAll('-', '_')
}

/** What a token is shown with beyond its row: whose it is. */
const shownWithTokens = ['namespace', 'game', 'lobby_id']

/** The fields that records of a table may be shown with. */
export function fieldsOf(name: SteeredTable): readonly string[] {
  const { schema } = models[name]
  const shapes = schema instanceof z.ZodUnion ? schema.options.map(shapeOf) : [shapeOf(schema)]
  const fields = shapes.flatMap(shape => Object.keys(shape))
  return [...new Set([...fields, ...(name === 'tokens' ? shownWithTokens : [])])]
}

function shapeOf(schema: unknown): object {
  return schema instanceof z.ZodObject ? schema.shape : {}
}
