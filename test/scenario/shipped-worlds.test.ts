import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { type ScenarioInput, scenarios } from '../../src/scenario/index.js'
import { startAt } from '../support/tanks.js'
import { closedAfterTest, rowsOf } from '../support/worlds.js'

const seeds = [1, 2, 3]

/** Returns a digest of all rows of a world, and of its snapshot with the clock and the faults. */
function digestOf(scenario: ScenarioInput, seed: number): string {
  const mock = closedAfterTest(createMockmaker({ scenario, seed }))
  const world = [rowsOf(scenario, { seed }), mock.snapshot({ with: ['faults'] })]
  return createHash('sha256').update(JSON.stringify(world)).digest('hex').slice(0, 16)
}

const advice = `the world of a shipped scenario changed. Tests of users rely on these worlds.
If you did not want that, look for the change, in fixtures or in the code that makes rows.
If you did, it belongs in the next major version:
1. Name the scenario in the part Unreleased of CHANGELOG.md, below Changed.
2. Run \`npx vitest run test/scenario/shipped-worlds.test.ts --update\`, and commit the new digests.
`

it('the shipped scenarios make the same worlds in every version, for seeds 1 to 3', () => {
  // A scenario without a time begins now.
  vi.useFakeTimers({ now: startAt })
  const digests = Object.entries(scenarios).map(
    ([name, scenario]) => `${name}: ${seeds.map(seed => digestOf(scenario, seed)).join(' ')}`,
  )

  expect(digests, advice).toMatchInlineSnapshot(`
    [
      "default: 0ff1cb00625cb4e1 9bce98e4b82b5bb9 4ba48392c5fa7265",
      "empty: 91753b728037dff7 9c011553c6606ae5 36492158188500ee",
      "friday-night: 73dc88e9784cea2c f021bc5f005ba4d5 a9d2ab7e6a7bd56d",
      "launch-day: 9bb97989b524fd45 95258e4df0ce57ed c9bc0ef5a88ca721",
      "ghost-town: c078dc38809c8fec 3263da1fe676c4c9 bdc4aa762d0b66e6",
      "party: e63070ae03936efe 28f28e03e1dfea52 8735408973253a03",
      "region-down: 8f6aa13addbde4bf 62acd7a62e6efa76 80e23abb0bca0c8b",
      "server-crash: 9a1000a8ae8f5e23 ac6200880bab1609 434e6fed24ec2417",
      "night-shift: c9fac44643fdef91 0d3ea3252bc940b1 cb1f62d1cc923796",
      "tokens-only: af0938afb24c9e24 abc935a92ae0bbe3 ae78919a5cf536c3",
      "nasty: 1f55d0f9aaf90613 e31fd12f5524056f bbdc29eb4f366a39",
    ]
  `)
})
