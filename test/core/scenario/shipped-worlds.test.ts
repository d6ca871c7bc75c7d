import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { type ScenarioInput, scenarios } from '../../../src/core/scenario/index.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { defineWorld } from '../../../src/core/scenario/world.js'
import { createState } from '../../../src/core/store/world-state.js'
import { createMockmaker } from '../../../src/index.js'
import { startAt } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'

const seeds = [1, 2, 3]

/** Returns a digest of all rows of a world, and of its snapshot with the clock and the faults. */
function digestOf(scenario: ScenarioInput, seed: number): string {
  const mock = closedAfterTest(createMockmaker({ scenario, seed }))
  const { tables } = createState(defineWorld(readScenario(scenario), { seed }), undefined, startAt)
  const rows = Object.entries(tables).map(([name, table]) => [name, table.all()])
  const world = [rows, mock.snapshot({ with: ['faults'] })]
  return createHash('sha256').update(JSON.stringify(world)).digest('hex').slice(0, 16)
}

const advice = `the world of a shipped scenario changed. Tests of users rely on these worlds.
If you did not want that, look for the change, in fixtures or in the code that makes rows.
If you did, it belongs in the next major version:
1. Name the scenario in the part Unreleased of CHANGELOG.md, below Changed.
2. Run \`npx vitest run test/core/scenario/shipped-worlds.test.ts --update\`, and commit the new digests.
`

it('the shipped scenarios make the same worlds in every version, for seeds 1 to 3', () => {
  // A scenario without a time begins now.
  vi.useFakeTimers({ now: startAt })
  const digests = Object.entries(scenarios).map(
    ([name, scenario]) => `${name}: ${seeds.map(seed => digestOf(scenario, seed)).join(' ')}`,
  )

  expect(digests, advice).toMatchInlineSnapshot(`
    [
      "default: 29a78e4ecb1c6411 04b02e93467c22b9 99f6c8875eb29b2d",
      "empty: cfdd968257f961c5 21de66666e4af4d4 47e2f356cec0a6a7",
      "friday-night: 4ec453e3e027407a a55e0e6c1d4556ed c6380e7f52ced4ca",
      "launch-day: 470bf5e5babc234a 8cebf92c317c61f7 23e85708b240c1b6",
      "ghost-town: 4ad916411f4b3fb4 d633cbfb9282ff6c 10c641062168a9d8",
      "party: ab7ac19d294ac9ab 6f60f67af76c3dd4 c0b0a826cdf737a9",
      "region-down: d1edbc0feb9a8990 4fb657db16df4a27 c1ac746c5f707f75",
      "server-crash: 94c54e47554ec5f6 b7fdc99f9857b3cb 3d468ba8d8b43836",
      "night-shift: 3cb2086969b69dae bb0a2ce9b48fba75 7f779b4e7f735e36",
      "tokens-only: 22daab1c9d0afabf fffa67f9cfc317e0 3b769bb51886506c",
      "nasty: 60e1178042c78533 a9fb2be8fa67d727 36b444b0a2e61d55",
    ]
  `)
})
