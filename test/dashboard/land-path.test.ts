import { fc } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { landPath } from '../../src/dashboard/map/land-path.js'
import { encodeRing, type GridPoint } from '../support/land.js'

/** Returns the points of a path that has one ring. */
function pointsOf(path: string): GridPoint[] {
  const [x = 0, y = 0, ...steps] = path.match(/-?\d+/g)?.map(Number) ?? []
  const points: [number, number][] = [[x, y]]
  for (let i = 0; i < steps.length; i += 2) {
    const [lastX, lastY] = points.at(-1) ?? [0, 0]
    points.push([lastX + (steps[i] ?? 0), lastY + (steps[i + 1] ?? 0)])
  }
  return points
}

it('the path of the land goes through all points of a ring, in their order', () => {
  const point = fc.tuple(fc.integer({ min: -2_000, max: 4_000 }), fc.integer({ min: 0, max: 1_500 }))
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), ring => {
      const points = pointsOf(landPath(encodeRing(ring)))
      let from = 0
      for (const [x, y] of ring) {
        const at = points.findIndex((one, i) => i >= from && one[0] === x && one[1] === y)
        expect(at).toBeGreaterThanOrEqual(from)
        from = at
      }
      // A part of a long step stays on the line, give or take the half of a unit.
      expect(points[0]).toEqual(ring[0])
      expect(points.at(-1)).toEqual(ring.at(-1))
    }),
  )
})
