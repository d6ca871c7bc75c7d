/** A segment of a path as it was meant; as it was sent where its percent-encoding is broken. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
