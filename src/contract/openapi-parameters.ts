import type { OpenApiParameter } from './openapi-document.js'
import { parameterExample } from './openapi-examples.js'
import type { OpenApiSchemas } from './openapi-schema.js'
import type { OperationSpec } from './operation.js'

/** The parameters of an operation, as they are on the wire: of its path, its query and its headers. */
export function openApiParameters(
  { params, query, headers }: OperationSpec,
  schemas: OpenApiSchemas,
): OpenApiParameter[] {
  const parts = [
    ['path', params],
    ['query', query],
    ['header', headers],
  ] as const
  return parts.flatMap(([place, part]) => {
    if (!part) return []
    const { properties = {}, required = [] } = schemas.of(part, 'parameter')
    return Object.entries(properties).map(([name, property]): OpenApiParameter => {
      // Only `true` and `false` are schemas that are no objects, and no field of an operation is made so.
      const { description, ...schema } = property as Exclude<typeof property, boolean>
      const described = description === undefined ? {} : { description }
      const isRequired = place === 'path' || required.includes(name)
      return { name, in: place, required: isRequired, ...described, schema, example: parameterExample(name) }
    })
  })
}
