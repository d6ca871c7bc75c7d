import * as z from 'zod'
import { setKey } from './json.js'

/**
 * An object with any keys, whose values have one shape. It keeps a key called `__proto__` as any other key: zod's own
 * record drops that key, and what is left then matches, or says, something else.
 */
export function record<Value extends z.core.$ZodType>(value: Value): z.ZodRecord<z.ZodString, Value> {
  const definition = { type: 'record', keyType: z.string(), valueType: value } as const
  // The class knows no type parameters. The definition has the key and the value of the result.
  return new KeepingRecord(definition) as unknown as z.ZodRecord<z.ZodString, Value>
}

// A class of zod's own making, because `.optional()` and `.describe()` copy a schema by its class.
const KeepingRecord = z.core.$constructor<z.ZodRecord>('KeepingRecord', (schema, def) => {
  const become: (instance: typeof schema, definition: typeof def) => void = z.ZodRecord.init
  become(schema, def)
  const parse = schema._zod.parse
  schema._zod.parse = (payload, context) => {
    const input = payload.value
    const parsed = parse(payload, context)
    if (parsed instanceof Promise || parsed.value === input || !hasPrototypeKey(input)) return parsed
    const inner = def.valueType._zod.run({ value: prototypeKeyOf(input), issues: [] }, context)
    if (inner instanceof Promise) throw new z.core.$ZodAsyncError()
    parsed.issues.push(...z.core.util.prefixIssues(key, inner.issues))
    setKey(parsed.value as object, key, inner.value) // a record is parsed to an object
    return parsed
  }
})

const key = '__proto__'

function hasPrototypeKey(input: unknown): input is object {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key)
}

function prototypeKeyOf(input: object): unknown {
  return Object.getOwnPropertyDescriptor(input, key)?.value
}
