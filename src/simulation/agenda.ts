import { type Deadline, Deadlines } from '../store/deadlines.js'
import { idOf } from '../store/model.js'
import type { TableName } from '../store/rows.js'
import type { ReadTable } from '../store/table.js'
import { clockTag } from '../store/tag.js'
import type { LiveWorld } from '../store/world.js'
import { byTable, type Due, type DueRow } from './due.js'
import { countBusyTime, shouldYield, yieldToEventLoop } from './event-loop.js'
import { livelyRows } from './lively-rows.js'
import type { Timetable, Timetables } from './timetable.js'

/** What happens, and who is told where that fails. */
interface TimeKeeping {
  readonly timetables: Timetables
  /** Is told of what is a bug: the time goes on all the same. */
  onBug(error: unknown): void
}

/** What a world waits for. */
interface Waiting {
  readonly deadlines: Deadlines<DueRow>
  /** Of rows, by table and id. */
  readonly entries: Map<TableName, Map<string, Deadline<DueRow>>>
  unlisten(): void
}

/** Has what the rows of a world that has just begun say happen in its time: all that is due at one time, in one turn. Ends when the function that comes back is called. */
export function keepTime(world: LiveWorld, keeping: TimeKeeping): () => void {
  const agenda = new Agenda(world, keeping)
  return () => agenda.end()
}

class Agenda {
  readonly #world: LiveWorld
  readonly #timetables: Timetables
  readonly #unsubscribe: () => void
  // Most worlds have nothing to wait for, and there may be many worlds.
  #waiting: Waiting | undefined
  #alarm: Deadline | undefined
  #running: Promise<void> = Promise.resolve()
  #ended = false
  /** What has been taken out to happen; `undefined` where there is nothing, or the clock has been told another time since. */
  #taken: Due | undefined
  readonly #onBug: (error: unknown) => void

  constructor(world: LiveWorld, { timetables, onBug }: TimeKeeping) {
    this.#world = world
    this.#timetables = timetables
    this.#onBug = onBug
    for (const table of this.#tables)
      for (const row of livelyRows(world.begun, { table, timetable: this.#timetable(table) })) this.#expect(table, row)
    this.#arm()
    world.clock.owed = () => this.#owed()
    world.clock.catchUp = () => this.#catchUp()
    this.#unsubscribe = world.subscribe(({ puts, deletes }) => {
      for (const { table, row } of puts) if (timetables[table]) this.#expect(table, row)
      for (const { table, id } of deletes) this.#forget(table, id)
      this.#arm()
    })
  }

  end(): void {
    this.#ended = true
    this.#world.clock.owed = undefined
    this.#world.clock.catchUp = undefined
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

  /** A timetable takes rows of its own table, which TypeScript cannot follow. */
  #timetable(table: TableName): Timetable<object> {
    return this.#timetables[table] as unknown as Timetable<object>
  }

  #expect(table: TableName, row: object, until?: number): void {
    const timetable = this.#timetable(table)
    const id = idOf(table)(row as never) // a row of that table
    const after = until ?? (timetable.isForgetful ? this.#happenedUntil({ table, id }) : this.#world.clock.now())
    const at = timetable.dueAt(row, after)
    // Most are never due.
    if (at === undefined && !this.#waiting) return
    this.#forget(table, id)
    if (at === undefined) return
    const { deadlines, entries } = this.#wait()
    const deadline = deadlines.add({ at, due: { table, id } })
    const ofTable = entries.get(table)
    if (ofTable) ofTable.set(id, deadline)
    else entries.set(table, new Map([[id, deadline]]))
  }

  /** Until when all has happened of a row: what is put while the time is ahead of it has not happened all the same. */
  #happenedUntil({ table, id }: DueRow): number {
    const now = this.#world.clock.now()
    const waiting = this.#waiting?.entries.get(table)?.get(id)
    if (waiting) return Math.min(now, waiting.at - 1)
    const isTaken = this.#taken?.rows.some(row => row.table === table && row.id === id)
    return this.#taken && isTaken ? Math.min(now, this.#taken.at) : now
  }

  #wait(): Waiting {
    this.#waiting ??= {
      deadlines: new Deadlines<DueRow>(),
      entries: new Map(),
      // A reset may put the clock back.
      unlisten: this.#world.listen(new Set([clockTag]), () => this.#expectAnew()),
    }
    return this.#waiting
  }

