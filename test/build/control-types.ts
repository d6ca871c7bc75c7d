import { resolve } from 'node:path'
import {
  API,
  type Checker,
  type Program,
  SignatureKind,
  SymbolFlags,
  type Type,
  TypeFlags,
  type Symbol as TypeSymbol,
} from 'typescript/unstable/sync'
import type { OpenApiSchema } from '../../src/core/contract/openapi.js'

/** The types of the control API, as JSON Schema. */
export interface ControlTypes {
  /** By route, such as `GET /faults`. */
  readonly calls: Readonly<Record<string, CallTypes>>
  /** By the name of the type. */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>
}

export interface CallTypes {
  readonly query: OpenApiSchema | undefined
  readonly body: OpenApiSchema | undefined
  /** `undefined` for a call that answers with a stream. */
  readonly answer: OpenApiSchema | undefined
}

const root = resolve(import.meta.dirname, '../..')

/** Reads the types of the calls of the control API. So a type is written once. */
export function controlTypes(): ControlTypes {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [resolve(root, 'tsconfig.json')] }).getProjects()
    if (!project) throw new Error('tsconfig.json is no project')
    return readTypes(project)
  } finally {
    api.close()
  }
}

function readTypes({ checker, program }: { readonly checker: Checker; readonly program: Program }): ControlTypes {
  const file = program.getSourceFile(resolve(root, 'src/core/control/api.ts'))
  const module = file && checker.getSymbolAtLocation(file)
  const declared = module && checker.getMemberInModuleExports(module, 'ControlApi')
  if (!declared) throw new Error('src/core/control/api.ts exports no ControlApi')
  const schemas = new TypeSchemas(checker)
  const convert = (type: Type | undefined, ...path: readonly string[]): OpenApiSchema | undefined => {
    const [name, ...rest] = path
    if (!type || name === undefined) return type && schemas.convert(type)
    const property = checker.getPropertyOfType(type, name)
    return property && convert(typeOf(checker, property), ...rest)
  }
  const calls = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared)).map(route => {
    const type = typeOf(checker, route)
    const query = convert(type, 'input', 'query')
    return [route.name, { query, body: convert(type, 'input', 'body'), answer: convert(type, 'output') }] as const
  })
  return { calls: sorted(calls), schemas: schemas.named() }
}

function typeOf(checker: Checker, symbol: TypeSymbol): Type {
  const type = checker.getTypeOfSymbol(symbol)
  if (!type || type.isErrorType()) throw new Error(`${symbol.name} has no type`)
  return type
}

/** Converts types to schemas. A type of the project with a name becomes a schema of its own. */
class TypeSchemas {
  readonly #checker: Checker
  readonly #named = new Map<string, { readonly file: string; schema: OpenApiSchema }>()

  constructor(checker: Checker) {
    this.#checker = checker
  }

