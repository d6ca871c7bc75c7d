import * as z from 'zod'

/**
 * An object that takes the keys of its shape and no other. What its issue says of an unknown key is the list of the
 * known ones, parted by spaces: who words issues makes a sentence of it for each key.
 */
export function exact<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(' ')
  return z.strictObject(shape, { error: issue => (issue.code === 'unrecognized_keys' ? known : undefined) })
}

/** For the JSON Schema of a text: editors suggest these values, and any other text is right too. */
export function suggesting(values: readonly string[]) {
  return { anyOf: [{ enum: [...values] }, { type: 'string' }] }
}
