const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long things last, in ms (PROTOCOL.md B1, C). */
export const lifetimeMs = {
  token: 365 * dayMs,
  deviceLink: hourMs,
  /** Until its server has called ready. */
  starting: 5 * minuteMs,
  lobby: 8 * hourMs,
  /** Of a player, from the call that gave it a seat. */
  player: 8 * hourMs,
  /** Until its player has connected. */
  seat: 2 * minuteMs,
  /** For how long it is known of a lobby that has stopped, or of a player who has left, that there was one. */
  gone: hourMs,
} as const

/** How long a game server takes that the mock plays, in ms (PROTOCOL.md C). */
export const playedMs = { connects: 2 * secondMs, leaves: 30 * minuteMs } as const
