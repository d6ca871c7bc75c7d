import * as z from 'zod'

/** The highest unsigned 32-bit integer. */
export const uint32Max = 4_294_967_295

/** An unsigned 32-bit integer: 0 to 4294967295. */
export const Uint32 = z.int().min(0).max(uint32Max).meta({ format: 'uint32' })
