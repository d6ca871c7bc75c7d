import { type DocumentedOperation, documentOperation } from '../contract/openapi.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

const documentedOperations = new Map<OperationId, DocumentedOperation>()

/** Returns an operation, and its part of the OpenAPI document. Throws `UsageError` if it does not exist. */
export function findOperation(id: OperationId): DocumentedOperation & { readonly spec: OperationSpec } {
  if (typeof id !== 'string' || !Object.hasOwn(operations, id))
    throw new UsageError(`${quoted(id)} is an unknown operation.${didYouMean(String(id), operationIds)}`)
  const documented = documentedOperations.get(id) ?? documentOperation(id)
  documentedOperations.set(id, documented)
  return { ...documented, spec: operations[id] }
}
