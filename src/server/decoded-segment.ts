/** A segment of a path as it was meant; as it was sent where its percent-encoding is broken. */
export function decodedSegment(segment: string): string {
  // Most have nothing to decode, and each request has some.
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
