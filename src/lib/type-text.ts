import * as z from 'zod'

/**
 * The types of schemas whose type nobody can tell when the program runs, such as `z.custom<T>()` and `.transform(…)`, in
 * TypeScript. `npm run generate` writes them into `src/generated`.
 */
export const typeTexts = z.registry<{ readonly type: string }>()
