import type { Http } from '../handlers.js'

// Loads a part of MSW. The whole of MSW 2 takes longer than we do.

// The majors export the part under different names. No constants, because Vite refuses a constant that it cannot resolve.
const load = (name: string): Promise<{ readonly http: Http } | undefined> =>
  import(/* @vite-ignore */ name).catch(() => undefined)
const two = await load('msw/core/http')

const three = two ? undefined : await load('msw/http')

export const isThree = three !== undefined

/** MSW's functions that create handlers, the same as those that `msw` exports. Tools that trace files follow the last import. */
export const { http } = two ?? three ?? (await import('msw'))
