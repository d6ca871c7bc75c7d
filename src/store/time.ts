import * as z from 'zod'
import { Duration, durationMs, formatDuration, formatInstant, Instant } from '../lib/time.js'

/** The furthest from the epoch that a date can be, in ms. */
const furthestMs = 8.64e15

/** A thousand years: what is counted from now on, lifetimes and the spans of faults, is shorter. */
const marginMs = 31_556_952_000_000

/** The latest that a clock shows, so that what is counted from there is a date too. */
export const latestMs = furthestMs - marginMs

/** A point in time on the world's clock. Files have it as text, rows in ms since the epoch. */
export const Time = z.codec(Instant, z.int().min(-furthestMs).max(furthestMs), {
  decode: text => Date.parse(text),
  encode: formatInstant,
})

/** A length of time. Files have it as text, the program in ms. */
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
  /** A stopped lobby, or a player who has left, stays known for this long. */
  gone: hourMs,
} as const

/** The pace of a game server that the mock plays, in ms (PROTOCOL.md C). */
export const playedMs = { connects: 2 * secondMs, leaves: 30 * minuteMs } as const
