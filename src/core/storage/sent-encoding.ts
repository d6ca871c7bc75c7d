import * as z from 'zod'
import { Fault } from '../contract/faults.js'
import { JournalEntry } from '../contract/journal.js'
import { issueTexts } from '../lib/issues.js'
import { lazy } from '../lib/lazy.js'
import { latestMs } from '../lib/time.js'
import { Mode, Rate } from '../store/clock.js'
import { models } from '../store/models.js'
import type { TableName } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import { mapTables } from '../store/world-state.js'

// Schemas of the encoding. A storage reads what it has written itself, but somebody else may have sent a capsule.

/** Revisions are times, too. */
const Count = z.int().min(0).max(latestMs)
const Time = z.number().min(-latestMs).max(latestMs)
/** The creation number of a row. */
const Seq = Time
const RandomState = z.tuple([z.int32(), z.int32(), z.int32(), z.int32()])
const Clock = z.object({ mode: Mode, rate: Rate, now: Time })
const OwnClock = Clock.extend({ isReal: z.boolean() })

const FaultRecord = lazy(() =>
  z.object({
    ...{ id: z.string(), fault: Fault(), matched: Count, struck: Count, addedAt: Time },
    ...{ beganAt: Time.optional(), lastAt: Time.optional(), isFromScenario: z.boolean() },
  }),
)

const SentState = lazy(() =>
  z.object({
    revision: Count,
    clock: OwnClock,
    random: RandomState,
    faults: z.object({ records: z.array(FaultRecord()), lastId: Count, random: RandomState.optional() }),
    tables: z.object(
      mapTables<Record<TableName, z.ZodType>>(name => {
        const row = models[name].schema
        const entry = z.union([z.tuple([Seq, Count, row]), z.tuple([Seq, Count, row, Count])])
        const stamps = z.array(z.tuple([z.string(), Count]))
        return z.object({ entries: z.array(entry), nextSeq: Count, revision: Count, firstRevision: Count, stamps })
      }),
    ),
  }),
)

/** From this number of rows on, it is faster to compile the schemas. */
const fewRows = 200
let rows = 0

/** A union would try the schemas of all tables. */
const Change = z
  .tuple([z.enum(tableNames), z.union([z.string(), Seq]), z.unknown().optional(), Count.optional()])
  .superRefine(([table, seq, row], { issues }) => {
    if (typeof seq === 'string') return
    rows += 1
    const { error } = models[table].schema.safeParse(row, { jitless: rows < fewRows })
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [2, ...issue.path], input: row } as never)
  })

const SentChangeSet = lazy(() =>
  z.object({
    at: Time,
    cause: z.looseObject({ kind: z.string() }),
    rows: z.array(Change),
    random: RandomState.optional(),
    clock: z.object({ before: Clock, after: OwnClock }).optional(),
    faults: z
      .object({
        ids: z.array(z.string()),
        changed: z.array(FaultRecord()),
        lastId: Count,
        random: RandomState.optional(),
      })
      .optional(),
  }),
)

const schemas = { state: SentState, change: SentChangeSet, exchange: JournalEntry }

/** Checks a decoded text of a past. Throws if it does not fit its schema. */
export function checkSent(kind: keyof typeof schemas, sent: unknown): void {
  const { error } = schemas[kind]().safeParse(sent, { jitless: true })
  if (error) throw new Error(`${kind}: ${issueTexts(error, sent)[0]}`)
}
