import type { AnswerReasons, JournalEntry } from '../contract/journal.js'
import { getKey, keepDigits, parseJson, sameJson, writeJson } from '../lib/json.js'
import { real } from '../lib/real-globals.js'
import type { Steps } from '../lib/steps.js'
import { formatInstant } from '../lib/time.js'
import type { History, HistoryEntry, HistoryPast, StoredExchange } from '../pipeline/history.js'
import { restoreExchange } from '../pipeline/journal.js'
import { redactToken } from '../pipeline/redact.js'
import { damagedPast, type Past, pastFormat } from '../scenario/past.js'
import type { ChangeSet } from '../store/change-set.js'
import { models } from '../store/models.js'
import type { TableName } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import type { Entry, TableState } from '../store/table-state.js'
import { LiveWorld, type LoggedChangeSet, type LoggedWorld } from '../store/world.js'
import { arrivedLobbies, nameOf, type TableStates, type WorldState } from '../store/world-state.js'
import { decodeChangeSet, decodeState, encodeChangeSet, encodeStateInSteps, type PublicUrlOf } from './encoding.js'
import { checkSent } from './sent-encoding.js'
import type { KeptPast } from './world-storage.js'

// A capsule is a scenario, the world at its end, with one key more: the past of the world.

interface PastSource {
  readonly world: LiveWorld
  readonly history: History
  readonly past: Pick<KeptPast, 'stateAt'> & { reasonsOf(exchange: StoredExchange): AnswerReasons }
}

/** The parts of a past that this room does not know. */
type OtherParts = Pick<Past, 'version' | 'rays' | 'stories' | 'warnings' | 'servers'>

