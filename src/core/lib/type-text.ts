import * as z from 'zod'

/**
 * TypeScript types as text, for schemas that do not know their type at run time: `z.custom<T>()` and `.transform(…)`.
 * `npm run generate` writes them into `src/core/generated`.
 */
export const typeTexts = z.registry<{ readonly type: string }>()
