import { quoted, shortened } from './contract/issue.js'
import { knownChoices } from './contract/nearest.js'
import { UsageError } from './contract/usage-error.js'
import type { ScenarioInput } from './scenario/schema.js'

/** How a mock is made. Everything is optional. */
export interface MockOptions {
  /** A scenario in the fixture format. Default: the shipped `default`. */
  readonly scenario?: ScenarioInput | undefined
  /** Instead of the scenario's. */
  readonly seed?: number | undefined
  /** Whether players come to each namespace that has a game mode, and go, where the scenario says nothing of it. Default: they do not. */
  readonly live?: boolean | undefined
  /** How long a watch blocks where nothing happens, in ms of the world's clock. Default: 40 000. */
  readonly watchTimeoutMs?: number | undefined
  /** Where the links that are handed out point, without a slash at its end. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /** Origins whose pages may use the mock, beyond loopback and the domains of the namespaces; `null` for sandboxed frames. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined
  /** The most worlds, the default one included. Default: 10 000. */
  readonly maxWorlds?: number | undefined
  /** For how long a world that nobody uses is kept, in real ms; the default one always is. Default: 30 minutes. */
  readonly worldTtlMs?: number | undefined
  /** How many exchanges the journal of a world keeps. Default: 1 000. */
  readonly journalSize?: number | undefined
  /** How many bytes of exchanges, and how many of change sets, a world keeps. Default: 64 MiB. */
  readonly journalBytes?: number | undefined
  /** The same of all worlds together: the oldest go first. Default: 256 MiB. */
  readonly totalJournalBytes?: number | undefined
  /** How many bytes of events wait for a reader of `changes` that is slow. Default: 32 MiB. */
  readonly eventBytes?: number | undefined
  /** The same of all readers together: the one with the most loses them first. Default: 128 MiB. */
  readonly totalEventBytes?: number | undefined
}

/** What a mock is made with where nobody says. */
export const optionDefaults = {
  watchTimeoutMs: 40_000,
  maxWorlds: 10_000,
  worldTtlMs: 30 * 60_000,
  journalSize: 1_000,
  journalBytes: 64 * 1024 * 1024,
  totalJournalBytes: 256 * 1024 * 1024,
  eventBytes: 32 * 1024 * 1024,
  totalEventBytes: 128 * 1024 * 1024,
} as const

const known = [
  'scenario',
  'seed',
  'baseUrl',
  'watchTimeoutMs',
  'publicUrl',
  'corsOrigins',
  'maxWorlds',
  'worldTtlMs',
  'journalSize',
  'journalBytes',
  'totalJournalBytes',
  'eventBytes',
  'totalEventBytes',
  'live',
]

/** Throws `UsageError` where an option is unknown, or not what it should be. */
export function checkOptions(options: MockOptions): void {
  const { scenario, seed, live, watchTimeoutMs, worldTtlMs } = options
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${shortened(unknown)} is an unknown option.${knownChoices(unknown, known)}`)
  if (typeof scenario === 'string') {
    throw new UsageError(
      `scenario is ${quoted(scenario)}: expected an object, as mockmaker/scenarios has them; names and files are for setupMockmaker of mockmaker/node`,
    )
  }
  checkTexts('corsOrigins', options.corsOrigins)
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new UsageError(`seed is ${seed}: expected an integer`)
  if (live !== undefined && typeof live !== 'boolean')
    throw new UsageError(`live is ${quoted(live)}: expected true or false`)
  checkMs('watchTimeoutMs', watchTimeoutMs)
  checkMs('worldTtlMs', worldTtlMs)
  checkCount('maxWorlds', { count: options.maxWorlds, least: 1 })
  for (const name of ['journalSize', 'journalBytes', 'totalJournalBytes', 'eventBytes', 'totalEventBytes'] as const)
    checkCount(name, { count: options[name], least: 0 })
}

/** Throws `UsageError` where an option that holds texts holds anything else. */
export function checkTexts(name: string, texts: unknown): void {
  const isTexts = Array.isArray(texts) && texts.every(text => typeof text === 'string')
  if (texts !== undefined && !isTexts) throw new UsageError(`${name} is ${quoted(texts)}: expected an array of texts`)
}

function checkMs(name: string, ms: number | undefined): void {
  if (ms !== undefined && !(ms >= 0)) throw new UsageError(`${name} is ${ms}: expected a number of ms from 0`)
}

function checkCount(
  name: string,
  { count, least }: { readonly count: number | undefined; readonly least: number },
): void {
  if (count !== undefined && !(Number.isInteger(count) && count >= least))
    throw new UsageError(`${name} is ${count}: expected a whole number from ${least}`)
}
