import { type Deadline, Deadlines } from '../store/deadlines.js'
import { idOf } from '../store/model.js'
import type { TableName } from '../store/rows.js'
import { tablesOf } from '../store/standing.js'
import type { ReadTable } from '../store/table.js'
import { clockTag } from '../store/tag.js'
import type { LiveWorld } from '../store/world.js'
import { Breather } from './breather.js'
import type { Timetable, Timetables } from './timetable.js'

/** What happens, and who is told where that fails. */
interface TimeKeeping {
  readonly timetables: Timetables
  /** Is told of what is a bug: the time goes on all the same. */
  onBug(error: unknown): void
}

/** What a world waits for. */
interface Waiting {
  readonly deadlines: Deadlines<Place>
  readonly breather: Breather
  /** Of rows, by table and id. */
  readonly entries: Map<TableName, Map<string, Deadline<Place>>>
  unlisten(): void
}

/** Where a row is that something is due to happen to. */
interface Place {
  readonly table: TableName
  readonly id: string
}

/** Where all that is due at one time is. */
interface Due {
  readonly at: number
  readonly places: Place[]
}

/** Has what the rows of a world that has just begun say happen in its time: all that is due at one time, in one turn. Ends when the function that comes back is called. */
export function keepTime(world: LiveWorld, keeping: TimeKeeping): () => void {
  const agenda = new Agenda(world, keeping)
  return () => agenda.end()
}

/** Records that worlds begin with and that never change, and those of them to which anything may happen. */
const lively = new WeakMap<object, readonly object[]>()

class Agenda {
  readonly #world: LiveWorld
  readonly #timetables: Timetables
  readonly #unsubscribe: () => void
  // Most worlds have nothing to wait for, and there may be many worlds.
  #waiting: Waiting | undefined
  #alarm: Deadline | undefined
  #running: Promise<void> = Promise.resolve()
  #ended = false
  /** The time of the turn that lands, while one does: what it has put is due from then on, and not from now on. */
  #landing = Number.POSITIVE_INFINITY
  /** What has been taken out and has not happened yet. */
  #taken: Due | undefined
  readonly #onBug: (error: unknown) => void

