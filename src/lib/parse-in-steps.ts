import type * as z from 'zod'
import { type Issue, type Path, valueAt } from './issues.js'
import { isJsonObject } from './json.js'
import { itemsPerStep, type Steps } from './steps.js'

type Schema = z.core.$ZodType
type ArraySchema = z.core.$ZodArray

/** A list inside a value, which is parsed by itself. */
interface LongList {
  readonly schema: ArraySchema
  readonly items: readonly unknown[]
  /** The path of the list in the value. */
  readonly path: Path
}

/** The output of a schema. `undefined` if there are issues. */
interface Parsed<Output> {
  readonly data: Output | undefined
  /** In any order. */
  readonly issues: readonly Issue[]
}

/**
 * Parses a value as `safeParse` of its schema does, but the items of long lists in steps. These are the lists in objects and
 * lists without checks of their own. The input must be a JSON value.
 */
export function parseInSteps<S extends z.ZodType>(
  schema: S,
  input: unknown,
  params: z.core.ParseContext<Issue>,
): Steps<Parsed<z.output<S>>> {
  return runInSteps(schema, input, (part, value) => part.safeParse(value, params)) as Steps<Parsed<z.output<S>>>
}

/** Encodes a value as `encode` of its schema does, in the steps of `parseInSteps`. */
export function* encodeInSteps<S extends z.ZodType>(schema: S, output: z.output<S>): Steps<z.input<S>> {
  const { data, issues } = yield* runInSteps(schema, output, (part, value) => part.safeEncode(value))
  if (issues.length === 0) return data as z.input<S>
  throw new Error(
    `cannot encode a value: ${issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', ')}`,
  )
}

function* runInSteps(
  schema: Schema,
  input: unknown,
  run: (part: z.ZodType, value: unknown) => z.ZodSafeParseResult<unknown>,
): Steps<Parsed<unknown>> {
  const issues: Issue[] = []
  const lists: (LongList & { readonly output: unknown })[] = []
  const parse = (part: Schema, value: unknown, place: (path: Path) => Path) => {
    const long: LongList[] = []
    const short = withoutLongLists(part, value, [], long)
    const { data, error } = run(part as z.ZodType, short) // the schemas of this project are classic ones
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [...place(issue.path)] })
    for (const list of long) lists.push({ ...list, path: place(list.path), output: valueAt(data, list.path) })
    return data
  }
  const data = parse(schema, input, path => path)
  // A part of a list may add lists.
  for (const list of lists)
    for (let start = 0; start < list.items.length; start += itemsPerStep) {
      yield
      const items = list.items.slice(start, start + itemsPerStep)
      const place = ([i, ...rest]: Path) => [...list.path, start + Number(i), ...rest]
      const parsed = parse(list.schema, items, place)
      if (Array.isArray(list.output) && Array.isArray(parsed)) list.output.push(...parsed)
    }
  return { data: issues.length === 0 ? data : undefined, issues }
}

/** Replaces each long list in a value by an empty one, and adds it to `long`. Copies only what it changes. */
function withoutLongLists(schema: Schema, value: unknown, path: Path, long: LongList[]): unknown {
  const part = partsOf(schema)
  if (!part) return value
  if ('item' in part) {
    if (!Array.isArray(value)) return value
    if (value.length > itemsPerStep) {
      long.push({ schema: part.list, items: value, path })
      return []
    }
    if (!partsOf(part.item)) return value
    const items = value.map((item, i) => withoutLongLists(part.item, item, [...path, i], long))
    return items.every((item, i) => item === value[i]) ? value : items
  }
  if (!isJsonObject(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const [key, inner] of part.keys) {
    const before = Object.hasOwn(value, key) ? value[key] : undefined
    const after = withoutLongLists(inner, before, [...path, key], long)
    if (after === before) continue
    copy ??= { ...value }
    copy[key] = after
  }
  return copy ?? value
}

/** The inner schemas that may have long lists: the keys of an object, or the items of a list. */
type Parts =
  | { readonly keys: readonly (readonly [string, Schema])[] }
  | { readonly list: ArraySchema; readonly item: Schema }

const known = new WeakMap<Schema, { readonly parts: Parts | undefined }>()

function partsOf(schema: Schema): Parts | undefined {
  const { parts } = known.get(schema) ?? { parts: findParts(schema) }
  known.set(schema, { parts })
  return parts
}

/** Returns `undefined` for a schema without lists, or whose checks need the whole value. */
function findParts(schema: Schema): Parts | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod // the union of all schemas; `instanceof` takes 1 µs each
  if (def.checks && def.checks.length > 0) return undefined
  if (def.type === 'optional') return partsOf(def.innerType)
  if (def.type === 'array') return { list: schema as ArraySchema, item: def.element } // of that type
  if (def.type !== 'object') return undefined
  const keys = Object.entries(def.shape).filter(([, inner]) => partsOf(inner))
  return keys.length === 0 ? undefined : { keys }
}
