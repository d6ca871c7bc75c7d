import { readFileSync } from 'node:fs'
import * as z from 'zod'
import {
  commentText,
  descriptionOf,
  type Member,
  membersOf,
  memberText,
  type NameOf,
  type Side,
  structureText,
} from './type-text.js'

/** A type to write, from a schema. */
export interface TypeOfSchema {
  readonly name: string
  readonly schema: z.ZodType
  readonly side: Side
  /** All keys are `readonly` and optional, as in `OptionsOf`. */
  readonly isOptions: boolean
  /** The file of the schema. Comments there are the descriptions of what has none. */
  readonly file: string
  readonly doc: string | undefined
}

/** The text of a type, whatever it comes from. */
export interface Declaration {
  readonly name: string
  text(): string
}

/** Names the types of a list, so that other types refer to them. */
export function namesOf(types: readonly TypeOfSchema[]): NameOf {
  const names = new Map<z.core.$ZodType, { readonly [side in Side]?: string }>()
  const noNames = () => undefined
  for (const { schema, side, name } of types) {
    const origin = originOf(schema)
    const [input, output] = (['input', 'output'] as const).map(one =>
      structureText(schema, { side: one, nameOf: noNames }).replaceAll('readonly ', ''),
    )
    const isSame = input === output
    names.set(origin, isSame ? { input: name, output: name, either: name } : { ...names.get(origin), [side]: name })
  }
  return (schema, side) => names.get(originOf(schema))?.[side]
}

/** Finds the schema that another one copies. A description or a check does not change the type. */
function originOf(schema: z.core.$ZodType): z.core.$ZodType {
  const { parent } = schema._zod
  return parent ? originOf(parent) : schema
}

/** Declares the type of a schema: an interface for an object. */
export function declarationOf(type: TypeOfSchema, nameOf: NameOf): Declaration {
  const { name, schema, side, isOptions, file } = type
  const source = file.endsWith('.ts') ? readFileSync(file, 'utf8') : ''
  return {
    name,
    text() {
      const doc = type.doc ?? descriptionOf(schema) ?? commentAbove(source, name)
      if (!(schema instanceof z.ZodObject))
        return `${commentText(doc)}export type ${name} = ${structureText(schema, { side, nameOf })}`
      const members = membersOf(schema.shape, { side, nameOf }).map(member => ({
        ...member,
        isOptional: isOptions || member.isOptional,
        doc: member.doc ?? commentOfKey(source, name, member.key),
      }))
      return interfaceText(name, doc, members, isOptions ? 'readonly ' : '')
    },
  }
}

/** Writes an interface. */
export function interfaceText(
  name: string,
  doc: string | undefined,
  members: readonly Member[],
  modifier = '',
): string {
  const lines = members.map(member => {
    const comment = commentText(member.doc)
    return comment + modifier + memberText({ ...member, doc: undefined })
  })
  return `${commentText(doc)}export interface ${name} {\n${lines.join('\n')}\n}`
}

/** Returns the comment above a schema or a type, without its sources. */
function commentAbove(source: string, name: string): string | undefined {
  const declared = new RegExp(String.raw`/\*\*((?:(?!\*/).)*)\*/\n(?:export )?(?:const|interface|type) ${name}\b`, 'gs')
  const [, text] = [...source.matchAll(declared)].at(-1) ?? []
  return text && plainComment(text)
}

/** Returns the comment above a key of a schema, or of the object with its keys: `z.strictObject(resetKeys)`. */
function commentOfKey(source: string, name: string, key: string): string | undefined {
  const [, keys = name] = new RegExp(String.raw`const ${name} = z\s*\.strictObject\((\w+)\)`).exec(source) ?? []
  const [, shape = ''] = source.split(`const ${keys} = `)
  const [, text] =
    new RegExp(String.raw`/\*\*((?:(?!\*/).)*)\*/\n +${key}: `, 's').exec(shape.split('\n}', 1)[0] ?? '') ?? []
  return text && plainComment(text)
}

function plainComment(text: string): string {
  return text
    .replace(/\n \*/g, '\n')
    .replace(/^ *\* /gm, '')
    .replace(/ \(PROTOCOL\.md [^)]*\)/g, '')
    .trim()
}

/** Declares a union of texts. */
export function literals(name: string, doc: string, values: readonly string[]): Declaration {
  return { name, text: () => `${commentText(doc)}export type ${name} = ${values.map(one => `'${one}'`).join(' | ')}` }
}
