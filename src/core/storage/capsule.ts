import * as z from 'zod'
import type { AnswerReasons, JournalEntry } from '../contract/journal.js'
import { keepDigits, parseJson, writeJson } from '../lib/exact-json.js'
import { lazy } from '../lib/lazy.js'
import { real } from '../lib/real-globals.js'
import type { Steps } from '../lib/steps.js'
import { formatInstant } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import type { History, HistoryEntry, StoredExchange } from '../pipeline/history.js'
import { restoreExchange } from '../pipeline/journal.js'
import { redactToken } from '../pipeline/redact.js'
import type { CheckedScenario } from '../scenario/schema.js'
import type { GameServerLog } from '../simulation/servers.js'
import { type ClockState, Mode, Rate } from '../store/clock.js'
import type { RandomState } from '../store/random.js'
import type { LiveWorld, LoggedChangeSet, LoggedWorld } from '../store/world.js'
import { nameOf, type ScenarioName, type WorldState } from '../store/world-state.js'
import { decodeChangeSet, decodeState, encodeChangeSet, encodeStateInSteps, type PublicUrlOf } from './encoding.js'
import type { KeptPast } from './world-storage.js'

// A capsule is a scenario, the world at its end, with one key more: the past of the world.

/** The version of the format of `past`. */
const format = 1

/**
 * An exchange: its journal entry as JSON, the revision that its answer is about, and the id of the lobby whose server has called. Only
 * the entry if it came from a snapshot.
 */
type EncodedExchange = readonly [entry: string, revision?: number, lobbyId?: string]

/** A change set: its id in the history, its revision, and its result as a storage has it. `name`: the scenario from then on, if it is another one. */
type EncodedChange = readonly [id: number, revision: number, result: string, name?: ScenarioName]

/** The past of a world as JSON. Texts have the encoding of a storage. */
export interface EncodedPast {
  readonly format: number
  readonly version: string
  readonly made_at: string
  /** The oldest state. */
  readonly base: string
  /** The scenario of the base. */
  readonly name: ScenarioName
  readonly changes: readonly EncodedChange[]
  readonly exchanges: readonly EncodedExchange[]
  /** See `Journal.beginsAt`, in real ms, and `Journal.dropped`. */
  readonly begins_at: number
  readonly dropped: number
  /** The clock at the end. */
  readonly clock: ClockState
  /** The random state of the ray ids. */
  readonly rays: RandomState
  readonly stories: object
  readonly servers: readonly GameServerLog[]
}

interface PastSource {
  readonly world: LiveWorld
  readonly history: History
  readonly past: Pick<KeptPast, 'stateAt'> & { reasonsOf(exchange: StoredExchange): AnswerReasons }
}

/** The parts of a past that this room does not know. */
type OtherParts = Pick<EncodedPast, 'version' | 'rays' | 'stories' | 'servers'>

/** Encodes the past of a world, as it is at the first step. `lastMs`: only so many ms of the world's clock. Default: all that there is. */
export function* encodePast(
  { world, history, past }: PastSource,
  others: OtherParts,
  lastMs = Number.POSITIVE_INFINITY,
): Steps<EncodedPast> {
  const clock = world.clock.state
  const entries = history.entries.filter(entry => timeOf(entry) >= clock.now - lastMs)
  const changeEntries = entries.filter(entry => entry.kind === 'change')
  const { beginsAt, dropped } = history
  const first = changeEntries[0]?.changeSet.revision
  const revision = first === undefined ? world.revision : history.changesSince(first - 1).revision
  const state = yield* past.stateAt(revision)
  const base = yield* encodeStateInSteps(state, false)
  const changes: EncodedChange[] = []
  for (const { id, changeSet } of changeEntries) {
    const result = encodeChangeSet(changeSet, { isReal: false, origin: undefined })
    const { revision, scenario } = changeSet
    changes.push(scenario ? [id, revision, result, scenario.after] : [id, revision, result])
    yield
  }
  const exchanges: EncodedExchange[] = []
  for (const entry of entries) {
    if (entry.kind === 'exchange') exchanges.push(encodeExchange(entry.exchange, state.revision, past))
    yield
  }
  const made_at = formatInstant(real.date())
  const name = nameOf(state)
  return {
    format,
    made_at,
    base: base.join(''),
    name,
    changes,
    exchanges,
    begins_at: beginsAt,
    dropped,
    clock,
    ...others,
  }
}

/** Without the world before it, an exchange takes its reasons along. */
function encodeExchange(exchange: StoredExchange, oldest: number, { reasonsOf }: PastSource['past']): EncodedExchange {
  const { revision, caller } = exchange
  if (revision === undefined) return [writeJson(exchange.entry())]
  const entry = exchange.entry()
  const whole = revision < oldest ? keepDigits({ ...entry, reasons: reasonsOf(exchange) }, entry) : entry
  return caller?.kind === 'lobby' ? [writeJson(whole), revision, caller.lobbyId] : [writeJson(whole), revision]
}