/** Encodes the past of a world, as it is at the first step. `lastMs`: only so many ms of the world's clock. Default: all that there is. */
export function* encodePast(
  { world, history, past }: PastSource,
  others: OtherParts,
  lastMs = Number.POSITIVE_INFINITY,
): Steps<Past> {
  const clock = world.clock.state
  const entries = history.entries.filter(entry => timeOf(entry) >= clock.now - lastMs)
  const changeEntries = entries.filter(entry => entry.kind === 'change')
  const { beginsAt, dropped } = history
  const first = changeEntries[0]?.changeSet.revision
  const revision = first === undefined ? world.revision : history.changesSince(first - 1).revision
  const state = yield* past.stateAt(revision)
  const base = yield* encodeStateInSteps(state, false)
  const changes: Past['changes'] = []
  for (const { id, changeSet } of changeEntries) {
    const result = encodeChangeSet(changeSet, { isReal: false, origin: undefined })
    const { revision, scenario } = changeSet
    changes.push(scenario ? [id, revision, result, scenario.after] : [id, revision, result])
    yield
  }
  const exchanges: Past['exchanges'] = []
  for (const entry of entries) {
    if (entry.kind === 'exchange') exchanges.push(encodeExchange(entry.exchange, state.revision, past))
    yield
  }
  const made_at = formatInstant(real.date())
  const name = nameOf(state)
  return {
    format: pastFormat,
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
function encodeExchange(exchange: StoredExchange, oldest: number, past: PastSource['past']): Past['exchanges'][number] {
  const { revision, caller } = exchange
  if (revision === undefined) return [writeJson(exchange.entry())]
  const entry = exchange.entry()
  const whole = revision < oldest ? keepDigits({ ...entry, reasons: past.reasonsOf(exchange) }, entry) : entry
  return caller?.kind === 'lobby' ? [writeJson(whole), revision, caller.lobbyId] : [writeJson(whole), revision]
}

function timeOf(entry: HistoryEntry): number {
  return entry.kind === 'change' ? entry.changeSet.at : entry.exchange.at
}

/** A past that a world can have at once. */
export interface DecodedPast extends HistoryPast {
  readonly encoded: Past
  /** The world at the end. */
  readonly logged: LoggedWorld
}

/** Decodes the past of a world whose end is that state, a change set in each step. Throws `UsageError` if it is damaged. */
export function* decodePast(...past: Parameters<typeof decode>): Steps<DecodedPast> {
  try {
    return yield* decode(...past)
  } catch (error) {
    throw damagedPast((error as Error).message)
  }
}

function* decode(encoded: Past, end: WorldState, publicUrlOf: PublicUrlOf): Steps<DecodedPast> {
  const origin = { ...end, ...encoded.name }
  const base = decodeState(parsed('state', encoded.base), origin, publicUrlOf)
  if (base.tables.settings.size === 0) throw new Error('its settings are missing')
  yield
  const exchanges: StoredExchange[] = []
  for (const [entry, revision, lobbyId] of encoded.exchanges) {
    const kept = parsed('exchange', entry) as JournalEntry // the schema has checked it
    const namespaceId = kept.caller?.namespace_id ?? ''
    const caller = lobbyId === undefined ? undefined : { kind: 'lobby' as const, lobbyId, namespaceId }
    exchanges.push(restoreExchange(kept, revision === undefined ? undefined : { revision, caller }))
    yield
  }
  const changeSets: ChangeSet[] = []
  const world = new LiveWorld(base, changeSet => changeSets.push(changeSet))
  const initial = { state: origin, clock: base.clock }
  const clockNow = () => encoded.clock
  const results = decodedChanges(encoded, { base, end, publicUrlOf })
  const clock = yield* world.adopt({ initial, base, changeSets: results, clockNow }, () => {})
  const { state } = world
  yield
  const edited = editedTables.find(name => !hasSameRows(name, end.tables, state.tables))
  if (edited)
    // biome-ignore lint/suspicious/noConsole: a warning has no other way to the user
    console.warn(
      `mockmaker: warning: the scenario of the capsule has other ${edited} than its past, which wins. To load an edited scenario, delete its key past`,
    )
  const logged = { initial: world.initial, base: { ...state, clock }, changeSets: [], clockNow }
  return {
    ...{ encoded, logged, changeSets, exchanges },
    start: { revision: base.revision, at: base.clock.now },
    changeIds: encoded.changes.map(([id]) => id),
    beginsAt: encoded.begins_at,
    dropped: encoded.dropped,
  }
}

/** The tables whose rows are only those of the scenario. Options of the reader add to the others. */
const editedTables = tableNames.filter(name => name !== 'settings' && name !== 'simulations')

/** Compares the rows of a table, in any order. */
function hasSameRows(name: TableName, one: TableStates, other: TableStates): boolean {
  const rowsOf = (tables: TableStates): TableState<object> =>
    name === 'lobbies' ? arrivedLobbies(tables.lobbies) : tables[name]
  const [rows, others] = [rowsOf(one), rowsOf(other)]
  const columns = Object.keys(models[name].columns)
  const isSame = ({ id, row }: Entry) => {
    const known = others.entry(id)?.row
    return known !== undefined && columns.every(column => sameJson(getKey(row, column), getKey(known, column)))
  }
  return rows.size === others.size && rows.entries().every(isSame)
}

function* decodedChanges(
  { changes, clock }: Past,
  {
    base,
    end,
    publicUrlOf,
  }: { readonly base: WorldState; readonly end: WorldState; readonly publicUrlOf: PublicUrlOf },
): Generator<LoggedChangeSet> {
  let { faults, revision: last } = base
  for (const [, revision, text, name] of changes) {
    if (revision <= last) throw new Error(`revision ${revision} comes after ${last}`)
    last = revision
    const { origin: _, ...result } = decodeChangeSet(parsed('change', text), { revision, faults, publicUrlOf })
    faults = result.faults ?? faults
    yield { ...result, initial: name && { state: { ...end, ...name }, clock } }
  }
}

function parsed(kind: Parameters<typeof checkSent>[0], text: string): unknown {
  const json = parseJson(text)
  checkSent(kind, json)
  return json
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
