import fc from 'fast-check'
import { type OpenApiSchema, openapi } from '../../src/contract.js'

const { schemas } = openapi().components

/** Texts that exist in a world, such as ids. They are mixed with random ones. */
export type KnownTexts = readonly [string, ...string[]]

/** Generates JSON for a schema of the document. It looks at one keyword at a time, so some values do not fit: filter them. */
export function valueFitting(schema: OpenApiSchema, known: KnownTexts): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueFitting(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, known)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(one => valueFitting(one as OpenApiSchema, known)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integerOf(schema)
    case 'string':
      return textOf(schema, known)
    case 'array':
      return fc.array(valueFitting(schema.items as OpenApiSchema, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 20),
      })
    case 'object':
      return schema.properties ? objectOf(schema, known) : recordOf(schema, known)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function integerOf({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: OpenApiSchema) {
  const ends = fc.constantFrom(minimum, maximum, Math.min(maximum, 2))
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), ends)
}

function textOf({ pattern, format, minLength = 0, maxLength = 40 }: OpenApiSchema, known: KnownTexts) {
  if (format === 'uuid') return fc.uuid()
  const length = { minLength, maxLength: Math.min(maxLength, 600) }
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits)
  const words = known.filter(fits)
  const any = fc.string({ unit: 'binary', ...length })
  return words.length === 0 ? any : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, any)
}

function objectOf({ properties = {}, required = [] }: OpenApiSchema, known: KnownTexts) {
  const fields = Object.entries(properties).map(([key, field]) => [key, valueFitting(field as OpenApiSchema, known)])
  const more = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2, noNullPrototype: true })
  const own = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[], noNullPrototype: true })
  // The service ignores unknown fields.
  return fc.tuple(more, own).map(([unknown, known]) => ({ ...unknown, ...(known as object) }))
}

function recordOf({ propertyNames = {}, additionalProperties, maxProperties = 4 }: OpenApiSchema, known: KnownTexts) {
  const key = textOf(propertyNames as OpenApiSchema, known)
  const value = valueFitting(additionalProperties as OpenApiSchema, known)
  return fc.dictionary(key, value, { maxKeys: Math.min(maxProperties, 20), noNullPrototype: true })
}
