import * as z from 'zod'
import { parseInput } from './lib/issues.js'
import { isJsonObject } from './lib/json.js'
import type { ScenarioInput } from './scenario/schema.js'
import { isOrigin } from './server/origin.js'

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

/** A whole number from `least`. */
function count(least: number) {
  const expected = `expected a whole number from ${least}`
  return z.custom<number>(value => Number.isInteger(value) && Number(value) >= least, expected).optional()
}

const Ms = z
  .custom<number>(value => typeof value === 'number' && value >= 0, 'expected a number of ms from 0')
  .optional()

const Texts = z.array(z.string()).readonly().optional()

const ScenarioObject = z.custom<ScenarioInput>(
  isJsonObject,
  'expected an object, as mockmaker/scenarios has them; names and files are for setupMockmaker of mockmaker/node',
)

/** Whether a path can follow it to make a link. */
function isLinkBase(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^?#]+$/i.test(value) && URL.canParse(value)
}

const Options = z.strictObject({
  scenario: ScenarioObject.optional(),
  seed: z.custom<number>(value => Number.isSafeInteger(value), 'expected an integer').optional(),
  baseUrl: z.string().optional(), // read with the handlers, which know what it may be
  watchTimeoutMs: Ms,
  publicUrl: z.custom<string>(isLinkBase, 'expected a URL such as https://hub.example').optional(),
  corsOrigins: z
    .array(z.string().refine(isOrigin, 'expected an origin such as https://game.example, or null'))
    .readonly()
    .optional(),
  maxWorlds: count(1),
  worldTtlMs: Ms,
  journalSize: count(0),
  journalBytes: count(0),
  totalJournalBytes: count(0),
  eventBytes: count(0),
  totalEventBytes: count(0),
  live: z.boolean().optional(),
}) satisfies z.ZodType<MockOptions>

/** Throws `UsageError` where an option is unknown, or not what it should be. */
export function checkOptions(options: MockOptions): void {
  parseInput(Options, options, 'options')
}

const ListenSchema = z.strictObject({
  port: z
    .custom<number>(
      value => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
      'expected a port from 0 to 65535',
    )
    .optional(),
  host: z.string().optional(),
  allowedHosts: Texts,
  control: z.boolean().optional(),
})

/** Throws `UsageError` where an option of a server is unknown, or not what it should be. */
export function checkListenOptions(options: object): void {
  parseInput(ListenSchema, options, 'options')
}
