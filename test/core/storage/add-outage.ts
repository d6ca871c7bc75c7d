import type { Mockmaker } from '../../../src/index.js'
import type { Step } from '../../../src/testing/arbitraries/step.js'

/** Takes the first region of a world down for some seconds, soon. */
export function addOutage({ world, faults }: Mockmaker): void {
  const [region] = world.regions.all()
  if (region) faults.add({ region: region.region_id, effect: { outage: true }, after: '2s', for: '20s' })
}

/** Runs a step, unless the region of its lobby is down. */
export async function runInOutage(step: Step | undefined): Promise<void> {
  await step?.run().catch(error => {
    if (!String(error).includes('which is down')) throw error
  })
}
