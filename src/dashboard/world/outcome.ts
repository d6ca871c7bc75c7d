import type { ExplainedCandidate, ShortenedEntry } from '../../core/contract/journal.js'
import type { OperationId } from '../../core/contract/operations.js'
import { exactValue } from '../../core/lib/json.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { describeOutcome } from '../../core/pipeline/outcome.js'
import { bytes, duration, stateSummary } from '../ui/format.js'
import type { FollowedWorld } from './followed-world.js'
import { placeName, regionName } from './lobby-rows.js'

type Outcomes = Pick<FollowedWorld, 'tables' | 'made'>

type Answered = Pick<
  ShortenedEntry,
  'status' | 'operation' | 'body' | 'answer' | 'answer_bytes' | 'fault' | 'revisions'
>

/** Names a request by its operation, or by its method and path. */
export function operationName({
  operation,
  method,
  path,
}: Pick<ShortenedEntry, 'operation' | 'method' | 'path'>): string {
  return operation ?? `${method} ${path}`
}

/**
 * Says in a few words how a request ended: `206 lobbies`, `seat in Frankfurt`, or the sentence of an error. Empty if the status
 * says enough, and while a long answer is not here.
 */
export function outcomeOf(entry: Answered, world: Outcomes): string {
  const { status, operation, answer, fault } = entry
  if (fault !== undefined && (status === 0 || status >= 400))
    return `The fault “${fault}” ${status === 0 ? 'closed the connection' : 'gave this answer'}.`
  if (status === 0) return 'The connection closed without an answer.'
  if (status >= 400) {
    const { code, message } = errorOf(answer)
    return sentence(withPlace(message || code || `${status}`, entry, world))
  }
  if (operation === undefined) return ''
  const phrase = Object.hasOwn(phrases, operation) ? phrases[operation as OperationId] : undefined
  return phrase?.(entry) ?? describeOutcome(operation, answer, id => seatText(id, entry, world)) ?? ''
}

/** Names the lobby of a request in words, where a text has its id. */
function withPlace(text: string, { body }: Answered, { tables }: Outcomes): string {
  const lobby = tables.lobbies.get(Object(body).lobby_id)
  return lobby ? text.replaceAll(lobby.lobby_id, () => placeName(lobby, tables)) : text
}

