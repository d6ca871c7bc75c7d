import type { AnswerReasons } from '../../contract/journal.js'
import { UsageError } from '../../lib/messages.js'
import type { Steps } from '../../lib/steps.js'
import type { History, StoredExchange } from '../../pipeline/history.js'
import { undoChangeSets, undoTables } from '../../store/change-set.js'
import { outageOf } from '../../store/faults.js'
import type { LiveWorld } from '../../store/world.js'
import { readTables, type WorldState } from '../../store/world-state.js'
import { explainExchange } from './explain-exchange.js'

/** The past of a world: its earlier states, and the reasons of its answers. Work in steps reads the history in its first step. */
export class Past {
  constructor(
    private readonly world: LiveWorld,
    private readonly history: History,
  ) {}

  get oldestRevision(): number {
    return this.history.oldest.revision
  }

  /** Returns the state right after a change set. Default: the present. Throws `UsageError` if the history no longer has it. */
  *stateAt(revision?: number): Steps<WorldState> {
    if (revision === undefined) return this.world.state
    const { at, later } = this.history.changesSince(revision)
    return yield* undoChangeSets(this.world.state, later, { revision, at })
  }

  /** Returns the state right before a request, at its time. Throws `UsageError` if the history does not have it. */
  *stateBefore({ id, revision, revisions: [own] = [], at: answeredAt }: StoredExchange): Steps<WorldState> {
    const history = this.history
    if (revision === undefined)
      throw new UsageError(
        `request ${id} is from a snapshot, which does not have the world before it: leave before out for the present world`,
      )
    const before = history.changesSince(own === undefined ? revision : own - 1)
    const at = own === undefined ? answeredAt : history.changesSince(own).at
    return yield* undoChangeSets(this.world.state, before.later, { revision: before.revision, at })
  }

  /** Says why a request got its answer. It says less if neither the journal nor the history has the world before it. */
  reasonsOf(exchange: StoredExchange): AnswerReasons {
    const { starter } = this.world
    const [reasons] = exchange.reasons ? [exchange.reasons] : this.explain([exchange])
    return reasons ?? explainExchange({ entry: exchange.entry(), before: undefined, starter, changeSets: undefined })
  }

  /** Says why requests got their answers, in the order of their `revision`. `undefined`: the world before is gone. */
  explain(exchanges: readonly StoredExchange[]): (AnswerReasons | undefined)[] {
    // A transaction may still be undone.
    if (this.world.openTransaction) return exchanges.map(() => undefined)
    const { starter } = this.world
    const { revision, faults, tables } = this.world.state
    const { lobbies, gameModes, regions, settings, namespaces, games } = tables
    let past = { revision, tables: { lobbies, gameModes, regions, settings, namespaces, games } }
    const explained: (AnswerReasons | undefined)[] = []
    for (const around of exchanges.map(exchange => this.#around(exchange)).reverse()) {
      if (!around) {
        explained.push(undefined)
        continue
      }
      const { entry, at, before, later, changeSets } = around
      const undone = later.filter(changeSet => changeSet.revision <= past.revision)
      past = { revision: before, tables: undoTables(past.tables, undone) }
      const { records } = later.find(changeSet => changeSet.faults)?.faults?.before ?? faults
      const outageOfRegion = (region_id: string) => outageOf({ records }, region_id, at)?.id
      const world = { tables: readTables(past.tables), faults: records, outageOf: outageOfRegion }
      explained.push(explainExchange({ entry, before: world, starter, changeSets }))
    }
    return explained.reverse()
  }

  #around(exchange: StoredExchange) {
    const { revision: before, revisions = [] } = exchange
    const history = this.history
    if (before === undefined || before < history.oldest.revision) return undefined
    const changeSets = revisions.flatMap(own => history.changeSet(own) ?? [])
    return { entry: exchange.entry(), at: exchange.at, before, later: history.changesSince(before).later, changeSets }
  }
}
