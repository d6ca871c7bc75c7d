import type { FaultEntry } from './contract/faults.js'
import type { JournalEntry } from './contract/journal.js'
import { ResetOptions, type WorldControl } from './control/world-control.js'
import { parseInput } from './lib/issues.js'
import { UsageError } from './lib/usage-error.js'
import type { ScenarioInput } from './scenario/schema.js'
import type { WorldFaults } from './server/faults.js'
import type { Journal } from './server/journal.js'
import type { Resolvers } from './server/resolvers.js'
import type { Tally } from './store/merge.js'
import type { RandomState } from './store/random.js'
import type { Beginning, Standing } from './store/standing.js'
import type { LiveWorld } from './store/world.js'

/** How a world begins, and what is around it. */
export interface MockBeginning {
  readonly standing: Standing
  /** Its made-up trouble; where its chance stands, if not at the beginning of what the seed gives. Default: none. */
  readonly faults?: readonly FaultEntry[] | undefined
  readonly faultChance?: RandomState | undefined
  /** What it has been asked before: it begins with that once, and a reset forgets it. Default: nothing. */
  readonly journal?: readonly JournalEntry[] | undefined
}

/** How a world would have begun with another scenario of its own, and what would have been around it. */
export interface RebasedBeginning extends Pick<MockBeginning, 'faults'> {
  readonly beginning: Beginning
}

/** How a mock reloads its scenario. */
export interface ReloadOptions {
  /** Changes nothing, and only resolves with what would change. Default: false. */
  readonly dryRun?: boolean | undefined
}

/** What begins. */
interface Beginner {
  readonly world: LiveWorld
  readonly faults: WorldFaults
  readonly resolvers: Resolvers
  readonly journal: Journal
  readonly beginning: MockBeginning
  /** How the world begins with a scenario. Throws `UsageError`. */
  beginningOf(scenario: string | ScenarioInput): MockBeginning
}

/** The ways in which a mock begins anew. What is around its world changes with the turn of the world. */
export interface Beginnings extends Pick<WorldControl, 'reset' | 'load' | 'restore'> {
  become(beginning: MockBeginning): Promise<void>
  /** Has begun otherwise: what that changes is changed, what has happened since stays. Rejects with `UsageError`. */
  rebase(beginning: RebasedBeginning, options?: ReloadOptions): Promise<Tally>
}

/** Begins, and can begin anew. */
export function begun({ world, faults, resolvers, journal, beginning, beginningOf }: Beginner): Beginnings {
  if (beginning.faults) faults.begin(beginning.faults, beginning.faultChance)
  if (beginning.journal) journal.load(beginning.journal)
  // Before the turn, so that nothing of what they have held happens in the new world; and not where there is none.
  const letGo = () => {
    world.queue.checkOutside()
    faults.letGo()
  }
  const become = async (next: MockBeginning) => {
    letGo()
    return world.become(next.standing, {
      landed() {
        resolvers.clear()
        // Of the seed that the world has now.
        faults.begin(next.faults ?? [], next.faultChance)
        journal.load(next.journal ?? [])
      },
    })
  }
  return {
    become,
    load: async scenario => become(beginningOf(scenario)),
    async restore(snapshot) {
      if (typeof snapshot?.revision !== 'number') throw noSnapshot()
      const next = beginningOf(snapshot)
      letGo()
      await world.become(next.standing, {
        landed() {
          // What the snapshot does not speak of stays.
          if (next.faults) faults.begin(next.faults, next.faultChance)
          else faults.stay()
          if (next.journal) journal.load(next.journal)
        },
      })
    },
    async reset(options = {}) {
      const { keep = [] } = parseInput(ResetOptions, options, 'reset')
      letGo()
      await world.reset({
        keep: keep.filter(part => part === 'clock'),
        landed() {
          resolvers.clear()
          if (!keep.includes('faults')) faults.reset()
          if (!keep.includes('journal')) journal.load([])
        },
      })
    },
    async rebase({ beginning, faults: laterFaults = [] }, { dryRun } = {}) {
      const lost = faults.lostTo(laterFaults)
      const tally = await world.rebase(beginning, {
        dryRun,
        landed() {
          faults.rebase(laterFaults)
        },
      })
      return { ...tally, deleted: tally.deleted + lost }
    },
  }
}

function noSnapshot(): UsageError {
  return new UsageError(
    'revision is missing: this is no snapshot. To change over to a scenario, load it (PUT /__mock/scenario)',
  )
}
