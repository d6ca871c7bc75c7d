import type { Http } from '../handlers.js'

// Loads a part of MSW. The whole of MSW 2 takes longer than we do.

const load = (name: string): Promise<{ readonly http: Http }> => import(/* @vite-ignore */ name)

// The majors export the part under different names.
const two = await load('msw/core/http').catch(() => undefined)

/** Tells whether it is MSW 3, and not MSW 2. */
export const isThree = two === undefined

/** MSW's functions that create handlers, the same as those that `msw` exports. */
export const { http } = two ?? (await load('msw/http'))
