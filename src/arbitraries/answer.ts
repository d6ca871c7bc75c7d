import fc from 'fast-check'
import type { OperationId, OperationOutput } from '../contract/operations.js'
import { jsonOf } from './json-values.js'
import { findOperation } from './operations.js'

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
