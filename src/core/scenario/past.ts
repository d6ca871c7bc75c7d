import * as z from 'zod'
import { version } from '../../version.js'
import { lazy } from '../lib/lazy.js'
import { UsageError } from '../lib/messages.js'
import { latestMs } from '../lib/time.js'
import { Instant } from '../lib/time-schemas.js'
import { Mode, Rate } from '../store/clock.js'
import type { RandomState } from '../store/random.js'
import type { CheckedScenario } from './schema.js'

/** The version of the format of `past` in a scenario. */
export const pastFormat = 1

/** Terminals show it. */
const Version = z.string().regex(/^\d[\w.+-]{0,40}$/)

const Count = z.int().min(0).max(latestMs)
const Time = z.number().min(-latestMs).max(latestMs)

/** The past of a world, as a capsule has it. Texts are JSON, in the encoding of a storage. */
const Past = lazy(() => {
  const Name = z.object({ title: z.string(), description: z.string().optional(), seed: z.int() })
  return z.object({
    format: z.literal(pastFormat),
    /** The version of the mock that made it. */
    version: Version,
    /** In ISO 8601. */
    made_at: z.iso.datetime(),
    /** The oldest state, and the name of its scenario. */
    base: z.string(),
    name: Name,
    /** The id of each change set in the history, its revision, and its result. `Name` is the scenario from then on, if it is another one. */
    changes: z.array(z.union([z.tuple([Count, Count, z.string()]), z.tuple([Count, Count, z.string(), Name])])),
    /**
     * The journal entry of each exchange, the revision that its answer is about, and the id of the lobby whose server has called. Only
     * the entry if it came from a snapshot.
     */
    exchanges: z.array(
      z.union([z.tuple([z.string()]), z.tuple([z.string(), Count]), z.tuple([z.string(), Count, z.string()])]),
    ),
    /** See `Journal.beginsAt`, in real ms, and `Journal.dropped`. */
    begins_at: Time,
    dropped: Count,
    /** The clock at the end. */
    clock: z.object({ mode: Mode, rate: Rate, now: Time }),
    /** The random state of the ray ids. */
    rays: z.tuple([z.int32(), z.int32(), z.int32(), z.int32()]),
    /** The stories, as their recorder saves them. */
    stories: z.looseObject({
      stories: z.array(
        z.looseObject({
          token: z.string(),
          facts: z
            .array(z.looseObject({ kind: z.string(), at: Time, revision: Count, request: Count.optional() }))
            .min(1),
          lostUntil: Time.optional(),
        }),
      ),
      beginsAt: z.object({ revision: Count, at: Time }),
      ...{ nextId: Count, dropped: Count, changes: Count, restartedAt: Count.optional() },
    }),
    /** The warnings, as their recorder saves them. Absent in a capsule of an earlier version. */
    warnings: z
      .looseObject({
        warnings: z.array(
          z.looseObject({
            ...{ id: Count, rule: z.string(), sentence: z.string(), advice: z.string() },
            ...{ count: Count, first_at: Instant, last_at: Instant, revision: Count },
            requests: z.array(Count),
            players: z.array(z.string()).optional(),
          }),
        ),
        dropped: Count,
      })
      .optional(),
    /** The game servers with their output. */
    servers: z.array(
      z.looseObject({ lobby_id: z.string(), log: z.array(z.object({ at: z.string(), text: z.string() })) }),
    ),
  })
})
export interface Past extends Omit<z.output<ReturnType<typeof Past>>, 'rays' | 'stories' | 'warnings' | 'servers'> {
  readonly rays: RandomState
  readonly stories: { readonly stories: readonly object[] }
  readonly warnings?: { readonly warnings: readonly object[] } | undefined
  readonly servers: readonly object[]
}

/** Returns the past of a scenario that is a capsule. */
export function pastOf({ content: { past } }: CheckedScenario): Past | undefined {
  return past as Past | undefined // `readScenario` has checked it
}

/** Checks the past of a scenario. Warns of a format of another version, and drops it. Throws `UsageError` if it is damaged. */
export function readPast(past: object, file = 'the capsule'): Past | undefined {
  const { format, version } = past as { readonly format?: unknown; readonly version?: unknown }
  const { data: other } = Version.safeParse(version, { jitless: true })
  const maker = other === undefined ? 'another version of mockmaker' : `mockmaker ${other}`
  if (typeof format === 'number' && format !== pastFormat) {
    // biome-ignore lint/suspicious/noConsole: a warning has no other way to the user
    console.warn(
      `mockmaker: warning: ${file} is of ${maker}, and this version does not read its past: it loads the end of that world alone. The page in the file still shows the past`,
    )
    return undefined
  }
  const { data, error } = Past().safeParse(past, { jitless: true })
  if (data) return data
  const [issue] = error.issues
  throw damagedPast(`${issue?.path.join('.')}: ${issue?.message}`, file)
}

/** Begins the error for a capsule that another version has written, and this one cannot read. Returns an empty text for any other input. */
export function foreignCapsule(input: unknown, file = 'the capsule'): string {
  const { past } = (input ?? {}) as { readonly past?: { readonly version?: unknown } }
  return typeof past?.version !== 'string' || past.version === version
    ? ''
    : `${file} is of mockmaker ${past.version}, and mockmaker ${version} cannot read it. The page in the file still opens. It says: `
}

/** Creates the error for a past that cannot be read. */
export function damagedPast(because: string, file = 'the capsule'): UsageError {
  return new UsageError(`the past in ${file} is damaged (${because}): export the world again`)
}
