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
      "default: c34547e02eba0ad0 ad805e21a94913b6 92c7644b5e51eb45",
      "empty: 2f68bd98b95689b1 62bf5eff30971ae9 6c2741d8c6d9cb2a",
      "friday-night: b5e79e3e078d904c 5e5066e6358de46e 6642d1a841299223",
      "launch-day: 837a77eeb5de3627 bb3de6c2662fe4f4 e8c04dd5f2719361",
      "ghost-town: fc3b85589e287fde 5d3224b8ac082e68 d05f53fe1667b92f",
      "party: 23472282271f10c3 54ab74d09050f433 e4491ce4f29b24e5",
      "region-down: 28ce24d9af5d459c 092290570aa080c4 0449467b0ee23a33",
      "server-crash: a9d8d543aee21680 c32e039bb8655cdd 8b48dbdd92949849",
      "night-shift: 7df07c189d59277c 5a251c0a7fe64bf2 3fb8a665a61c7aba",
      "tokens-only: 58e4cf4277c69f8a 6d5ca872c5f9ba8f eee2513f04d7deca",
      "nasty: dc3dc0e348b8f534 697e84cfc1809f0f 1176158e38566b09",
    ]
  `)
})
