// The outline of the land is a third of the page as an SVG path. One character for each step makes it shorter.

/** The character of the number 0. */
export const zeroCode = 83

/** The most that a character tells, in both directions. */
export const mostStep = 42

/** Numbers of two characters count in this base. */
export const stepBase = 2 * mostStep + 1

/** The map lies around this x, so that two characters reach both of its ends. */
export const middleX = 1_000

/** Writes the land as an SVG path. Each ring begins with two characters for x and for y, and goes on with one for each part of a step. */
export function landPath(rings: string): string {
  return rings
    .split(' ')
    .map(ring => {
      const [xs = 0, x = 0, ys = 0, y = 0, ...steps] = Array.from(ring, one => one.charCodeAt(0) - zeroCode)
      return `M${xs * stepBase + x + middleX} ${ys * stepBase + y}l${steps.join(' ')}z`
    })
    .join('')
}
