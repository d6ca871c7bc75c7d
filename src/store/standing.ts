import type { ClockGoing, ClockStanding } from './clock.js'
import type { ClockMode } from './clock-setting.js'
import { lazyTables, mapTables } from './map-tables.js'
import { models } from './model.js'
import { Random, type RandomState } from './random.js'
import type { AllRecords } from './records.js'
import type { TableName } from './rows.js'
import { type SeedRows, seededRecords } from './seed.js'
import { type ReadTables, readTable } from './table.js'
import { Tracking } from './tracker.js'

/** How a world begins. */
export interface Beginning {
  readonly title: string
  readonly seed: number
  readonly clock: ClockMode
  /** How fast the clock goes. Default: 1. */
  readonly rate?: number | undefined
  /** Where the clock starts, in ms since the epoch; the real time where absent. */
  readonly now?: number | undefined
  /** A revision that the world's own shall be above. */
  readonly revision?: number | undefined
  /** Where the world's chance stands. Default: at the beginning of what the seed gives. */
  readonly chance?: RandomState | undefined
  /** The rows of a world that begins at that time. */
  rows(now: number): SeedRows
}

/** Where a world stands, or where one begins. Nothing in it ever changes, so that worlds may share it. */
export interface Standing {
  readonly title: string
  readonly seed: number
  /** Without `now` the clock of a world begins at the real time. */
  readonly clock: ClockGoing
  /** The time that its rows were made for when it began, in ms since the epoch. */
  readonly at: number
  readonly chance: RandomState
  readonly revision: number
  /** Nobody reads them: worlds fork them. */
  readonly records: AllRecords
  /** Makes the same standing for another time, in ms since the epoch. Absent where the scenario names the time. */
  readonly beginAt?: ((at: number) => Standing) | undefined
}

/** Of records that nobody reads, because they are there to be forked. */
export const unread = new Tracking()

/** The tables whose rows may say when the world began, or where its links lead. */
const ownRows: readonly TableName[] = [
  'settings',
  'games',
  'namespaces',
  'players',
  'simulations',
  'deviceLinks',
  'tokens',
]

/**
 * Where the world of a beginning stands. Without a time of its own it begins at the real time. It shares the
 * regions, game modes and lobbies of an earlier standing of the same scenario and seed. Throws `UsageError` where a row
 * does not fit its schema.
 */
export function begin(beginning: Beginning, earlier?: Standing, at = beginning.now ?? Date.now()): Standing {
  const { title, seed, clock: mode, rate = 1, now, chance = new Random(seed, 'world').save() } = beginning
  const revision = Math.max(1, at, (beginning.revision ?? 0) + 1)
  const seeding = { rows: beginning.rows(at), tracking: unread, revision }
  const records = mapTables<AllRecords>(table =>
    earlier && !ownRows.includes(table) ? earlier.records[table] : seededRecords(table, seeding),
  )
  const clock = { mode, rate, ...(now === undefined ? {} : { now }) }
  const standing = { title, seed, clock, at, chance, revision, records }
  return now === undefined ? { ...standing, beginAt: later => begin(beginning, standing, later) } : standing
}

/** Where the clock of a standing starts. A frozen clock shows the time for which the rows were made. */
export function startOf({ clock, at }: Pick<Standing, 'clock' | 'at'>): ClockStanding {
  const { mode, rate, now = mode === 'frozen' ? at : Date.now() } = clock
  return { mode, rate, now }
}

/** The reads of a world that stands there. */
export function tablesOf({ records }: Standing): ReadTables {
  return lazyTables(name => readTable<object>(records[name], models[name]))
}

/** The same place for a world whose links lead elsewhere. */
export function withPublicUrl(standing: Standing, publicUrl: (before: string) => string): Standing {
  const { records, revision } = standing
  const rows = tablesOf(standing).settings.all()
  const moved = rows.map(row => ({ ...row, public_url: publicUrl(row.public_url) }))
  const settings = seededRecords('settings', { rows: { settings: moved }, tracking: unread, revision })
  // Records of a table are of its rows.
  return { ...standing, records: { ...records, settings: settings as AllRecords['settings'] } }
}
