import * as z from 'zod'
import { sameJson } from './same-json.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Where an update makes a row one of another kind, takes what it has left of the former kind out of the draft: a lobby that
 * has become ready has no time any more by which it has to. Of a row that is of no kinds nothing.
 */
export function shedFormerKind(
  draft: object,
  { row, schema }: { readonly row: object; readonly schema: z.ZodType },
): void {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return
  const { discriminator, options } = schema.def
  const [was, is] = [row as Fields, draft as Fields]
  if (was[discriminator] === is[discriminator]) return
  // The rows of a model are plain objects.
  const shapes = (options as readonly z.ZodObject[]).map(option => option.shape)
  const shape = shapes.find(({ [discriminator]: kind }) => kind?.safeParse(is[discriminator]).success)
  if (!shape) return
  for (const field of Object.keys(is))
    if (!Object.hasOwn(shape, field) && sameJson(is[field], was[field])) Reflect.deleteProperty(draft, field)
}
