// Loads a part of MSW. The whole of MSW 2 takes longer than we do.

// The majors export the part under different names. Bundlers accept a name that they cannot resolve if its failure is caught.
const two = await import('msw/core/http').catch(() => undefined)
const three = two ? undefined : await import('msw/http').catch(() => undefined)

/** Tells whether it is MSW 3, and not MSW 2. */
export const isThree = two === undefined

/** MSW's functions that create handlers, the same as those that `msw` exports. */
export const { http } = (two ?? three) as NonNullable<typeof two> // `msw/node` has been found, so one of them exists
