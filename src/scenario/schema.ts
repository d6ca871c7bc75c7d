import * as z from 'zod'
import { FaultEntry, mostFaults } from '../contract/faults.js'
import { HostName } from '../contract/formats.js'
import { JournalEntry } from '../contract/journal.js'
import { Instant } from '../lib/time.js'
import { type ClockMode, Mode, Rate } from '../store/clock-setting.js'
import { GameEntry, namespaceKeys } from './games.js'
import { CoordinatesEntry, RegionEntry } from './regions.js'
import { BearerTokenEntry, DeviceLinkEntry } from './tokens.js'

/** How the clock of a world goes: only its mode, or an object. */
export const ClockEntry = z.union([
  z.strictObject({
    mode: Mode.optional().meta({
      description: 'Whether the time goes by itself. Default: running.',
      default: 'running',
    }),
    rate: Rate.optional().meta({
      description: 'How many of its ms pass in one real ms while it runs. Default: 1.',
      default: 1,
      examples: [60],
    }),
  }),
  Mode,
])
export type ClockEntry = z.output<typeof ClockEntry>

/** How fast the clock goes, and whether it does, with the defaults. */
export function clockOf(entry: ClockEntry = {}): { readonly clock: ClockMode; readonly rate: number } {
  const { mode = 'running', rate = 1 } = typeof entry === 'string' ? { mode: entry } : entry
  return { clock: mode, rate }
}

const int32 = z.int32()
const Sequence = z.tuple([int32, int32, int32, int32])

/** Where the sequences of a world's chance stand, as a snapshot says it. */
const ChanceEntry = z.strictObject({
  world: Sequence.optional().describe('Where the sequence of ids and tokens stands: four numbers.'),
  faults: Sequence.optional().describe('Where the sequence of faults stands: four numbers.'),
})

/** What a scenario says instead of its default namespace where it has none: no full name is without a slash. */
export const noNamespace = 'none'

/** The highest revision that a scenario may name: those above it last a world for ever. */
const highestRevision = 9e15

/** The format of a scenario: DESIGN.md § 5. What it takes, `check` may still refuse. What comes out of it can go in again. */
export const Scenario = z.strictObject({
  title: z
    .string()
    .optional()
    .meta({
      description: 'What people call the scenario. Default: Untitled.',
      default: 'Untitled',
      examples: ['Friday night'],
    }),
  seed: z
    .int()
    .optional()
    .meta({ description: 'Ids, tokens and lobbies are generated from it. Default: 1.', default: 1, examples: [42] }),
  now: Instant.optional().describe("Where the world's clock starts. Default: the real time."),
  clock: ClockEntry.optional().meta({
    description: 'running or frozen, or an object with its mode and rate. Default: running.',
    default: 'running',
    examples: ['frozen', { rate: 60 }],
  }),
  client: CoordinatesEntry.optional().describe('Where the player sits. Default: unknown, and distances are 0.'),
  hide_empty_lobbies: z.boolean().optional().meta({
    description:
      'Whether a lobby without players is not listed, unless it is the only one of its game mode, as in the real service. Default: false.',
    default: false,
  }),
  servers: z.enum(['auto', 'manual']).optional().meta({
    description:
      'Who plays the game servers of lobbies: the mock, until a server calls, or only servers, as in the real service. Default: auto.',
    default: 'auto',
  }),
  cdn_domain: HostName.optional().meta({
    description: 'The host name below which the pages of games are. Default: mock.localhost.',
    default: 'mock.localhost',
  }),
  default_namespace: z
    .string()
    .optional()
    .meta({
      description: `The namespace where neither token nor Origin names one: <game name_id>/<namespace name_id>, or ${noNamespace}. Default: the first one.`,
      examples: ['tanks/prod', noNamespace],
    }),
  regions: z
    .array(RegionEntry)
    .optional()
    .meta({
      description: 'Ids of the catalogue, or whole regions. Default: all of the catalogue.',
      examples: [['lnd-fra', 'lnd-atl']],
    }),
  games: z
    .array(GameEntry)
    .optional()
    .describe(
      'The games. Default: one, game, with one namespace, prod, whose keys may then stand at the top of the scenario.',
    ),
  device_links: z
    .array(DeviceLinkEntry)
    .optional()
    .meta({ description: 'Device links that are prepared when the world begins. Default: none.', default: [] }),
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
    .meta({ description: "The world's own revisions are above it. Default: 0.", examples: [1_795_204_800_000] }),
  chance: ChanceEntry.optional().meta({
    description: 'Where the random sequences continue. Default: at their start, from the seed.',
    examples: [{ world: [1, -2, 3, 4] }],
  }),
  faults: z
    .array(FaultEntry)
    .max(mostFaults)
    .optional()
    .meta({
      description: 'Injected errors and delays. Of those that match a request, the first applies. Default: none.',
      default: [],
      examples: [[{ operation: 'lobbies.list', effect: { delay: '300ms' }, times: 1 }]],
    }),
  journal: z.array(JournalEntry).optional().meta({
    description: 'Earlier requests to the world, with their responses. Default: none.',
    default: [],
  }),
  $schema: z
    .string()
    .optional()
    .meta({ description: 'Where editors find this schema.', examples: ['./scenario.schema.json'] }),
})

/** A scenario as a person writes it. */
export type ScenarioInput = z.input<typeof Scenario>

/** A scenario that has been read. */
export type Scenario = z.output<typeof Scenario>
