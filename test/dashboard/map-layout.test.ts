import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  type Box,
  chooseFrame,
  frameOf,
  labelBox,
  type Point,
  pinBox,
  placeCircles,
  placeLabels,
  placeName,
  radiusOf,
  slotRadius,
  toFrame,
} from '../../src/dashboard/map-layout.js'
import { project } from '../../src/dashboard/projection.js'

interface Place {
  readonly latitude: number
  readonly longitude: number
}

interface World {
  readonly regions: readonly (Place & { readonly players: number; readonly lines: readonly number[] })[]
  readonly you: Place | undefined
  readonly width: number
  readonly height: number
}

const top = 36

/** The whole way from coordinates to circles and labels. */
function layOut({ regions, you, width, height }: World) {
  const slot = slotRadius(regions.length, { width, height })
  const size = { width, height, slot, top }
  const obstaclesOf = (pin: Point | undefined) => (pin ? [pinBox(pin)] : [])
  const frame = chooseFrame(
    regions.map((region, i) => ({ id: `region-${i}`, point: project(region), labelWidth: region.lines[0] ?? 0 })),
    { ...size, you: you && project(you), obstaclesOf },
  )
  const pin = you && toFrame(project(you), frame)
  const obstacles = obstaclesOf(pin)
  const items = regions.map((region, i) => ({ id: `region-${i}`, place: toFrame(project(region), frame) }))
  const circles = placeCircles(items, { ...size, obstacles })
  const playersOf = (ids: readonly string[]) =>
    ids.reduce((sum, id) => sum + (regions[Number(id.slice(7))]?.players ?? 0), 0)
  const textsOf = (ids: readonly string[]) => {
    const lines = regions[Number(ids[0]?.slice(7))]?.lines ?? []
    return lines.length === 1 ? [lines] : [lines, lines.slice(0, 1)]
  }
  const centers = circles.map(({ center }) => center)
  const name = pin && placeName(pin, 24, { ...size, obstacles, centers })
  const labels = circles.map(({ ids, center }) => ({ center, texts: textsOf(ids), players: playersOf(ids) }))
  const places = placeLabels(labels, { ...size, obstacles: name ? [...obstacles, name] : obstacles })
  const busiest = Math.max(...labels.map(({ players }) => players))
  const radii = labels.map(({ players }) => radiusOf(players, { busiest, slot }))
  const boxes = labels.flatMap((label, i) => {
    const place = places[i]
    const lines = label.texts[place?.text ?? 0] ?? []
    return place ? [{ owner: i, box: labelBox({ ...label, lines }, place.side, radii[i] ?? 0) }] : []
  })
  return { frame, slot, pin, name, items, circles, centers, radii, places, boxes }
}

const anywhere = fc.record({
  latitude: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 50)),
  longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 179.99, 0)),
})

/** Places all over the world, in one town, or all at one point. */
const spreads: fc.Arbitrary<(place: Place) => Place> = fc
  .record({ middle: anywhere, size: fc.constantFrom(1, 1, 0.1, 0.01, 0) })
  .map(({ middle, size }) => place => ({
    latitude: Math.max(-90, Math.min(90, middle.latitude + (place.latitude - middle.latitude) * size)),
    longitude: ((middle.longitude + (place.longitude - middle.longitude) * size + 540) % 360) - 180,
  }))

const worlds: fc.Arbitrary<World> = fc
  .record({
    spread: spreads,
    places: fc.oneof(
      { weight: 4, arbitrary: fc.array(anywhere, { minLength: 1, maxLength: 14 }) },
      { weight: 1, arbitrary: fc.array(anywhere, { minLength: 1, maxLength: 200, size: 'max' }) },
    ),
    facts: fc.infiniteStream(
      fc.record({
        players: fc.oneof(fc.nat(20), fc.nat(5_000)),
        lines: fc.array(fc.integer({ min: 20, max: 220 }), { minLength: 1, maxLength: 2 }),
      }),
    ),
    you: fc.oneof(fc.constant('nowhere'), fc.constant('on a region'), anywhere),
    width: fc.integer({ min: 200, max: 1_600 }),
    height: fc.integer({ min: 160, max: 1_600 }),
  })
  .map(({ spread, places, facts, you, width, height }) => {
    const regions = places.map(place => ({ ...spread(place), ...(facts.next().value ?? { players: 0, lines: [40] }) }))
    const chosen = you === 'nowhere' ? undefined : you === 'on a region' ? regions[0] : spread(you as Place)
    return { regions, width, height, you: chosen && { latitude: chosen.latitude, longitude: chosen.longitude } }
  })

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

const distance = (one: Point, other: Point) => Math.hypot(one.x - other.x, one.y - other.y)

const distanceToBox = ({ left, right, top, bottom }: Box, { x, y }: Point) =>
  Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom))

