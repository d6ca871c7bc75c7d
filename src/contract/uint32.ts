import * as z from 'zod'

/** An unsigned 32-bit integer: 0 to 4294967295. */
export const Uint32 = z.int().min(0).max(4_294_967_295).meta({ format: 'uint32' })
