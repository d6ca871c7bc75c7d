import { type OpenApiDocument, type OpenApiOperation, openapi } from '../contract/openapi.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

let document: OpenApiDocument | undefined

/** Returns the OpenAPI document. It is created once. */
export function contractDocument(): OpenApiDocument {
  document ??= openapi()
  return document
}

/** Returns an operation, and its part of the OpenAPI document. Throws `UsageError` if it does not exist. */
export function findOperation(id: OperationId): {
  readonly spec: OperationSpec
  readonly documented: OpenApiOperation
} {
  if (typeof id !== 'string' || !Object.hasOwn(operations, id))
    throw new UsageError(`${quoted(id)} is an unknown operation.${didYouMean(String(id), operationIds)}`)
  const spec: OperationSpec = operations[id]
  const documented = contractDocument().paths[spec.path]?.[spec.method.toLowerCase() as Lowercase<typeof spec.method>]
  return { spec, documented: documented as OpenApiOperation } // the document has all operations
}
