/** The ms that the real time of worlds is ahead of `Date`. */
let offsetMs = 0

/** Returns the real time of worlds, in ms since the epoch: that of `Date`, plus the offset. Fake timers may replace `Date`. */
export function realTime(): number {
  return Date.now() + offsetMs
}

/**
 * Sets how far the real time of all worlds of this process is ahead of `Date`, in ms. Replicas measure it at the server that they
 * share: so a world has the same time in each of them. Default: 0.
 */
export function setRealTimeOffset(ms: number): void {
  offsetMs = ms
}