/** Begins a text with a capital letter, and ends it with a full stop. */
export function sentence(text: string): string {
  const end = /[.!?…]$/.test(text) ? '' : '.'
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`
}

/** Says where a seat is, and if the request made its lobby. */
function seatText(lobbyId: string, { revisions }: Answered, { tables, made }: Outcomes): string {
  const lobby = tables.lobbies.get(lobbyId)
  if (!lobby) return 'a seat'
  const isNew = revisions?.includes(made.get(lobbyId)?.revision ?? Number.NaN)
  return `${isNew ? 'new lobby' : 'seat'} in ${regionName(lobby.region_id, tables)}`
}

/** Returns the error code and the message of an answer, which may be anything. */
export function errorOf(answer: unknown): { readonly code?: string; readonly message?: string } {
  const { code, message } = Object(answer) as { readonly code?: unknown; readonly message?: unknown }
  return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) }
}

/** Says how long a request took, or how long it waited on the world's clock: `2 ms`, `waited 16 s`. */
export function timeWords({ ms, time, since }: ShortenedEntry): string {
  if (since !== undefined) return `waited ${duration(Date.parse(time) - Date.parse(since))}`
  return duration(ms)
}

type Phrase = (entry: Answered) => string | undefined

const phrases: { readonly [Id in OperationId]?: Phrase } = {
  'lobbies.ready': () => 'ready',
  'lobbies.setClosed': ({ body }) => (Object(body).is_closed === true ? 'closed' : 'open'),
  'lobbies.setState': entry => stateSummary(exactValue(entry, 'body')) || 'saved',
  'lobbies.getState': entry =>
    stateSummary(exactValue(entry, 'answer')) ||
    (entry.answer_bytes === undefined ? 'the state' : `${bytes(entry.answer_bytes)} of state`),
  'players.connected': () => 'plays',
  'players.disconnected': () => 'left',
  'games.getGameById': named('game'),
  'games.tokens.createCloudToken': () => 'new cloud token',
  'games.namespaces.createGameNamespace': () => 'new namespace',
  'games.namespaces.getGameNamespaceById': named('namespace'),
  'games.namespaces.updateGameNamespaceVersion': () => 'new version',
  'games.namespaces.updateGameNamespaceMatchmakerConfig': () => 'configured',
  'games.namespaces.validateGameNamespaceMatchmakerConfig': () => 'valid',
  'games.namespaces.createGameNamespaceTokenDevelopment': () => 'new development token',
  'games.namespaces.createGameNamespaceTokenPublic': () => 'new public token',
  'games.namespaces.toggleNamespaceDomainPublicAuth': () => 'switched',
  'games.namespaces.addNamespaceDomain': ({ body }) => `${Object(body).domain ?? 'a domain'} added`,
  'games.namespaces.removeNamespaceDomain': () => 'removed',
  'devices.links.prepare': () => 'new link',
  'devices.links.complete': () => 'completed',
  'cloud.bootstrap': () => 'the settings',
  'auth.inspect': () => 'the identity',
}

function named(key: string): Phrase {
  return ({ answer }) => {
    const { display_name } = Object(Object(answer)[key])
    return typeof display_name === 'string' ? display_name : undefined
  }
}

/** Tells the colour of a status. */
export function statusKind({ status }: Pick<ShortenedEntry, 'status'>): 'good' | 'bad' {
  return status >= 200 && status < 400 ? 'good' : 'bad'
}

/** Tells whether find chose a compared lobby. */
export const isChosen = ({ because }: ExplainedCandidate) => because === undefined

/** Tells whether a compared lobby had a free seat that fits. */
export function fits(one: ExplainedCandidate): boolean {
  const { lost_by } = one
  return isChosen(one) || lost_by === 'seats' || lost_by === 'distance' || lost_by === 'order'
}

/** Says for the map how many seats each region has for a find: `1 seat free, 6,494 km`. */
export function seatNotes(candidates: readonly ExplainedCandidate[]): ReadonlyMap<string, RegionNote> {
  const notes = new Map<string, RegionNote>()
  for (const { region_id, kilometers } of candidates) {
    const there = candidates.filter(one => one.region_id === region_id)
    const free = there.reduce((sum, { free_seats }) => sum + free_seats, 0)
    notes.set(region_id, { hasWon: false, text: withDistance(`${counted(free, 'seat', 'seats')} free`, kilometers) })
  }
  return notes
}

function withDistance(words: string, kilometers: number | undefined): string {
  return kilometers === undefined ? words : `${words}, ${kilometersText(kilometers)}`
}

/** Says for the map how the lobbies of each region fared: `chosen, 931 km`, `lost, 424 km` or `11 lost, 424 km`. */
export function regionNotes(candidates: readonly ExplainedCandidate[]): ReadonlyMap<string, RegionNote> {
  const notes = new Map<string, RegionNote>()
  for (const { region_id, kilometers } of candidates) {
    if (notes.has(region_id)) continue
    const there = candidates.filter(one => one.region_id === region_id)
    const hasWon = there.some(isChosen)
    const words = hasWon ? 'chosen' : there.length === 1 ? 'lost' : `${grouped(there.length)} lost`
    notes.set(region_id, { hasWon, text: withDistance(words, kilometers) })
  }
  return notes
}

interface RegionNote {
  readonly text: string
  readonly hasWon: boolean
}

/** Writes a distance: `1,247 km`, or a dash if it is not known. */
export function kilometersText(kilometers: number | undefined): string {
  return kilometers === undefined ? '–' : `${grouped(Math.round(kilometers))} km`
}
