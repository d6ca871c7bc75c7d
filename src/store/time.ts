import * as z from 'zod'
import { Duration, durationMs, formatDuration, formatInstant, Instant } from '../lib/time.js'

/** The largest distance of a date from the epoch, in ms. */
const furthestMs = 8.64e15

/** A thousand years: longer than any lifetime, and than any duration of a fault. */
const marginMs = 31_556_952_000_000

/** The latest time of a clock, so that a time counted from there is still a date. */
export const latestMs = furthestMs - marginMs

/** A time of the world's clock: text in files, ms since the epoch in rows. */
export const Time = z.codec(Instant, z.int().min(-furthestMs).max(furthestMs), {
  decode: text => Date.parse(text),
  encode: formatInstant,
})

/** A duration: text in files, ms in memory. */
export const Span = z.codec(Duration, z.number(), { decode: durationMs, encode: formatDuration })

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Lifetimes in ms (PROTOCOL.md B1, C). */
export const lifetimeMs = {
  token: 365 * dayMs,
  deviceLink: hourMs,
  /** A lobby stops if its server does not call ready before. */
  starting: 5 * minuteMs,
  lobby: 8 * hourMs,
  /** Counts from the call that gave the player its seat. */
  player: 8 * hourMs,
  /** A reserved seat is freed if its player does not connect before. */
  seat: 2 * minuteMs,
  /** The store deletes a stopped lobby, or a player without a seat, after this time. */
  retention: hourMs,
} as const

/** When a player connects and leaves if the mock plays the game server, in ms (PROTOCOL.md C). */
export const mockServerMs = { connects: 2 * secondMs, leaves: 30 * minuteMs } as const
