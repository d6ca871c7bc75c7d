import { real } from '../lib/real-globals.js'

/** The ms that the real time of worlds is ahead of `Date`. */
let offsetMs = 0

/** Returns the real time of worlds, in ms since the epoch: that of the global `Date`, which a test may fake, plus the offset. */
export function realTime(): number {
  return visibleTime() + offsetMs
}

/** Returns the time of the global `Date`. If it has none, because a test has replaced it by something else: that of the system. */
function visibleTime(): number {
  try {
    const now = globalThis.Date.now()
    if (Number.isFinite(now)) return now
  } catch {}
  return real.date()
}

/** Sets how far the real time of all worlds is ahead of `Date`, in ms. Replicas measure it at the server that they share. */
export function setRealTimeOffset(ms: number): void {
  offsetMs = ms
}
