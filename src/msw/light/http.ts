import type { Http } from '../handlers.js'

// Loads a part of MSW. The whole of MSW 2 takes longer than we do.

// MSW 3 does not export this name. No constant, because Vite refuses a constant that it cannot resolve.
const load = (name: string): Promise<{ readonly http: Http }> => import(/* @vite-ignore */ name)
const part = await load('msw/core/http').catch(() => undefined)

/** Tells whether it is MSW 3, and not MSW 2. */
export const isThree = part === undefined

/** MSW's functions that create handlers, the same as those that `msw` exports. It also brings the part to tools that trace files. */
export const { http } = part ?? (await import('msw'))
