import * as z from 'zod'

/** A point in time on the wire, as RFC 3339 has it, in UTC. */
export const Timestamp = z
  .string()
  .meta({ format: 'date-time', description: 'A point in time in UTC, as in `2026-11-20T20:00:00.000Z`.' })
