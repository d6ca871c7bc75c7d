import * as fc from 'fast-check'
import type { OpenApiSchema } from '../../core/contract/openapi.js'
import { tooOld } from '../../core/lib/peers.js'
import { dateOf, parseDate } from '../../core/lib/real-globals.js'

// The newest of the functions that are used.
if (!('stringMatching' in fc)) throw tooOld('mockmaker/arbitraries', 'fast-check', { versionOf: () => fc.__version })

/** Options for the generation of values. */
export interface ValueOptions {
  readonly schemas: Readonly<Record<string, OpenApiSchema>>
  /** Texts that exist in a world, such as ids. They are mixed with random ones. Default: none. */
  readonly texts?: readonly string[]
  /** `true`: objects may have unknown fields, which the service ignores. Default: false. */
  readonly hasUnknownFields?: boolean
}

/**
 * Generates JSON for a schema of the OpenAPI document. It looks at one keyword at a time, so some values do not fit: filter
 * them.
 */
export function jsonOf(schema: OpenApiSchema, options: ValueOptions): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return jsonOf(options.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, options)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(one => jsonOf(one as OpenApiSchema, options)))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integerOf(schema)
    case 'number':
      return fc.double({ noNaN: true, min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6 })
    case 'string':
      return textOf(schema, options)
    case 'array':
      return fc.array(jsonOf(schema.items as OpenApiSchema, options), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 20),
      })
    case 'object':
      return schema.properties ? objectOf(schema, options) : recordOf(schema, options)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function integerOf({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: OpenApiSchema) {
  const ends = fc.constantFrom(minimum, maximum, Math.max(minimum, Math.min(maximum, 2)))
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), ends)
}

const year1970 = dateOf(0)
const year2100 = dateOf(parseDate('2100-01-01T00:00:00Z'))

const [surrogates, afterSurrogates, mostCodePoints] = [0xd800, 0xe000, 0x110000]

/**
 * Any code point but half a surrogate pair. The unit `binary` of fast-check generates the same, but its first use takes
 * seconds: it makes a table of all code points.
 */
const codePoint = fc
  .integer({ min: 0, max: mostCodePoints - (afterSurrogates - surrogates) - 1 })
  .map(index => String.fromCodePoint(index < surrogates ? index : index + afterSurrogates - surrogates))

function textOf({ pattern, format, minLength = 0, maxLength = 40 }: OpenApiSchema, { texts = [] }: ValueOptions) {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time')
    return fc.date({ min: year1970, max: year2100, noInvalidDate: true }).map(date => date.toISOString())
  const length = { minLength, maxLength: Math.min(maxLength, 600) }
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits)
  const words = texts.filter(fits)
  const any = fc.string({ unit: codePoint, ...length })
  return words.length === 0 ? any : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, any)
}

function objectOf(
  { oneOf, properties = {}, required = [], ...others }: OpenApiSchema,
  options: ValueOptions,
): fc.Arbitrary<unknown> {
  if (oneOf) {
    const variants = (oneOf as readonly OpenApiSchema[]).map(variant => ({
      ...others,
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, field]) => [key, narrowed(field, variant.properties?.[key])]),
      ),
      required: [...required, ...(variant.required ?? [])],
    }))
    return fc.oneof(...variants.map(variant => objectOf(variant, options)))
  }
  const fields = Object.entries(properties).map(([key, field]) => [key, jsonOf(field as OpenApiSchema, options)])
  const own = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[], noNullPrototype: true })
  if (!options.hasUnknownFields) return own
  const more = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2, noNullPrototype: true })
  return fc.tuple(more, own).map(([unknown, known]) => ({ ...unknown, ...(known as object) }))
}

type Field = NonNullable<OpenApiSchema['properties']>[string]

/** Returns the schema of a field in one variant of its object: another schema, or the same without null. */
function narrowed(field: Field, variant: Field | undefined): Field {
  if (typeof variant !== 'object') return field
  if (!variant.not) return variant
  const { anyOf = [] } = field as OpenApiSchema
  return { ...(field as OpenApiSchema), anyOf: anyOf.filter(one => (one as OpenApiSchema).type !== 'null') }
}

function recordOf(
  { propertyNames = {}, additionalProperties = {}, maxProperties = 4 }: OpenApiSchema,
  options: ValueOptions,
) {
  const key = textOf(propertyNames as OpenApiSchema, options)
  const value = jsonOf(additionalProperties as OpenApiSchema, options)
  return fc.dictionary(key, value, { maxKeys: Math.min(maxProperties, 20), noNullPrototype: true })
}
