import { fc, it } from '@fast-check/vitest'
import { afterEach, describe, expect, inject, vi } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { type ChangeSet, undoChangeSets } from '../../../src/core/store/change-set.js'
import { appendFault, countMatch } from '../../../src/core/store/faults.js'
import { LiveWorld } from '../../../src/core/store/world.js'
import { createState, type WorldState } from '../../../src/core/store/world-state.js'
import { smallDefinition, smallRows, smallWorld } from '../../support/small-world.js'
import { startAt } from '../../support/tanks.js'
import { snapshotOf } from '../../support/worlds.js'
import { type RandomTransaction, randomTransaction, succeeds } from './random-transactions.js'

type Event =
  | { readonly does: 'transact'; readonly transaction: RandomTransaction }
  | { readonly does: 'reset' | 'reset all but the clock' | 'load' | 'draw' | 'add a fault' | 'count' | 'go faster' }
  | { readonly does: 'reload'; readonly name: string }
  | { readonly does: 'advance' | 'wait'; readonly ms: number }

const others = ['reset', 'reset all but the clock', 'load', 'draw', 'add a fault', 'count', 'go faster'] as const
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: randomTransaction.map((transaction): Event => ({ does: 'transact', transaction })) },
  { weight: 4, arbitrary: fc.constantFrom(...others).map((does): Event => ({ does })) },
  { weight: 1, arbitrary: fc.constantFrom('A', 'B').map((name): Event => ({ does: 'reload', name })) },
  { weight: 1, arbitrary: fc.nat(3000).map((ms): Event => ({ does: 'advance', ms })) },
  { weight: 2, arbitrary: fc.nat(3000).map((ms): Event => ({ does: 'wait', ms })) },
)

const fault = { effect: { reset: true }, after: 2 } as const

/** Another scenario, with other rows and faults at another time. */
const loaded = {
  ...smallDefinition({ rows: { ...smallRows(), lobbies: [] }, now: startAt + 5_000 }),
  title: 'Loaded',
  description: 'Another scenario.',
  seed: 99,
  faults: [{ ...fault, matched: 1 }],
}

async function applyEvent(event: Event, world: LiveWorld): Promise<void> {
  if (event.does === 'transact') succeeds(event.transaction, world)
  if (event.does === 'reset') world.reset()
  if (event.does === 'reset all but the clock') world.reset({ keep: ['clock', 'faults'] })
  if (event.does === 'load') world.replaceState(createState(loaded), { cause: { kind: 'load' } })
  if (event.does === 'draw') world.write(() => world.random.uint32())
  if (event.does === 'add a fault')
    world.write(() => {
      world.faults = appendFault(world.faults, fault, world.clock.now())
    })
  if (event.does === 'count')
    world.write(() => {
      const records = world.faults.records.map(record => countMatch(record, world.clock.now()))
      world.faults = { ...world.faults, records, random: [1, 2, 3, world.faults.lastId] }
    })
  if (event.does === 'go faster') await world.clock.set({ rate: world.clock.rate + 1 })
  if (event.does === 'reload') {
    const rows = smallRows()
    const games = rows.games.map(row => (row.game_id === 'tanks' ? { ...row, display_name: event.name } : row))
    const clock = world.clock.mode
    world.reload(smallDefinition({ clock, rows: { ...rows, games: event.name === 'A' ? games : games.reverse() } }))
  }
  if (event.does === 'wait') vi.advanceTimersByTime(event.ms)
  if (event.does === 'advance') await world.clock.advance(event.ms)
}

/** Everything in a state: the snapshot, and the order of its rows. */
function textOf(state: WorldState): string {
  const orders = Object.values(state.tables).map(table => table.entries().map(({ id, seq }) => [id, seq]))
  for (const table of Object.values(state.tables))
    for (const { seq } of table.entries()) expect(table.nextSeq).toBeGreaterThan(seq)
  return JSON.stringify([snapshotOf(state, { hasFaults: true }), orders])
}

describe('the change sets of a world', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.prop([fc.constantFrom('frozen', 'running'), fc.array(event, { minLength: 1, maxLength: 15 })], {
    numRuns: inject('runs'),
  })('lead from its last state back to each earlier one', async (clock, events) => {
    vi.useFakeTimers({ now: startAt, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const changeSets: ChangeSet[] = []
    const states: WorldState[] = []
    const record = (changeSet: ChangeSet) => {
      changeSets.push(changeSet)
      states.push(world.state)
    }
    const world: LiveWorld = new LiveWorld(smallWorld({ clock }).state, record)
    states.push(world.state)
    const start = world.clock.now()

    for (const one of events) await applyEvent(one, world)

    const texts = states.map(textOf)
    const first = states[0] as WorldState
    const last = world.state
    const lastText = textOf(last)
    for (let i = 0; i <= changeSets.length; i++) {
      const { revision, at } = changeSets[i - 1] ?? { revision: first.revision, at: start }
      expect(textOf(runAtOnce(undoChangeSets(last, changeSets.slice(i), { revision, at })))).toBe(texts[i])
    }
    expect(textOf(last)).toBe(lastText)
  })
})
