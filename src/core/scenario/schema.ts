import * as z from 'zod'
import { FaultEntry, mostFaults } from '../contract/faults.js'
import { Int32 } from '../contract/formats.js'
import { JournalEntry } from '../contract/journal.js'
import type * as types from '../generated/scenario.js'
import { keepAllDigits } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { Time } from '../lib/time-schemas.js'
import { type ClockMode, Mode, Rate } from '../store/clock.js'
import { ServersInput } from '../store/inputs.js'
import { SettingsRow, settingsDefaults } from '../store/rows.js'
import { BearerTokenEntry, DeviceLinkEntry, GameEntry, namespaceKeys } from './entries.js'
import { entryKeys } from './entry-keys.js'
import { RegionEntry } from './matchmaker-entries.js'

const ClockEntry = z.union([
  z.strictObject({
    mode: Mode.optional().meta({
      description: 'running, or frozen: the time stands still. Default: running.',
      default: 'running',
    }),
    rate: Rate.optional().meta({
      description: 'The speed of a running clock: 60 is a minute a second. Default: 1.',
      default: 1,
      examples: [60],
    }),
  }),
  Mode,
])
type ClockEntry = z.output<typeof ClockEntry>

/** Completes the entry of a clock. */
export function clockOf(entry: ClockEntry = {}): { readonly clock: ClockMode; readonly rate: number } {
  const { mode = 'running', rate = 1 } = typeof entry === 'string' ? { mode: entry } : entry
  return { clock: mode, rate }
}

/** Returns the entry of a clock. It is only the mode if the clock runs at the rate of real time. */
export function clockEntry({ mode, rate }: { readonly mode: ClockMode; readonly rate: number }): ClockEntry {
  return rate === 1 ? mode : { mode, rate }
}

/** The `default_namespace` of a scenario without one. It is no full name: those have a slash. */
export const noNamespace = 'none'

/** The highest revision in a scenario, and so in a snapshot. Safe integers above it suffice for any world. */
export const highestRevision = 9e15

/** The longest `title` and `description`, in UTF-16 code units. The list of worlds and its index hold the titles of all. */
const longestText = 300

/** The format of scenarios. `z.decode` reads a file, `z.encode` writes a file. `check` finds the remaining problems. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is one table
export const Scenario = lazy(() => {
  const Sequence = z.tuple([Int32, Int32, Int32, Int32])
  const settingsKeys = entryKeys(SettingsRow.shape, {
    omit: ['settings_id', 'default_namespace_id', 'public_url', 'servers', 'ready_within_ms'],
    defaults: settingsDefaults,
  })

  return z.strictObject({
    title: z
      .string()
      .max(longestText)
      .optional()
      .meta({
        description: `The name of the scenario, of at most ${longestText} characters. Default: Untitled.`,
        default: 'Untitled',
        examples: ['Friday night'],
      }),
    description: z
      .string()
      .max(longestText)
      .optional()
      .meta({
        description: `A description of the world, in plain text of at most ${longestText} characters. Default: none.`,
        examples: ['A busy evening with 400 lobbies. Good for long lists, and for filters.'],
      }),
    seed: z
      .int()
      .optional()
      .meta({ description: 'The seed of ids, tokens and generated lobbies. Default: 1.', default: 1, examples: [42] }),
    now: Time.optional().describe("When the world's clock starts. Default: the real time."),
    clock: ClockEntry.optional().meta({
      description: 'running or frozen, or an object. Default: running.',
      default: 'running',
      examples: ['frozen', { rate: 60 }],
    }),
    ...settingsKeys,
    servers: ServersInput.optional().meta({
      ...ServersInput.meta(),
      description:
        'auto: the mock plays the game server of a lobby until one calls. manual: it never does, as in the real service. An object: its command starts them. Default: auto.',
      default: 'auto',
    }),
    default_namespace: z
      .string()
      .optional()
      .meta({
        description: `The namespace of requests whose token and Origin name none: <game name_id>/<namespace name_id>, or ${noNamespace}. Default: the first one.`,
        examples: ['tanks/prod', noNamespace],
      }),
    regions: z
      .array(RegionEntry)
      .optional()
      .meta({
        description:
          'Ids of the catalogue, also without lnd-, or whole regions. Default: all of the catalogue that begin with lnd-.',
        examples: [['lnd-fra', 'lnd-atl']],
      }),
    games: z
      .array(GameEntry)
      .optional()
      .describe('The games. Default: one, game, with one namespace, prod, whose keys may then stand at the top.'),
    device_links: z
      .array(DeviceLinkEntry)
      .optional()
      .meta({ description: 'Its device links at the beginning. Default: none.', default: [] }),
    ...namespaceKeys,
    bearer_tokens: z
      .array(BearerTokenEntry)
      .optional()
      .describe(
        'All bearer tokens of the world, in their order. Default: those of its games, namespaces and device links.',
      ),
    revision: z
      .int()
      .min(0)
      .max(highestRevision)
      .optional()
      .meta({
        description: 'The lowest revision: those of the world are above it. Default: 0.',
        examples: [1_795_204_800_000],
      }),
    chance: z
      .strictObject({
        world: Sequence.optional().describe('The state for ids and tokens: four numbers.'),
        faults: Sequence.optional().describe('The state for faults: four numbers.'),
      })
      .optional()
      .meta({
        description: 'The states of the random sequences. Default: their start, from the seed.',
        examples: [{ world: [1, -2, 3, 4] }],
      }),
    faults: z
      .array(FaultEntry())
      .max(mostFaults)
      .optional()
      .meta({
        description: 'Injected errors and delays: the first that matches a request applies. Default: none.',
        default: [],
        examples: [[{ operation: 'lobbies.list', effect: { delay: '300ms' }, times: 1 }]],
      }),
    journal: z.array(JournalEntry()).optional().meta({
      description: 'Earlier requests to the world, with their responses. Default: none.',
      default: [],
    }),
    past: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The past of the world. Only the mock writes it. Default: none.'),
    $schema: z
      .string()
      .optional()
      .meta({ description: 'The place of this schema, for editors.', examples: ['./scenario.schema.json'] }),
  })
})

/** A scenario in the form of a file. */
export type ScenarioInput = types.ScenarioInput

/** The name of a shipped scenario. */
export type ShippedScenario = types.ShippedScenario

/** The name of a shipped scenario, or of one of your own. Options for Node also take the path of a file. */
export type AnyScenarioName = types.AnyScenarioName
export type ScenarioNameOrPath = types.ScenarioNameOrPath

/** A decoded scenario: points in time and durations are in ms. */
export type Scenario = z.output<ReturnType<typeof Scenario>>

/** A decoded scenario without contradictions, which nothing reads again. It cannot be spread: `with` changes it. */
export class CheckedScenario implements Pick<ScenarioInput, 'title' | 'description'> {
  readonly content: Scenario
  readonly title: string | undefined
  readonly description: string | undefined
  readonly #areRowsValid: boolean

  constructor(content: Scenario, { areRowsValid = false } = {}) {
    this.#areRowsValid = areRowsValid
    this.content = content
    this.title = content.title
    this.description = content.description
  }

  /** The schemas of the tables have accepted its rows, and need not check them. */
  get areRowsValid(): boolean {
    return this.#areRowsValid
  }

  with(changes: Pick<Scenario, 'clock' | 'servers'>): CheckedScenario {
    return new CheckedScenario({ ...this.content, ...changes })
  }

  /** Encodes the scenario, for a mock in another process. */
  toJSON(): ScenarioInput {
    return keepAllDigits(z.encode(Scenario(), this.content), this.content)
  }
}
