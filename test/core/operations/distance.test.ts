import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distance } from '../../../src/core/operations/regions.js'

const airports = {
  Atlanta: { latitude: 33.6367, longitude: -84.4281 },
  Auckland: { latitude: -37.0081, longitude: 174.792 },
  Dallas: { latitude: 32.8968, longitude: -97.038 },
  Doha: { latitude: 25.273056, longitude: 51.608056 },
  Dubai: { latitude: 25.2528, longitude: 55.3644 },
  Houston: { latitude: 29.9844, longitude: -95.3414 },
  Johannesburg: { latitude: -26.1392, longitude: 28.246 },
  London: { latitude: 51.4706, longitude: -0.4619 },
  'Los Angeles': { latitude: 33.9425, longitude: -118.408 },
  Melbourne: { latitude: -37.6733, longitude: 144.8433 },
  'New York': { latitude: 40.6398, longitude: -73.7789 },
  Newark: { latitude: 40.6925, longitude: -74.1687 },
  Perth: { latitude: -31.9403, longitude: 115.967 },
  'San Francisco': { latitude: 37.619, longitude: -122.375 },
  Singapore: { latitude: 1.3502, longitude: 103.994 },
  Sydney: { latitude: -33.9461, longitude: 151.177 },
} as const

/** Great-circle distances between airports, as published with the longest scheduled flights. */
const published = [
  ['New York', 'Singapore', 15_349],
  ['Newark', 'Singapore', 15_344],
  ['Doha', 'Auckland', 14_535],
  ['Perth', 'London', 14_499],
  ['Melbourne', 'Dallas', 14_472],
  ['Auckland', 'New York', 14_207],
  ['Dubai', 'Auckland', 14_200],
  ['Los Angeles', 'Singapore', 14_114],
  ['Houston', 'Sydney', 13_834],
  ['Sydney', 'Dallas', 13_804],
  ['San Francisco', 'Singapore', 13_593],
  ['Johannesburg', 'Atlanta', 13_581],
  ['Dubai', 'Los Angeles', 13_420],
] as const

const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})

describe('distance', () => {
  it.each(published)('from %s to %s equals the published %d km, within 0.1 %%', (from, to, km) => {
    const { kilometers } = distance(airports[from], airports[to])

    expect(Math.abs(kilometers / km - 1)).toBeLessThan(0.001)
  })

  it('is 0 in both units if the location of the client is unknown', () => {
    expect(distance(undefined, airports.Perth)).toEqual({ kilometers: 0, miles: 0 })
  })

  it('between antipodes is half a meridian', () => {
    const { kilometers } = distance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 })

    expect(kilometers).toBeCloseTo(20_003.931, 2)
  })

  it.each([
    [100, 80, 180],
    [-100, -80, 180],
    [260, -80, 180],
    [280, -80, 0],
    [-350, 10, 0],
    [270, -90, 0],
    [90, 90, 0],
    [450, 90, 0],
    [-270, 90, 0],
  ])('from latitude %d is that from latitude %d, turned by %d°', (beyond, latitude, turn) => {
    const from = (one: number, longitude: number) => distance({ latitude: one, longitude }, airports.Perth).kilometers

    expect(from(beyond, 20)).toBeCloseTo(from(latitude, 20 + turn), 6)
  })

  it('is symmetric, never negative, and at most half a meridian', () => {
    fc.assert(
      fc.property(place, place, (from, to) => {
        const there = distance(from, to)

        expect(there.kilometers).toBeCloseTo(distance(to, from).kilometers, 6)
        expect(there.kilometers).toBeGreaterThanOrEqual(0)
        expect(there.kilometers).toBeLessThan(20_004)
        expect(there.miles).toBeCloseTo(there.kilometers * 0.621371, 9)
      }),
    )
  })
})