function timeOf(entry: HistoryEntry): number {
  return entry.kind === 'change' ? entry.changeSet.at : entry.exchange.at
}

const Past = lazy(() => {
  const Name = z.object({ title: z.string(), description: z.string().optional(), seed: z.int() })
  const Number4 = z.tuple([z.int(), z.int(), z.int(), z.int()])
  return z.object({
    format: z.literal(format),
    version: z.string(),
    made_at: z.string(),
    base: z.string(),
    name: Name,
    changes: z.array(z.tuple([z.int(), z.int(), z.string()]).rest(Name)),
    exchanges: z.array(z.tuple([z.string()]).rest(z.union([z.int(), z.string()]))),
    begins_at: z.number(),
    dropped: z.int(),
    clock: z.object({ mode: Mode, rate: Rate, now: z.number() }),
    rays: Number4,
    stories: z
      .object({
        stories: z.array(z.looseObject({ token: z.string(), facts: z.array(z.looseObject({ kind: z.string() })) })),
        beginsAt: z.object({ revision: z.number(), at: z.number() }),
      })
      .loose(),
    servers: z.array(
      z.looseObject({ lobby_id: z.string(), log: z.array(z.object({ at: z.string(), text: z.string() })) }),
    ),
  })
})

/**
 * Returns the past of a scenario, if it is a capsule. Warns if another version of the mock has written it in a way that this one does
 * not read: then it is a scenario only. Throws `UsageError` if it is damaged.
 */
export function pastOf({ content: { past } }: CheckedScenario): EncodedPast | undefined {
  if (!past) return undefined
  if (past.format !== format) {
    // biome-ignore lint/suspicious/noConsole: a warning has no other way to the user
    console.warn(
      `mockmaker: warning: this capsule is of mockmaker ${past.version}, whose format ${past.format} this version does not read: only the end of the world is loaded. Open the file in a browser to see its past`,
    )
    return undefined
  }
  const { success, error } = Past().safeParse(past, { jitless: true })
  if (!success) throw damaged(z.prettifyError(error))
  return past as unknown as EncodedPast // just checked
}

function damaged(because: string): UsageError {
  return new UsageError(`the past of this capsule is damaged: ${because}. Export it again`)
}

/** A past that can be loaded. */
export class DecodedPast {
  readonly logged: LoggedWorld
  /** The ids of the change sets. */
  readonly changeIds: readonly number[]
  readonly exchanges: readonly StoredExchange[]
  readonly encoded: EncodedPast

  constructor(encoded: EncodedPast, logged: LoggedWorld, exchanges: readonly StoredExchange[]) {
    this.encoded = encoded
    this.logged = logged
    this.changeIds = encoded.changes.map(([id]) => id)
    this.exchanges = exchanges
  }
}

/** Decodes the past of a world whose end is that state. Throws `UsageError` if it is damaged. */
export function* decodePast(...past: Parameters<typeof decode>): Steps<DecodedPast> {
  try {
    return yield* decode(...past)
  } catch (error) {
    throw damaged(String(error))
  }
}

function* decode(encoded: EncodedPast, end: WorldState, publicUrlOf: PublicUrlOf): Steps<DecodedPast> {
  const origin = { ...end, ...encoded.name }
  const base = decodeState(encoded.base, origin, publicUrlOf)
  yield
  let { faults } = base
  const changeSets: LoggedChangeSet[] = []
  for (const [, revision, text, name] of encoded.changes) {
    const { origin: _, ...result } = decodeChangeSet(text, { revision, faults, publicUrlOf })
    faults = result.faults ?? faults
    const initial = name && { state: { ...end, ...name }, clock: encoded.clock }
    changeSets.push({ ...result, initial })
    yield
  }
  const exchanges: StoredExchange[] = []
  for (const [entry, revision, lobbyId] of encoded.exchanges) {
    const kept = parseJson(entry) as JournalEntry // `encodeExchange` wrote it
    const namespaceId = kept.caller?.namespace_id ?? ''
    const caller = lobbyId === undefined ? undefined : { kind: 'lobby' as const, lobbyId, namespaceId }
    exchanges.push(restoreExchange(kept, revision === undefined ? undefined : { revision, caller }))
    yield
  }
  const logged = { initial: { state: origin, clock: base.clock }, base, changeSets, clockNow: () => encoded.clock }
  return new DecodedPast(encoded, logged, exchanges)
}

/** Replaces texts that no file may show, also inside JSON in a text of JSON. */
export function withoutSecrets(json: string, secrets: ReadonlySet<string>): string {
  let text = json
  for (const secret of secrets) {
    const once = JSON.stringify(secret).slice(1, -1)
    const twice = JSON.stringify(once).slice(1, -1)
    for (const form of new Set([once, twice])) text = text.replaceAll(form, redactToken(secret))
  }
  return text
}
