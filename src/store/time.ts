import * as z from 'zod'

/** The furthest from the epoch that a date can be, in ms. */
export const furthestMs = 8.64e15

/** Milliseconds since the epoch, on the world's clock. */
export const Time = z.int().min(-furthestMs).max(furthestMs)