  named(): Readonly<Record<string, OpenApiSchema>> {
    return sorted([...this.#named].map(([name, { schema }]) => [name, schema]))
  }

  /** Converts a type as it is in JSON. Returns `undefined` for a function. */
  convert(type: Type): OpenApiSchema | undefined {
    const name = nameOf(type)
    if (!name) return this.#structure(type)
    const known = this.#named.get(name.text)
    if (known && known.file !== name.file)
      throw new Error(`${known.file} and ${name.file} both have a type ${name.text}: give one another name`)
    if (!known) {
      const entry: { readonly file: string; schema: OpenApiSchema } = { file: name.file, schema: {} }
      this.#named.set(name.text, entry)
      const schema = this.#structure(type)
      if (!schema) {
        this.#named.delete(name.text)
        return undefined
      }
      const description = this.#commentOf(name.symbol)
      entry.schema = { ...description, ...schema }
    }
    return { $ref: `#/components/schemas/${name.text}` }
  }

  #structure(type: Type): OpenApiSchema | undefined {
    const { flags } = type
    if (flags & TypeFlags.AnyOrUnknown) return {}
    if (flags & TypeFlags.Boolean) return { type: 'boolean' }
    if (flags & TypeFlags.NonPrimitive) return { type: 'object' }
    if (flags & TypeFlags.Null) return { type: 'null' }
    if (type.isLiteralType()) return literal(type.value)
    if (flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) return { type: 'string' }
    if (flags & TypeFlags.Number) return { type: 'number' }
    if (type.isUnionType()) return this.#union(type.getTypes())
    // `string & {}` keeps the names of a union in editors.
    const primitive = type.isIntersectionType() && type.getTypes().find(part => part.flags & TypeFlags.Primitive)
    if (primitive) return this.#structure(primitive)
    if (type.isObjectType() || type.isIntersectionType()) return this.#object(type)
    throw new Error(`no schema for ${this.#checker.typeToString(type)}`)
  }

  #union(types: readonly Type[]): OpenApiSchema {
    const present = types.filter(({ flags }) => !(flags & TypeFlags.Undefined))
    const literals = present.flatMap(type => (type.isLiteralType() ? [type.value] : []))
    const isBoolean = [true, false].every(value => literals.includes(value))
    const others = present.filter(type => !type.isLiteralType()).map(type => this.#known(type))
    const known = [...(isBoolean ? ['boolean'] : []), ...others.map(({ type }) => type)]
    const values = literals.filter(value => !known.includes(typeof value)).sort()
    const all = [
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...(values.length > 1 ? [{ enum: values }] : values.map(literal)),
      ...others.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    ]
    return all.length === 1 && all[0] ? all[0] : { anyOf: all }
  }

  #object(type: Type): OpenApiSchema | undefined {
    const checker = this.#checker
    if (checker.isArrayLikeType(type)) {
      const { valueType } =
        checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags & TypeFlags.Number) ?? {}
      return { type: 'array', items: this.#known(valueType) }
    }
    if (checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return undefined
    const properties = checker.getPropertiesOfType(type)
    const [index] = checker.getIndexInfosOfType(type)
    const fields = properties.map(property => [property, this.#field(property)] as const)
    const required = fields.filter(([property]) => !this.#isOptional(property)).map(([{ name }]) => name)
    return {
      type: 'object',
      ...(fields.length > 0
        ? { properties: Object.fromEntries(fields.map(([{ name }, schema]) => [name, schema])) }
        : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(index ? { additionalProperties: this.#known(index.valueType) } : {}),
    }
  }

  #field(property: TypeSymbol): OpenApiSchema {
    return { ...this.#commentOf(property), ...this.#known(typeOf(this.#checker, property)) }
  }

  #isOptional(property: TypeSymbol): boolean {
    if (property.flags & SymbolFlags.Optional) return true
    const type = typeOf(this.#checker, property)
    return type.isUnionType() && type.getTypes().some(({ flags }) => flags & TypeFlags.Undefined)
  }

  #known(type: Type | undefined): OpenApiSchema {
    const schema = type && this.convert(type)
    if (!schema) throw new Error(`${type ? this.#checker.typeToString(type) : 'a type'} is not in JSON`)
    return schema
  }

  #commentOf(symbol: TypeSymbol): Pick<OpenApiSchema, 'description'> {
    const text = this.#checker
      .getDocumentationCommentOfSymbol(symbol)
      .replaceAll(/\s*\n\s*/g, ' ')
      .trim()
    return text === '' ? {} : { description: text.replaceAll(/ \(PROTOCOL\.md [^)]*\)/g, '') }
  }
}

/** Returns the name of a type of the project, unless it is generic. */
function nameOf(type: Type): { readonly text: string; readonly file: string; readonly symbol: TypeSymbol } | undefined {
  const alias = type.getAliasSymbol()
  const symbol = alias && type.getAliasTypeArguments().length === 0 ? alias : type.getSymbol()
  if (!symbol || !(symbol.flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias))) return undefined
  const file = symbol.declarations[0]?.path ?? ''
  if (!file.includes('/src/') || file.includes('/node_modules/')) return undefined
  return { text: symbol.name, file: file.slice(file.lastIndexOf('/src/') + 1), symbol }
}

function literal(value: string | number | boolean | bigint): OpenApiSchema {
  return { type: typeof value, const: value }
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)))
}
