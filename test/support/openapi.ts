import { type OpenApiOperation, type OperationId, openapi } from '../../src/core/contract/index.js'
import type { OperationSpec } from '../../src/core/contract/operation.js'
import { operations } from '../../src/core/contract/operations.js'

/** An operation of the table, with its general type. */
export const spec = (id: OperationId): OperationSpec => operations[id]

const { paths } = openapi()

/** Returns an operation of the document, by its method and path in the table. */
export function documented(id: OperationId): OpenApiOperation {
  const { method, path } = spec(id)
  const operation = paths[path]?.[method.toLowerCase() as Lowercase<typeof method>]
  if (!operation) throw new Error(`${id} is not in the document`)
  return operation
}

/** Lists all values of `$ref`. */
export function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const here = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : []
  return [...here, ...Object.values(value).flatMap(references)]
}
