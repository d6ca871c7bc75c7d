import type * as z from 'zod'
import { authOperations, deviceLinkOperations } from './auth.js'
import { gameServerOperations } from './game-server.js'
import { gameOperations } from './games.js'
import { lobbyOperations } from './lobbies.js'
import { namespaceDomainOperations, namespaceOperations, namespaceTokenOperations } from './namespaces.js'
import { regionOperations } from './regions.js'

/** The table of operations. Routes, types, resolvers, OpenAPI and docs come from it. */
export const operations = {
  ...lobbyOperations,
  ...gameServerOperations,
  ...regionOperations,
  ...gameOperations,
  ...namespaceOperations,
  ...namespaceTokenOperations,
  ...namespaceDomainOperations,
  ...deviceLinkOperations,
  ...authOperations,
}

export type Operations = typeof operations
export type OperationId = keyof Operations

/** All ids, in the order of the table. */
export const operationIds = Object.keys(operations) as OperationId[] // the type of the table has just these keys

type Part<Spec, Name extends string> = Spec extends { [name in Name]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : unknown

/** The parsed input of an operation: the fields of its params, query, headers and body in one object, or its `jsonBody`. */
export type OperationInput<Id extends OperationId> = Part<Operations[Id], 'params'> &
  Part<Operations[Id], 'query'> &
  Part<Operations[Id], 'headers'> &
  Part<Operations[Id], 'body'> &
  (Operations[Id] extends { jsonBody: infer Schema extends z.ZodType } ? { jsonBody: z.output<Schema> } : unknown)

/** The answer of an operation. `undefined` is an empty body. */
export type OperationOutput<Id extends OperationId> = Operations[Id] extends {
  output: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined
