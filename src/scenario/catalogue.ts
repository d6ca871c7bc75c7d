import type { RegionRow } from '../store/rows.js'

const provider_display_name = 'Linode'

function region(region_id: string, place: readonly [name: string, latitude: number, longitude: number]): RegionRow {
  const [region_display_name, latitude, longitude] = place
  return { region_id, provider_display_name, region_display_name, datacenter_coord: { latitude, longitude } }
}

/** The regions that a scenario can name by their id alone (PROTOCOL.md D). */
export const catalogue: readonly RegionRow[] = [
  region('lnd-atl', ['Atlanta', 33.74819, -84.39086]),
  region('lnd-sfo', ['San Francisco', 37.77938, -122.41843]),
  region('lnd-fra', ['Frankfurt', 50.11044, 8.68183]),
  region('lnd-syd', ['Sydney', -33.87271, 151.20569]),
  region('lnd-tok', ['Tokyo', 35.68951, 139.6917]),
  region('lnd-mba', ['Mumbai', 18.9401, 72.83466]),
  region('lnd-tor', ['Toronto', 43.65161, -79.38313]),
  region('lnd-dca', ['Washington, DC', 38.89212, -77.00909]),
  region('lnd-dfw', ['Dallas', 32.77557, -96.7956]),
  region('lnd-ewr', ['New York City', 40.71298, -74.0072]),
  region('lnd-lon', ['London', 51.50335, -0.0794]),
  region('lnd-sgp', ['Singapore', 1.2798, 103.83728]),
]
