import type { RegionRow } from './rows.js'

type Place = readonly [uuid: string, name: string, latitude: number, longitude: number]

function region(region_id: string, [region_uuid, region_display_name, latitude, longitude]: Place): RegionRow {
  // In the order of the row's schema, so that a snapshot knows the region again.
  return {
    region_id,
    provider_display_name: 'Linode',
    region_display_name,
    datacenter_coord: { latitude, longitude },
    region_uuid,
  }
}

/** The regions that a scenario can name by their ids alone (PROTOCOL.md D). */
export const catalogue: readonly RegionRow[] = [
  region('lnd-atl', ['54c60ee9-ae31-4a3f-b5ff-06aa5639310f', 'Atlanta', 33.74819, -84.39086]),
  region('lnd-sfo', ['19f1b737-0ff1-4676-a834-1af8c4e9890f', 'San Francisco', 37.77938, -122.41843]),
  region('lnd-fra', ['37aeb24a-12f6-45ea-ba7e-d2589588d7db', 'Frankfurt', 50.11044, 8.68183]),
  region('lnd-syd', ['6041893e-7a35-4ab7-a31d-9fd4d6f9dee2', 'Sydney', -33.87271, 151.20569]),
  region('lnd-tok', ['1f34955f-c0a5-472f-b1c6-1912698141eb', 'Tokyo', 35.68951, 139.6917]),
  region('lnd-mba', ['a699aff0-9d2d-4cad-bef4-b929a78d430e', 'Mumbai', 18.9401, 72.83466]),
  region('lnd-tor', ['33eaba37-0f06-4dc0-959a-2267481e63df', 'Toronto', 43.65161, -79.38313]),
  region('lnd-dca', ['732757b5-51dd-464f-a673-6ae40502c832', 'Washington, DC', 38.89212, -77.00909]),
  region('lnd-dfw', ['06e30e05-cd47-4cc7-adeb-8cb4a1a189b7', 'Dallas', 32.77557, -96.7956]),
  region('lnd-ewr', ['ed6dac28-c16d-4c03-8daa-98adfbae4758', 'New York City', 40.71298, -74.0072]),
  region('lnd-lon', ['161e738d-f7ed-4d43-af64-7731e39835ef', 'London', 51.50335, -0.0794]),
  region('lnd-sgp', ['4baddf3d-3a70-4139-aed7-21e06a74b9f4', 'Singapore', 1.2798, 103.83728]),
]