  #expectAnew(): void {
    this.#taken = undefined
    for (const [table, ids] of this.#waiting?.entries ?? []) {
      for (const id of [...ids.keys()]) {
        const row = this.#rows(table).get(id)
        if (row) this.#expect(table, row, this.#world.clock.now())
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
    const waiting = forgetful.flatMap(table => [...(this.#waiting?.entries.get(table)?.values() ?? [])])
    const times = [...waiting.map(({ at }) => at), ...this.#owedNow(forgetful)]
    return times.sort((one, other) => one - other)[0]
  }

  /** When what has been taken out happens, or, where it has landed and nobody has been told yet, happens next. */
  #owedNow(tables: readonly TableName[]): number[] {
    const { at = 0, hasLanded, rows = [] } = this.#taken ?? {}
    return rows.flatMap(({ table, id }) => {
      const row = tables.includes(table) ? this.#rows(table).get(id) : undefined
      return (row && this.#timetable(table).dueAt(row, hasLanded?.() ? at : at - 1)) ?? []
    })
  }

  /** Sets the alarm to what is due first. */
  #arm(): void {
    const { clock } = this.#world
    const at = this.#waiting?.deadlines.first()?.at
    if (this.#alarm) clock.giveUp(this.#alarm)
    this.#alarm = at === undefined ? undefined : clock.after(at - clock.now(), this.#ring)
  }

  /** Does what is due by now. Fake timers that were advanced synchronously have rung, but a transaction takes a turn. */
  #catchUp(): Promise<void> | undefined {
    const { clock } = this.#world
    // On a frozen clock nothing becomes due but by `advance`, which waits for it.
    if (clock.mode === 'frozen') return undefined
    const at = this.#waiting?.deadlines.first()?.at
    const isHappening = this.#taken !== undefined && !this.#taken.hasLanded?.()
    const isDue = isHappening || (at !== undefined && at <= clock.now())
    return isDue ? this.#ring() : undefined
  }

  /** One after the other: a turn waits for the one before it, and a time that is advanced for what is due. */
  readonly #ring = (): Promise<void> => {
    // Only what is due by now: a fast clock would add to it for ever.
    const end = this.#world.clock.now()
    this.#running = this.#running.then(() => this.#happen(end)).catch(this.#onBug)
    return this.#running
  }

  async #happen(end: number): Promise<void> {
    const { clock } = this.#world
    try {
      for (let due = this.#takeDue(Math.min(end, clock.now())); due; due = this.#takeDue(Math.min(end, clock.now()))) {
        this.#taken = due
        due.rows.sort(byTable(this.#tables))
        await this.#turn(due)
        if (this.#ended) return
        const until = this.#taken === due ? Math.min(due.at, clock.now()) : clock.now()
        this.#taken = undefined
        for (const row of due.rows) this.#expectNext(row, until)
        if (shouldYield()) await yieldToEventLoop()
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
    const rows: DueRow[] = []
    for (let first = deadlines.first(); first?.at === at; first = deadlines.first()) {
      deadlines.remove(first)
      entries?.get(first.due.table)?.delete(first.due.id)
      rows.push(first.due)
    }
    return { at, rows }
  }

  /** A row that has stayed as it was may be due again later. Where its turn has failed, what was due then is not tried again. */
  #expectNext({ table, id }: DueRow, after: number): void {
    const row = this.#rows(table).get(id)
    if (!row || this.#waiting?.entries.get(table)?.has(id)) return
    const next = this.#timetable(table).dueAt(row, after)
    if (next !== undefined && next > after) this.#expect(table, row, after)
  }

  async #turn(due: Due): Promise<void> {
    const { at, rows } = due
    const turn = this.#world.write(async (tables, writes) => {
      // Other worlds may have much to do at the same time.
      if (shouldYield()) await yieldToEventLoop()
      // The clock may have been told another time meanwhile.
      if (this.#taken !== due) return
      const { revision } = this.#world
      due.hasLanded = () => this.#world.revision !== revision
      const { reads } = writes
      const turn = { reads, tables, writes, now: at }
      const stopCounting = countBusyTime()
      for (const { table, id } of rows) {
        const row = (reads[table] as ReadTable<object>).get(id) // whatever is in it
        const timetable = this.#timetable(table)
        // Something may have become of it since.
        const when = row && timetable.dueAt(row, at - 1)
        if (!row || when === undefined || when > at) continue
        const happening = timetable.happen(row, turn)
        if (happening) await happening
      }
      stopCounting()
    })
    await turn.catch(this.#onBug)
  }
}
