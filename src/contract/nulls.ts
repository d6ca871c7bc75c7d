import * as z from 'zod'
import type { OpenApiSchema } from './openapi-document.js'

/** Removes from a JSON value, in place, each optional key whose value is null. */
type RemoveNulls = (value: unknown) => void

const removers = new WeakMap<z.ZodType, RemoveNulls | undefined>()

/**
 * Removes, in place, each key of a JSON value that is null and that the schema has as optional: null in an optional field
 * means absent (PROTOCOL.md B9). Also looks into nested objects, lists and records.
 */
export function removeOptionalNulls(schema: z.ZodType, value: unknown): void {
  removerOf(schema)?.(value)
}

/** The function for a schema, made once; `undefined` where nothing in it is optional. */
function removerOf(schema: z.ZodType): RemoveNulls | undefined {
  if (!removers.has(schema)) removers.set(schema, makeRemover(schema))
  return removers.get(schema)
}

function makeRemover(schema: z.ZodType): RemoveNulls | undefined {
  if (schema instanceof z.ZodOptional) return removerOf(schema.unwrap() as z.ZodType) // its type allows zod's core schemas
  if (schema instanceof z.ZodObject) return removerOfObject(schema)
  if (schema instanceof z.ZodArray || schema instanceof z.ZodRecord) {
    const inner = removerOf((schema instanceof z.ZodArray ? schema.element : schema.valueType) as z.ZodType)
    return inner && (value => isObject(value) && Object.values(value).forEach(inner))
  }
  return undefined
}

function removerOfObject({ shape }: z.ZodObject): RemoveNulls | undefined {
  const fields = Object.entries(shape).map(([key, field]) => ({
    key,
    isOptional: field._zod.optin === 'optional',
    remove: removerOf(field as z.ZodType),
  }))
  const affected = fields.filter(({ isOptional, remove }) => isOptional || remove)
  if (affected.length === 0) return undefined
  return value => {
    if (!isObject(value)) return
    for (const { key, isOptional, remove } of affected) {
      if (!Object.hasOwn(value, key)) continue
      if (value[key] !== null) remove?.(value[key])
      else if (isOptional) delete value[key]
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A JSON schema of a body that also allows null in each optional field, as the service does. */
export function withOptionalNulls(schema: OpenApiSchema): OpenApiSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => (isObjectSchema(value) ? allowNulls(value) : value))
}

function isObjectSchema(value: unknown): value is OpenApiSchema & Required<Pick<OpenApiSchema, 'properties'>> {
  return isObject(value) && value.type === 'object' && isObject(value.properties)
}

function allowNulls(schema: OpenApiSchema & Required<Pick<OpenApiSchema, 'properties'>>): OpenApiSchema {
  const { properties, required = [] } = schema
  const fields = Object.entries(properties).map(([key, field]) => [
    key,
    required.includes(key) || typeof field === 'boolean' ? field : nullable(field),
  ])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function nullable(schema: OpenApiSchema): OpenApiSchema {
  const { description, examples, default: initial, ...type } = schema
  // A schema without a type allows null already.
  if (Object.keys(type).length === 0) return schema
  const notes = Object.entries({ description, examples, default: initial }).filter(([, note]) => note !== undefined)
  return { ...Object.fromEntries(notes), anyOf: [type, { type: 'null' }] }
}
