import type { Mockmaker } from '../../../src/index.js'

/** Takes the first region of a world down for some seconds, soon. */
export function addOutage({ world, faults }: Mockmaker): void {
  const [region] = world.regions.all()
  if (region) faults.add({ region: region.region_id, effect: { outage: true }, after: '2s', for: '20s' })
}
