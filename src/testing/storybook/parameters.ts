import * as z from 'zod'
import type { Fault } from '../../core/contract/faults.js'
import { ScenarioOrName } from '../../core/control/world-control.js'
import { parseInput } from '../../core/lib/issues.js'
import type { ScenarioInput, ShippedScenario } from '../../core/scenario/schema.js'

/** The parameters of a story, as in `parameters: { mockmaker: { scenario: 'friday-night' } }`. All are optional. */
export interface StoryParameters {
  /** A scenario in the fixture format, or the name of a shipped one. Default: `default`. */
  readonly scenario?: ScenarioInput | ShippedScenario | undefined
  /** Faults to add to those of the scenario. Default: none. */
  readonly faults?: readonly Fault[] | undefined
  /** Replaces the seed of the scenario. */
  readonly seed?: number | undefined
  /** The mock answers requests to this base URL: see the options of a mock. Default: `*`, any origin. */
  readonly baseUrl?: string | undefined
  /** Fails the story if a fault that its parameters or its code added never applied. Default: false. */
  readonly strict?: boolean | undefined
  /**
   * Shows the story in a frame of its own on docs pages, so that its requests reach its own world. Without a frame, the code
   * must call `mock.url` if the page shows several stories. Default: true.
   */
  readonly frame?: boolean | undefined
}

const StoryParameters = z.strictObject({
  scenario: ScenarioOrName().optional(),
  faults: z.custom<readonly Fault[]>(Array.isArray, 'expected a list of faults').optional(),
  seed: z.int().optional(),
  baseUrl: z.string().optional(),
  strict: z.boolean().optional(),
  frame: z.boolean().optional(),
} satisfies Record<keyof StoryParameters, z.ZodType>)

/** Parameters that were checked. The scenario may be a wrong name. */
export type CheckedParameters = z.output<typeof StoryParameters>

/** Checks the parameters of a story. Throws `UsageError`. */
export function parseParameters(parameters: unknown): CheckedParameters {
  return parseInput(StoryParameters, parameters ?? {}, 'mockmaker')
}
