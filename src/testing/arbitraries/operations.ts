import * as fc from 'fast-check'
import { type DocumentedOperation, documentOperation } from '../../core/contract/openapi.js'
import type { OperationSpec } from '../../core/contract/operation.js'
import { type OperationId, type OperationOutput, operationIds, operations } from '../../core/contract/operations.js'
import { didYouMean, quoted, UsageError } from '../../core/lib/messages.js'
import { jsonOf } from './json-values.js'

/** An operation, and its part of the OpenAPI document. */
export interface FoundOperation extends DocumentedOperation {
  readonly spec: OperationSpec
}

/** Finds an operation. Throws `UsageError` if it does not exist. */
export function findOperation(id: OperationId): FoundOperation {
  if (typeof id !== 'string' || !Object.hasOwn(operations, id))
    throw new UsageError(`${quoted(id)} is an unknown operation.${didYouMean(String(id), operationIds)}`)
  return { ...documentOperation(id), spec: operations[id] }
}

/**
 * Generates any answer that the contract allows for an operation. `mock.on` accepts each of them. An operation whose answer has
 * no body gives `undefined`. Throws `UsageError` if there is no such operation.
 */
export function answer<Id extends OperationId>(operation: Id): fc.Arbitrary<OperationOutput<Id>> {
  const { spec, documented, schemas } = findOperation(operation)
  const { output } = spec
  const schema = documented.responses[200]?.content?.['application/json'].schema
  if (!output || !schema) return fc.constant(undefined as OperationOutput<Id>) // its type says so
  return jsonOf(schema, { schemas }).filter(value => output.safeParse(value).success) as fc.Arbitrary<
    OperationOutput<Id>
  >
}
