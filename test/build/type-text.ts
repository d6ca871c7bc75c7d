import * as z from 'zod'
import { typeTexts } from '../../src/core/lib/schemas.js'

/**
 * The side of a schema: what it takes, what it returns, or one of both, as `create` of a table takes it. Arrays that users pass
 * in are read-only, so that a scenario `as const` compiles.
 */
export type Side = 'input' | 'output' | 'either'

/** Writes the type of a schema, or `undefined` to write it out. */
export type NameOf = (schema: z.core.$ZodType, side: Side) => string | undefined

interface Writer {
  readonly side: Side
  readonly nameOf: NameOf
}

/** A key of an interface. */
export interface Member {
  readonly key: string
  readonly type: string
  readonly isOptional: boolean
  readonly doc: string | undefined
}

/** Writes the type of a schema in TypeScript. Throws if the type is unknown: then `typeTexts` needs it. */
export function typeText(schema: z.core.$ZodType, writer: Writer): string {
  return writer.nameOf(schema, writer.side) ?? structureText(schema, writer)
}

/** Like `typeText`, but writes out the schema itself. */
export function structureText(schema: z.core.$ZodType, writer: Writer): string {
  const { def } = (schema as z.core.$ZodTypes)._zod // the union of all schemas
  const known = typeTexts.get(schema)
  // What a transformation takes has a type.
  if (known && !(def.type === 'pipe' && writer.side === 'input')) return known.type
  const inner = (one: z.core.$ZodType) => typeText(one, writer)
  const modifier = writer.side === 'output' ? '' : 'readonly '
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return def.type
    case 'literal':
      return union(def.values.map(literalText))
    case 'enum':
      return union(Object.values(def.entries).map(literalText))
    case 'array':
      return `${modifier}(${inner(def.element)})[]`
    case 'tuple':
      return `${modifier}[${def.items.map(inner).join(', ')}]`
    case 'record':
      return `Record<string, ${inner(def.valueType)}>`
    case 'union':
      return union(def.options.map(inner))
    case 'readonly':
      return `readonly ${inner(def.innerType).replace(/^readonly /, '')}`
    case 'optional':
      return union([inner(def.innerType), 'undefined'])
    case 'default':
      return union([inner(def.innerType), ...(writer.side === 'output' ? [] : ['undefined'])])
    case 'pipe':
      return union(sidesOf(def, writer.side).map(inner))
    case 'object':
      return objectText(membersOf(def.shape, writer))
    default:
      throw new Error(`the type of a schema of the kind ${def.type} is unknown: register it in typeTexts`)
  }
}

function sidesOf(def: z.core.$ZodPipeDef, side: Side): readonly z.core.$ZodType[] {
  if (side === 'either') return [def.in, def.out]
  return [side === 'input' ? def.in : def.out]
}

/** Returns the keys of an object, each with its type and its description. */
export function membersOf(shape: z.core.$ZodShape, writer: Writer): Member[] {
  return Object.entries(shape).map(([key, schema]) => {
    const { optin, optout } = schema._zod
    const isOptional = (writer.side === 'output' ? optout : optin) === 'optional'
    return { key, type: typeText(schema, writer), isOptional, doc: descriptionOf(schema) }
  })
}

/** Returns the description of a schema, or of the one that it wraps. */
export function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const own = z.globalRegistry.get(schema)?.description
  if (own !== undefined) return own
  return 'innerType' in def ? descriptionOf(def.innerType) : undefined
}

/** Writes a key of an interface, with its comment above it. */
export function memberText({ key, type, isOptional, doc }: Member): string {
  const name = /^[\w$]+$/.test(key) ? key : `'${key}'`
  return `${commentText(doc)}${name}${isOptional ? '?' : ''}: ${type}`
}

/** The width of a comment, without its indentation. */
const width = 110

/** Writes a comment: in one line, or broken into several. */
export function commentText(doc: string | undefined): string {
  if (doc === undefined) return ''
  const lines: string[] = []
  for (const word of doc.replaceAll('*/', '*\\/').split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map(line => ` * ${line}\n`).join('')} */\n`
}

function literalText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** Writes an object type inline. An empty one has no keys, as in zod. */
function objectText(members: readonly Member[]): string {
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.map(memberText).join('\n')}\n}`
}

/** Writes a union, each member once. */
export function union(types: readonly string[]): string {
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ')
}
