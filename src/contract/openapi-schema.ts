import * as z from 'zod'
import { withOptionalNulls } from './nulls.js'
import type { OpenApiSchema } from './openapi-document.js'

/** Makes the schemas of one document. Those that have an id are kept as its components, and referred to. */
export interface OpenApiSchemas {
  /** The schema of a parameter, of a sent body, or of an answer, as it is on the wire. A body's optional fields allow null. */
  of(schema: z.ZodType, place: 'parameter' | 'body' | 'answer'): OpenApiSchema
  /** Those with an id that have been met so far, in the order of their ids. */
  components(): Record<string, OpenApiSchema>
}

const ownPlace = '#/$defs/'
const documentPlace = '#/components/schemas/'

/** Schemas for one new document. Throws where two that differ have one id: a bug in the contract. */
export function createOpenApiSchemas(): OpenApiSchemas {
  const met = new Map<string, OpenApiSchema>()
  return {
    of(schema, place) {
      const { $schema, $defs = {}, ...made } = z.toJSONSchema(schema, { io: place === 'answer' ? 'output' : 'input' })
      const onWire = (one: OpenApiSchema) => moved(place === 'body' ? withOptionalNulls(one) : one)
      for (const [id, definition] of Object.entries($defs)) keep(met, { id, definition: onWire(definition) })
      return onWire(made)
    },
    components: () => Object.fromEntries([...met].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

function keep(
  met: Map<string, OpenApiSchema>,
  { id, definition }: { readonly id: string; readonly definition: OpenApiSchema },
): void {
  const known = met.get(id)
  if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`schema ${id} is not the same on its way in and out: give the one that goes out an id of its own`)
  }
  met.set(id, definition)
}

/**
 * A schema with its references pointed at the document's components. What is answered may get further fields
 * some day, and unknown ones that are sent are ignored, so no object is closed.
 */
function moved(schema: OpenApiSchema): OpenApiSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === 'additionalProperties' && value === false) return undefined
    return key === '$ref' && typeof value === 'string' ? value.replace(ownPlace, documentPlace) : value
  })
}
