import * as z from 'zod'
import { isJsonObject } from '../lib/json.js'
import { SimulationEntry } from '../scenario/games.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { Question } from './explanation.js'
import type {
  CompletionOptions,
  EndSimulationOptions,
  NewWorldOptions,
  SimulationOptions,
  SnapshotOptions,
  SteeringResetOptions,
} from './steering.js'

const scenarioExpected = 'expected the name of a scenario on hand, or a scenario'

/** What is no scenario is found out where it is read. */
const AnyScenario = z.custom<ScenarioInput>(isJsonObject, scenarioExpected)

const ScenarioOrName = z.union([z.string(), AnyScenario], { error: scenarioExpected })

export const ResetSchema = z.strictObject({
  keep: z
    .array(z.enum(['clock', 'faults', 'journal']))
    .readonly()
    .optional(),
}) satisfies z.ZodType<SteeringResetOptions>

export const SnapshotSchema = z.strictObject({
  with: z
    .array(z.enum(['faults', 'journal']))
    .readonly()
    .optional(),
}) satisfies z.ZodType<SnapshotOptions>

export const NewWorldSchema = z
  .strictObject({
    scenario: ScenarioOrName.optional(),
    fork: z.string().optional(),
    seed: z.int().optional(),
  })
  .refine(({ scenario, fork }) => scenario === undefined || fork === undefined, {
    path: ['fork'],
    error: 'expected none beside a scenario, because a world is made of one of them',
  }) satisfies z.ZodType<NewWorldOptions>

/** What a world changes over to. */
export const LoadSchema = z
  .strictObject({ name: z.string().optional(), scenario: ScenarioOrName.optional() })
  .refine(
    ({ name, scenario }) => (name === undefined) !== (scenario === undefined),
    'expected one of name and scenario, and not both',
  )

export const CompletionSchema = z.strictObject({ game: z.string().optional() }) satisfies z.ZodType<CompletionOptions>

export const SimulationSchema = z.strictObject({
  namespace: z.string().optional(),
  concurrent: SimulationEntry.shape.concurrent,
  session: SimulationEntry.shape.session,
  modes: SimulationEntry.shape.modes,
}) satisfies z.ZodType<SimulationOptions>

export const EndSimulationSchema = z.strictObject({
  namespace: z.string().optional(),
}) satisfies z.ZodType<EndSimulationOptions>

export const QuestionSchema = z.strictObject({
  lobby_id: z.string().optional(),
  path: z.string().optional(),
  method: z.string().optional(),
  token: z.string().optional(),
  origin: z.string().optional(),
  name_id: z.string().optional(),
  display_name: z.string().optional(),
  game: z.string().optional(),
}) satisfies z.ZodType<Question>
