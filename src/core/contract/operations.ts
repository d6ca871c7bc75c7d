import type * as types from '../generated/operations.js'
import { authOperations } from './auth.js'
import { gameServerOperations } from './game-server.js'
import { gameOperations } from './games.js'
import { lobbyOperations } from './lobbies.js'
import { namespaceOperations } from './namespaces.js'
import { regionOperations } from './regions.js'

/** The table of operations. Routes, types, resolvers, OpenAPI and docs come from it. */
export const operations = {
  ...lobbyOperations,
  ...gameServerOperations,
  ...regionOperations,
  ...gameOperations,
  ...namespaceOperations,
  ...authOperations,
}

export type Operations = typeof operations
export type OperationId = types.OperationId

/** All ids, in the order of the table. */
export const operationIds = Object.keys(operations) as OperationId[] // the type of the table has just these keys

/** The parsed input of an operation: the fields of its params, query, headers and body in one object, or its `jsonBody`. */
export type OperationInput<Id extends OperationId> = types.OperationInputs[Id]

/** The answer of an operation. `undefined` is an empty body. */
export type OperationOutput<Id extends OperationId> = types.OperationOutputs[Id]

export function isSeatOperation(
  operation: string | undefined,
): operation is 'lobbies.find' | 'lobbies.join' | 'lobbies.create' {
  return operation === 'lobbies.find' || operation === 'lobbies.join' || operation === 'lobbies.create'
}

export function namesPlayer(operation: string | undefined): boolean {
  return operation === 'players.connected' || operation === 'players.disconnected'
}
