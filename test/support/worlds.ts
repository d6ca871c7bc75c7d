import { expect, onTestFinished } from 'vitest'
import { UsageError } from '../../src/core/lib/messages.js'
import { runAtOnce } from '../../src/core/lib/steps.js'
import { type Mockmaker, mockOf } from '../../src/core/mock/facade.js'
import { readScenario } from '../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../src/core/scenario/schema.js'
import { defineWorld, snapshotSteps, type WorldOptions } from '../../src/core/scenario/world.js'
import type { Rows, TableName } from '../../src/core/store/rows.js'
import { tableNames } from '../../src/core/store/table-names.js'
import { LiveWorld, type World } from '../../src/core/store/world.js'
import { createState } from '../../src/core/store/world-state.js'
import { startAt } from './tanks.js'

/** Closes a mock after the test. If its clock runs, it would add players in all later tests of the process. */
export function closedAfterTest<M extends { close(): Promise<unknown> }>(mock: M): M {
  onTestFinished(async () => void (await mock.close()))
  return mock
}

/** Two games with three namespaces, with and without names. */
export const twoGames: ScenarioInput = {
  default_namespace: 'karts/beta',
  games: [
    { name_id: 'tanks', game_id: 'T', tokens: { cloud: 'cloud.T' } },
    {
      name_id: 'karts',
      display_name: 'Super Karts',
      game_id: 'K',
      namespaces: [
        { name_id: 'prod', namespace_id: 'KP' },
        { name_id: 'beta', display_name: 'Open Beta', namespace_id: 'KB', tokens: { public: 'p', development: 'd' } },
      ],
    },
  ],
}

/** Returns the rows of a scenario, by table. */
export function rowsOf(
  input: ScenarioInput,
  { now = startAt, ...options }: Partial<WorldOptions> & { readonly now?: number } = {},
) {
  const rows = Object.entries(defineWorld(readScenario(input), options).rows(now))
  // The store checks rows, but this does not.
  return Object.fromEntries(rows.map(([name, taken]) => [name, [...taken]])) as unknown as {
    readonly [Name in TableName]: readonly Rows[Name][]
  }
}

/** Creates the world of a scenario. Its clock is frozen at `startAt`, unless the scenario says otherwise. */
export function worldOf(input: ScenarioInput): LiveWorld {
  const frozen: ScenarioInput = { clock: 'frozen', now: new Date(startAt).toISOString(), ...input }
  return new LiveWorld(createState(defineWorld(readScenario(frozen))))
}

/** Writes the state of a world as a scenario, at once. */
export function snapshotOf(...args: Parameters<typeof snapshotSteps>): ScenarioInput {
  return runAtOnce(snapshotSteps(...args))
}

/** Returns the lines of the `UsageError` that a function throws. */
export function problemLines(run: () => unknown): string[] {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as UsageError).message.split('\n')
  }
  return []
}

/** Casts a world to its internal type. Every world has it. */
export function live(world: World): LiveWorld {
  return world as LiveWorld
}

/** Returns everything that a request can change in a world: rows, revision, clock, random state and waiters. */
export function stateOf(world: World): string {
  const { tables, revision, clock, random, waiting } = live(world)
  return JSON.stringify({
    tables: tableNames.map(name => [name, tables[name].all()]),
    revision,
    now: clock.now(),
    pending: clock.pending,
    random: random.save(),
    waiting: waiting.size,
  })
}

/** Creates a promise that a test can resolve. */
export function deferred<Value = void>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>(keep => {
    resolve = keep
  })
  return { promise, resolve }
}

/** Waits until all promises without timers have settled. */
export function flushPromises(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Tells whether a request waits in the default world of a mock. */
export function isBusy(mock: Mockmaker): boolean {
  return mockOf(mock, 'test').default.isBusy
}

/** Returns the watch index of a device link: the revision of its last change. */
export function watchIndexOf(world: World, token: string): number {
  return live(world).tables.deviceLinks.state.entry(token)?.revision ?? 0
}