  constructor(world: LiveWorld, { timetables, onBug }: TimeKeeping) {
    this.#world = world
    this.#timetables = timetables
    this.#onBug = onBug
    for (const table of this.#tables) for (const row of this.#begun(table)) this.#expect(table, row)
    this.#arm()
    world.clock.owed = () => this.#owed()
    this.#unsubscribe = world.subscribe(({ puts, deletes }) => {
      for (const { table, row } of puts) if (timetables[table]) this.#expect(table, row)
      for (const { table, id } of deletes) this.#forget(table, id)
      this.#arm()
    })
  }

  end(): void {
    this.#ended = true
    this.#world.clock.owed = undefined
    this.#unsubscribe()
    this.#waiting?.unlisten()
    this.#waiting = undefined
    this.#arm()
  }

  get #tables(): readonly TableName[] {
    // The type of `timetables` has no other keys.
    return Object.keys(this.#timetables) as TableName[]
  }

  #rows(table: TableName): ReadTable<object> {
    return this.#world.view.tables[table] as ReadTable<object> // whatever is in it
  }

  /** Those with which the world began to which anything may happen. Worlds that share their records find them once. */
  #begun(table: TableName): readonly object[] {
    const { begun } = this.#world
    const known = lively.get(begun.records[table])
    if (known) return known
    const rows = tablesOf(begun)[table] as ReadTable<object> // whatever is in it
    const some = rows.all().filter(row => this.#timetable(table).dueAt(row, Number.NEGATIVE_INFINITY) !== undefined)
    lively.set(begun.records[table], some)
    return some
  }

  /** A timetable takes rows of its own table, which TypeScript cannot follow. */
  #timetable(table: TableName): Timetable<object> {
    return this.#timetables[table] as unknown as Timetable<object>
  }

  #expect(table: TableName, row: object, after = Math.min(this.#landing, this.#world.clock.now())): void {
    const at = this.#timetable(table).dueAt(row, after)
    // Most are never due.
    if (at === undefined && !this.#waiting) return
    const id = idOf(table)(row as never) // a row of that table
    this.#forget(table, id)
    if (at === undefined) return
    const { deadlines, entries } = this.#wait()
    const deadline = deadlines.add({ at, due: { table, id } })
    const ofTable = entries.get(table)
    if (ofTable) ofTable.set(id, deadline)
    else entries.set(table, new Map([[id, deadline]]))
  }

  #wait(): Waiting {
    this.#waiting ??= {
      deadlines: new Deadlines<Place>(),
      breather: new Breather(),
      entries: new Map(),
      // A reset may put the clock back.
      unlisten: this.#world.listen(new Set([clockTag]), () => this.#expectAnew()),
    }
    return this.#waiting
  }

  #expectAnew(): void {
    for (const [table, ids] of this.#waiting?.entries ?? []) {
      for (const id of [...ids.keys()]) {
        const row = this.#rows(table).get(id)
        if (row) this.#expect(table, row)
      }
    }
    this.#arm()
  }

  #forget(table: TableName, id: string): void {
    const ofTable = this.#waiting?.entries.get(table)
    const deadline = ofTable?.get(id)
    if (!deadline) return
    this.#waiting?.deadlines.remove(deadline)
    ofTable?.delete(id)
  }

  /** The first time of which something has not happened that no row tells of. */
  #owed(): number | undefined {
    const forgetful = this.#tables.filter(table => this.#timetable(table).isForgetful)
    if (this.#taken?.places.some(({ table }) => forgetful.includes(table))) return this.#taken.at
    const waiting = forgetful.flatMap(table => [...(this.#waiting?.entries.get(table)?.values() ?? [])])
    return waiting.map(({ at }) => at).sort((one, other) => one - other)[0]
  }

  /** Sets the alarm to what is due first. */
  #arm(): void {
    const { clock } = this.#world
    const at = this.#waiting?.deadlines.first()?.at
    if (this.#alarm) clock.giveUp(this.#alarm)
    this.#alarm = at === undefined ? undefined : clock.after(at - clock.now(), this.#ring)
  }

  /** One after the other: a turn waits for the one before it, and a time that is advanced for what is due. */
  readonly #ring = (): Promise<void> => {
    this.#running = this.#running.then(() => this.#happen()).catch(this.#onBug)
    return this.#running
  }

  async #happen(): Promise<void> {
    const { clock } = this.#world
    try {
      for (let due = this.#takeDue(clock.now()); due; due = this.#takeDue(clock.now())) {
        const { at, places } = due
        this.#taken = due
        await this.#turn(places.sort(byPlace(this.#tables)), at)
        if (this.#ended) return
        this.#taken = undefined
        for (const place of places) this.#expectNext(place, Math.min(at, clock.now()))
        await this.#waiting?.breather.breathe()
      }
    } finally {
      this.#arm()
    }
  }

  /** Takes out all that is due first, if its time has come. */
  #takeDue(now: number): Due | undefined {
    const { deadlines, entries } = this.#waiting ?? {}
    const at = deadlines?.first()?.at
    if (deadlines === undefined || at === undefined || at > now) return undefined
    const places: Place[] = []
    for (let first = deadlines.first(); first?.at === at; first = deadlines.first()) {
      deadlines.remove(first)
      entries?.get(first.due.table)?.delete(first.due.id)
      places.push(first.due)
    }
    return { at, places }
  }

  /** A row that has stayed as it was may be due again later. Where its turn has failed, what was due then is not tried again. */
  #expectNext({ table, id }: Place, after: number): void {
    const row = this.#rows(table).get(id)
    if (!row || this.#waiting?.entries.get(table)?.has(id)) return
    const next = this.#timetable(table).dueAt(row, after)
    if (next !== undefined && next > after) this.#expect(table, row, after)
  }

  async #turn(due: readonly Place[], at: number): Promise<void> {
    const turn = this.#world.write(async (tables, writes) => {
      // A reset may have put the clock back meanwhile.
      if (at > this.#world.clock.now()) return
      this.#landing = at
      const { reads } = writes
      const turn = { reads, tables, writes, now: at }
      for (const { table, id } of due) {
        const row = (reads[table] as ReadTable<object>).get(id) // whatever is in it
        const timetable = this.#timetable(table)
        // Something may have become of it since.
        const when = row && timetable.dueAt(row, at - 1)
        if (!row || when === undefined || when > at) continue
        const happening = timetable.happen(row, turn)
        if (happening) await happening
      }
    })
    await turn.catch(this.#onBug)
    this.#landing = Number.POSITIVE_INFINITY
  }
}

/** In the order of the tables, and there by id: it must not depend on how the rows came to be. */
function byPlace(tables: readonly TableName[]): (one: Place, other: Place) => number {
  return (one, other) => {
    if (one.table !== other.table) return tables.indexOf(one.table) - tables.indexOf(other.table)
    return one.id < other.id ? -1 : 1
  }
}
