import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { CapsuleOptions } from '../../../src/core/control/world-control.js'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../src/index.js'
import { scenario } from '../../../src/testing/arbitraries/scenario.js'
import { step } from '../../../src/testing/arbitraries/step.js'

/** Exports a mock as a capsule, and opens that. */
function reopened(mock: Mockmaker, options?: CapsuleOptions): Mockmaker {
  const json = runAtOnce(mockOf(mock, 'test').default.capsule(options))
  return createMockmaker({ scenario: JSON.parse(json) as ScenarioInput, live: true })
}

/** Everything that a user can see of a world and of its past. */
function seen(mock: Mockmaker, when?: 'later') {
  const history = mock.history({ limit: 1_000 })
  const revisions = history.change_sets.map(({ revision }) => revision)
  const journal = mock.journal.find()
  const { stories } = mock.stories.list({ limit: 100 })
  const all = {
    revision: mock.world.revision,
    now: mock.clock.now(),
    snapshot: mock.snapshot({ with: ['faults'] }),
    schedule: mock.schedule(),
    faults: mock.faults.list(),
    history,
    pasts: [history.oldest, ...revisions].map(revision => mock.snapshot({ revision })),
    // The history writes reasons to entries some at once, and `why` has them all.
    journal: journal.map(({ reasons: _, ...entry }) => entry),
    why: journal.map(({ id }) => mock.explain({ exchange: id })),
    position: { dropped: mock.journal.dropped(), begins: mock.journal.beginsAt() },
    stories: stories.map(({ token }) => mock.stories.get(token)),
    served: mock.world.lobbies.all().map(({ lobby_id }) => mock.servers.served(lobby_id)),
  }
  // Later answers have taken another time.
  const isTime = (key: string) => when === 'later' && (key === 'ms' || key === 'blocked_ms')
  return JSON.parse(JSON.stringify(all, (key, value) => (isTime(key) ? 0 : value)))
}

describe('a capsule', () => {
  const numRuns = Math.min(inject('runs'), 60)

  it.prop([scenario(), fc.integer({ min: 0, max: 20 }), fc.nat()], { numRuns })(
    'has the world and its past, and goes on as that world does',
    async (input, count, seed) => {
      const mock = createMockmaker({ scenario: input })
      for (const one of fc.sample(step(mock), { seed, numRuns: count })) await one.run()
      await mock.clock.set({ mode: 'frozen' })

      const opened = reopened(mock)
      const [there, here] = [seen(opened), seen(mock)]
      const next = [opened, mock].map(one => fc.sample(step(one), { seed: seed + 1, numRuns: 3 }))
      for (const steps of next) for (const one of steps) await one.run()
      const [thereLater, hereLater] = [seen(opened, 'later'), seen(mock, 'later')]
      await Promise.all([opened.close(), mock.close()])

      expect(there).toEqual(here)
      expect(thereLater).toEqual(hereLater)
    },
  )
})
