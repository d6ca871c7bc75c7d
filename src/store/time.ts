import * as z from 'zod'

/** The furthest from the epoch that a date can be, in ms. */
const furthestMs = 8.64e15

/** A thousand years: what is counted from now on, lifetimes and the spans of faults, is shorter. */
const marginMs = 31_556_952_000_000

/** The latest that a clock shows, so that what is counted from there is a date too. */
export const latestMs = furthestMs - marginMs

/** Milliseconds since the epoch, on the world's clock. */
export const Time = z.int().min(-furthestMs).max(furthestMs)
