import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  type Box,
  frameOf,
  type Point,
  placeLabels,
  pushApart,
  radiusOf,
  toFrame,
} from '../../src/dashboard/map/map-layout.js'
import { project } from '../../src/dashboard/map/projection.js'

const place = fc.record({
  latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 50)),
  longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.99, 0)),
})

const region = fc.record({
  place,
  players: fc.oneof(fc.nat(20), fc.nat(5_000)),
  label: fc.record({ width: fc.integer({ min: 20, max: 180 }), height: fc.constantFrom(15, 30) }),
  isImportant: fc.boolean(),
})

const worlds = fc.record({
  regions: fc.oneof(
    { weight: 4, arbitrary: fc.array(region, { minLength: 1, maxLength: 14 }) },
    { weight: 1, arbitrary: fc.array(region, { minLength: 1, maxLength: 200, size: 'max' }) },
  ),
  width: fc.integer({ min: 200, max: 1_600 }),
  height: fc.integer({ min: 160, max: 1_600 }),
})

type World = typeof worlds extends fc.Arbitrary<infer One> ? One : never

/** The whole way from coordinates to circles and labels. */
function layOut({ regions, ...size }: World) {
  const points = regions.map(one => project(one.place))
  const frame = frameOf(points, size)
  const radius = radiusOf(
    regions.map(({ players }) => players),
    size,
  )
  const obstacles = [{ left: 0, right: 60, top: size.height - 28, bottom: size.height }]
  const placed = regions.map(({ players, label, isImportant }, i) => ({
    center: toFrame(points[i] ?? { x: 0, y: 0 }, frame),
    radius: radius(players),
    label,
    isImportant,
  }))
  const circles = pushApart(placed, size)
  const places = placeLabels(circles, { ...size, obstacles })
  return { frame, obstacles, circles: circles.map((circle, i) => ({ ...circle, ...places[i] })) }
}

const emptyBox: Box = { left: 0, right: 0, top: 0, bottom: 0 }

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

const distanceToBox = ({ left, right, top, bottom }: Box, { x, y }: Point) =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))

/** Holds a rule for all worlds. */
const forAllWorlds = (rule: (world: World) => void) => fc.assert(fc.property(worlds, rule))

describe('the map', () => {
  it('pushes two circles apart, and none far from its place', () => {
    forAllWorlds(world => {
      const { circles } = layOut(world)
      for (const { center, place } of circles) {
        expect(Math.abs(center.x - place.x)).toBeLessThan(60.001)
        expect(Math.abs(center.y - place.y)).toBeLessThan(60.001)
      }
      const [one, other] = layOut({ ...world, regions: world.regions.slice(0, 2) }).circles
      if (one && other)
        expect(Math.hypot(one.center.x - other.center.x, one.center.y - other.center.y)).toBeGreaterThan(
          one.radius + other.radius,
        )
    })
  })

  it('cuts no circle', () => {
    forAllWorlds(world => {
      for (const { center, radius } of layOut(world).circles) {
        expect(center.x).toBeGreaterThanOrEqual(radius)
        expect(center.y).toBeGreaterThanOrEqual(radius)
        expect(center.x).toBeLessThanOrEqual(world.width - radius)
        expect(center.y).toBeLessThanOrEqual(world.height - radius)
      }
    })
  })

  it('cuts no label, and covers none with another label, a circle or the legend', () => {
    forAllWorlds(world => {
      const { circles, obstacles } = layOut(world)
      const shown = circles.filter(one => one.isShown && !one.isImportant)
      for (const one of shown) {
        const { box = emptyBox } = one
        expect(box.left).toBeGreaterThanOrEqual(0)
        expect(box.top).toBeGreaterThanOrEqual(0)
        expect(box.right).toBeLessThanOrEqual(world.width)
        expect(box.bottom).toBeLessThanOrEqual(world.height)
        expect(obstacles.filter(other => overlap(box, other))).toEqual([])
        expect(shown.filter(other => other !== one && overlap(box, other.box ?? emptyBox))).toEqual([])
        expect(circles.filter(other => other !== one && distanceToBox(box, other.center) < other.radius)).toEqual([])
      }
    })
  })

  it('shows the label of each important region', () => {
    forAllWorlds(world => {
      for (const { isShown, isImportant } of layOut(world).circles) expect(isShown || !isImportant).toBe(true)
    })
  })

  it('frames the same part of the world for any order of the regions', () => {
    forAllWorlds(({ regions, ...size }) => {
      const points = regions.map(one => project(one.place))
      expect(frameOf(points.toReversed(), size)).toEqual(frameOf(points, size))
    })
  })

  it('frames two places on both sides of 180° with the sea between them, and not the whole world', () => {
    const places = [
      { latitude: -36.8, longitude: 174.8 },
      { latitude: 21.3, longitude: -157.9 },
    ]
    const frame = frameOf(places.map(project), { width: 800, height: 600 })
    const [auckland, honolulu] = places.map(place => toFrame(project(place), frame))

    expect(auckland?.x).toBeLessThan(honolulu?.x ?? 0)
    expect(frame.scale).toBeGreaterThan(2)
  })

  it('gives the first of two labels the place that both want, and hides what has no room', () => {
    const size = { width: 300, height: 200, obstacles: [] }
    const circle = (x: number) => ({
      center: { x, y: 100 },
      radius: 8,
      label: { width: 60, height: 15 },
      isImportant: false,
    })

    const row = placeLabels([circle(150), circle(120), circle(180)], size)
    expect(row.map(({ side }) => side)).toEqual(['below', 'left', 'right'])
    const crowd = placeLabels(
      Array.from({ length: 5 }, () => circle(150)),
      size,
    )
    expect(crowd.map(({ side, isShown }) => isShown && side)).toEqual(['right', 'left', 'below', 'above', false])
  })
})
