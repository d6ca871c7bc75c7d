import * as z from 'zod'
import { lazy } from './lazy.js'

// Schemas of objects that are made on their first call: most processes need few of them.

/** An object with these keys, and no others. */
export function lazyObject<Shape extends z.ZodRawShape>(shape: () => Shape) {
  return lazy(() => z.strictObject(shape()))
}

/** An object of the contract, which may have more keys. The OpenAPI document has it under its id. */
export function component<Shape extends z.ZodRawShape>(id: string, description: string, shape: () => Shape) {
  return lazy(() => z.object(shape()).meta({ id, description }))
}

/** TypeScript types as text, for schemas that do not know theirs at run time. `npm run generate` writes them. */
export const typeTexts = z.registry<{ readonly type: string }>()