/** Holds a rule for all worlds. */
const forAllWorlds = (rule: (world: World) => void) => fc.assert(fc.property(worlds, rule), { numRuns: 12 })

describe('the map', { tags: ['slow'] }, () => {
  it('cuts no circle, label or pin', () => {
    forAllWorlds(world => {
      const { circles, radii, boxes, pin, name } = layOut(world)
      const parts: Box[] = [
        ...boxes.map(({ box }) => box),
        ...circles.map(({ center: { x, y } }, i) => {
          const radius = radii[i] ?? 0
          return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
        }),
        ...(pin ? [pinBox(pin)] : []),
        ...(name ? [name] : []),
      ]
      for (const { left, right, top, bottom } of parts) {
        expect(left).toBeGreaterThanOrEqual(0)
        expect(top).toBeGreaterThanOrEqual(0)
        expect(right).toBeLessThanOrEqual(world.width)
        expect(bottom).toBeLessThanOrEqual(world.height)
      }
    })
  })

  it('covers no label with another label, a circle or the pin', () => {
    forAllWorlds(world => {
      const { circles, radii, boxes, pin, name } = layOut(world)
      for (const [i, { box, owner }] of boxes.entries()) {
        expect(boxes.slice(i + 1).filter(other => overlap(box, other.box))).toEqual([])
        expect(circles.filter(({ center }, j) => j !== owner && distanceToBox(box, center) < (radii[j] ?? 0))).toEqual(
          [],
        )
        if (pin) expect(overlap(box, pinBox(pin))).toBe(false)
        if (name) expect(overlap(box, name)).toBe(false)
      }
      if (name) expect(circles.filter(({ center }, j) => distanceToBox(name, center) < (radii[j] ?? 0))).toEqual([])
    })
  })

  it('covers no circle with another circle or the pin', () => {
    forAllWorlds(world => {
      const { circles, centers, radii, pin } = layOut(world)
      for (const [i, { center }] of circles.entries()) {
        for (let j = i + 1; j < circles.length; j++)
          expect(distance(center, centers[j] ?? center)).toBeGreaterThan((radii[i] ?? 0) + (radii[j] ?? 0))
        if (pin) expect(distanceToBox(pinBox(pin), center)).toBeGreaterThan(radii[i] ?? 0)
      }
    })
  })

  it('shows each region once, with its circle near its place', () => {
    forAllWorlds(world => {
      const { circles, items } = layOut(world)
      expect(circles.flatMap(({ ids }) => ids).sort()).toEqual(items.map(({ id }) => id).sort())
      for (const { ids, place, center } of circles)
        if (ids.length === 1) expect(distance(place, center)).toBeLessThanOrEqual(60.001)
    })
  })

  it('stays the same for the same world, in any order of the regions', () => {
    forAllWorlds(world => {
      expect(layOut(world)).toEqual(layOut(structuredClone(world)))
      const { frame, slot, items } = layOut(world)
      const options = { width: world.width, height: world.height, slot, top, obstacles: [] }
      expect(placeCircles(items.toReversed(), options)).toEqual(placeCircles(items, options))
      expect(frameOf(world.regions.map(project).toReversed(), options)).toEqual(
        frameOf(world.regions.map(project), options),
      )
      expect(frame.scale).toBeGreaterThan(0)
    })
  })

  it('moves no circle when players come and go', () => {
    fc.assert(
      fc.property(worlds, fc.infiniteStream(fc.nat(5_000)), (world, numbers) => {
        const regions = world.regions.map(region => ({ ...region, players: numbers.next().value ?? 0 }))
        expect(layOut({ ...world, regions }).circles).toEqual(layOut(world).circles)
      }),
      { numRuns: 12 },
    )
  })

  it('frames two places on both sides of 180° with the sea between them, and not the whole world', () => {
    const places = [
      { latitude: -36.8, longitude: 174.8 },
      { latitude: 21.3, longitude: -157.9 },
    ]
    const frame = frameOf(places.map(project), { width: 800, height: 600, slot: 17, top })
    const [auckland, honolulu] = places.map(place => toFrame(project(place), frame))

    expect(auckland?.x).toBeLessThan(honolulu?.x ?? 0)
    expect(frame.scale).toBeGreaterThan(2)
  })

  it('makes one circle of regions at one place', () => {
    const regions = Array.from({ length: 5 }, () => ({ latitude: 50, longitude: 8, players: 1, lines: [60] }))
    const { circles } = layOut({
      regions: [...regions, { latitude: 1, longitude: 104, players: 1, lines: [60] }],
      you: undefined,
      width: 300,
      height: 160,
    })

    expect(circles.map(({ ids }) => ids.length)).toEqual(expect.arrayContaining([1]))
  })
})
