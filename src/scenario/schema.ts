import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { FaultEntry, mostFaults } from '../contract/fault.js'
import { HostName } from '../contract/host-name.js'
import { Instant } from '../contract/instant.js'
import { JournalEntry } from '../contract/journal.js'
import { BearerTokenEntry } from './bearer-token.js'
import { ChanceEntry } from './chance.js'
import { ClockEntry } from './clock.js'
import { CoordinatesEntry } from './coordinates.js'
import { DeviceLinkEntry } from './device-link.js'
import { GameEntry } from './game.js'
import { namespaceKeys } from './namespace.js'
import { RegionEntry } from './region.js'

/** What a scenario says instead of its default namespace where it has none: no full name is without a slash. */
export const noNamespace = 'none'

/** The highest revision that a scenario may name: those above it last a world for ever. */
const highestRevision = 9e15

/** The format of a scenario: DESIGN.md § 5. What it takes, `check` may still refuse. What comes out of it can go in again. */
export const Scenario = exact({
  title: z.string().optional().describe('For people.'),
  seed: z.int().optional().describe('Everything that is generated comes from it. Default: 1.'),
  now: Instant.optional().describe("Where the world's clock starts. Default: the real time."),
  clock: ClockEntry.optional().describe('running or frozen, or how fast it goes too. Default: running.'),
  client: CoordinatesEntry.optional().describe('Where the player sits. Default: unknown, and distances are 0.'),
  hide_empty_lobbies: z.boolean().optional().describe('As the real service does. Default: false.'),
  servers: z
    .enum(['auto', 'manual'])
    .optional()
    .describe(
      'Who plays the game servers of lobbies: the mock, until a server calls, or only servers, as in the real service. Default: auto.',
    ),
  cdn_domain: HostName.optional().describe('Where the pages of games are. Default: mock.localhost.'),
  default_namespace: z
    .string()
    .optional()
    .describe(`<game name_id>/<namespace name_id>, or ${noNamespace}. Default: the first one.`),
  regions: z
    .array(RegionEntry)
    .optional()
    .describe('Ids of the catalogue, or whole regions. Default: all of the catalogue.'),
  games: z
    .array(GameEntry)
    .optional()
    .describe('Default: one, game, with one namespace, prod, whose keys may then stand at the top.'),
  device_links: z.array(DeviceLinkEntry).optional(),
  ...namespaceKeys,
  bearer_tokens: z
    .array(BearerTokenEntry)
    .optional()
    .describe(
      'All bearer tokens of the world, in their order. Default: those of its games, namespaces and device links.',
    ),
  revision: z.int().min(0).max(highestRevision).optional().describe("The world's own revisions are above it."),
  chance: ChanceEntry.optional().describe('Where chance goes on. Default: at the beginning of what the seed gives.'),
  faults: z
    .array(FaultEntry)
    .max(mostFaults)
    .optional()
    .describe('Made-up trouble, in the order in which it is looked at.'),
  journal: z.array(JournalEntry).optional().describe('What the world has been asked before, and what it answered.'),
  $schema: z.string().optional().describe('For editors.'),
})

/** A scenario as a person writes it. */
export type ScenarioInput = z.input<typeof Scenario>

/** A scenario that has been read. */
export type Scenario = z.output<typeof Scenario>
