import { ApiError } from '../../contract/errors.js'
import type { AnswerReasons, JournalEntry } from '../../contract/journal.js'
import { type OperationId, type OperationInput, operationIds, operations } from '../../contract/operations.js'
import type { Coordinates } from '../../contract/regions.js'
import { isJsonObject, writeJson } from '../../lib/json.js'
import { parseDate, TextEncoder } from '../../lib/real-globals.js'
import { elapsedText } from '../../lib/time.js'
import { type FindCandidates, findCandidates } from '../../operations/matchmaking.js'
import { clientLocation } from '../../operations/regions.js'
import { isCanned } from '../../operations/resolver.js'
import type { MockRequest } from '../../pipeline/message.js'
import { parseBody, parseHeaders } from '../../pipeline/parse.js'
import type { ChangeSet } from '../../store/change-set.js'
import type { FaultRecord } from '../../store/faults.js'
import { type ListObstacle, listObstacles, seatsTaken } from '../../store/lobby-rules.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import type { LobbyTables, Tables } from '../../store/model.js'
import { models } from '../../store/models.js'
import { fullNameOf } from '../../store/namespaces.js'
import type { TableName } from '../../store/rows.js'
import { tablesByPath } from '../../store/table-names.js'
import type { ReadView } from '../../store/world.js'
import { choiceText, explainCandidates, obstacleTexts, unknownPlace } from './explain-find.js'
import { downRegions, listedText, outageTexts, regionsOf } from './outage-texts.js'

type ExplainedTables = LobbyTables & Pick<Tables, 'namespaces' | 'games'>

interface PastWorld extends Pick<ReadView, 'outageOf'> {
  readonly tables: ExplainedTables
  readonly faults: readonly FaultRecord[]
}

interface PastRequest {
  readonly entry: JournalEntry
  /** The world right before it. `undefined` if the history does not have it. */
  readonly before: PastWorld | undefined
  readonly starter: ReadView['starter']
  /** The change sets that it caused. `undefined` if the history does not have them. */
  readonly changeSets: readonly ChangeSet[] | undefined
}

/** Explains the answer to a past request, in at most three sentences. */
export function explainExchange({ entry, before, starter, changeSets }: PastRequest): AnswerReasons {
  const tables = before?.tables
  const find = tables && findAgain(entry, { tables, starter })
  const fault = before?.faults.find(({ id }) => id === entry.fault)
  const outages = before && entry.status === 200 ? outagesOf(entry, before) : []
  const because = [
    entry.fault && `fault ${entry.fault} applied to it${fault ? `: ${JSON.stringify(fault.fault.effect)}` : ''}`,
    entry.edited ? editedText : undefined,
    fault?.fault.effect.error || entry.edited ? undefined : reasonOf(entry, tables, find),
    ...outages,
    entry.fault === undefined && outages.length === 0 ? callerText(entry, tables) : undefined,
    changesText(entry, changeSets),
  ].filter(text => text !== undefined)
  const verdict = verdictOf(entry)
  if (!before || !tables || !find) return { verdict, because }
  const { namespace_id } = entry.caller ?? {}
  const down = namespace_id === undefined ? [] : downRegions(namespace_id, findInputOf(entry), before)
  const candidates = explainCandidates(find.candidates, { ...find, tables })
  return { verdict, because, candidates, ...(down.length > 0 && { outages: down }) }
}

function outagesOf(entry: JournalEntry, { tables, outageOf }: PastWorld): string[] {
  const { operation, caller } = entry
  if (operation === 'regions.list')
    return tables.regions
      .all()
      .flatMap(({ region_id, region_display_name }) =>
        outageOf(region_id) === undefined ? [] : [listedText(region_display_name)],
      )
  if (operation !== 'lobbies.find' || caller?.namespace_id === undefined || caller.kind === 'development') return []
  return outageTexts(caller.namespace_id, findInputOf(entry), { tables, outageOf })
}

const editedText = 'its release replaced the answer of the operation by another one'

function verdictOf({ status, answer, operation }: JournalEntry): string {
  if (status === 0) return 'the connection was closed without an answer'
  const code = isJsonObject(answer) && typeof answer.code === 'string' ? ` ${answer.code}` : ''
  if (status >= 400) return `${status}${code}`
  return `${status}${operation === undefined ? '' : `, answered by ${operation}`}`
}

/** Says why the mock gave this answer. Errors of the mock say it themselves. */
function reasonOf(
  entry: JournalEntry,
  tables: ExplainedTables | undefined,
  find: PastFind | undefined,
): string | undefined {
  const { status, answer, caller } = entry
  if (status >= 400 && isJsonObject(answer) && typeof answer.message === 'string') return answer.message
  const id = operationIds.find(known => known === entry.operation)
  if (status === 0 || status >= 400 || !id) return undefined
  if (caller && isCanned(operations[id].auth, caller.kind))
    return 'a development token gets a canned answer, whatever the world has'
  if (operations[id].kind === 'watch') return watchText(entry)
  if (!tables) return 'the history does not have the world before this request'
  const { namespace_id } = caller ?? {}
  if (id === 'lobbies.list' && namespace_id !== undefined) return listText(namespace_id, tables)
  return reasons[id]?.(entry, tables, find) ?? operations[id].summary
}

type Reason = (entry: JournalEntry, tables: ExplainedTables, find: PastFind | undefined) => string | undefined

const reasons: { readonly [Id in OperationId]?: Reason } = {
  'lobbies.find'(entry, tables, find) {
    const lobby = lobbyOf(entry, tables)
    const isPlaceless = find && find.location === undefined && find.regions.length > 1
    const place = isPlaceless ? `. ${unknownPlace}` : ''
    if (!lobby)
      return `no lobby in the requested game modes and regions had a free seat that fits, so the mock created one${place}`
    return choiceText(lobby, find?.candidates.ties ?? 0) + place
  },
  'lobbies.join'(entry, tables) {
    const lobby = lobbyOf(entry, tables)
    return lobby && `the lobby had a free seat for join: ${seatsTaken(lobby)} of ${lobby.max_players_direct} were taken`
  },
  'lobbies.create': () => 'every create makes a new lobby, in the requested region or else in the nearest one',
}

function lobbyOf({ answer }: JournalEntry, { lobbies }: ExplainedTables): LobbyRow | undefined {
  const lobby = isJsonObject(answer) ? answer.lobby : undefined
  return isJsonObject(lobby) && typeof lobby.lobby_id === 'string' ? lobbies.get(lobby.lobby_id) : undefined
}

function listText(namespace_id: string, tables: ExplainedTables): string {
  const running: LobbyRow[] = []
  for (const lobby of tables.lobbies.all()) {
    if (lobby.namespace_id === namespace_id && lobby.status !== 'stopped') running.push(lobby)
  }
  const obstacleOf = listObstacles(running, tables)
  const hidden = new Map<ListObstacle, number>()
  for (const lobby of running) {
    const obstacle = obstacleOf(lobby)
    if (obstacle !== undefined) hidden.set(obstacle, (hidden.get(obstacle) ?? 0) + 1)
  }
  const counts = [...hidden].map(([obstacle, count]) => `${count} ${obstacleTexts[obstacle]}`)
  const listed = [...hidden.values()].reduce((rest, count) => rest - count, running.length)
  const others = counts.length === 0 ? '' : `. The others are hidden: ${counts.join(', ')}`
  return `${fullNameOf(namespace_id, tables)} has ${running.length} running lobbies, and ${listed} are listed${others}`
}

function watchText({ query, answer, blocked_ms, time, since }: JournalEntry): string {
  const watch = isJsonObject(answer) ? answer.watch : undefined
  const isSame = isJsonObject(watch) && watch.index === query.watch_index
  const waitedMs = since === undefined ? blocked_ms : parseDate(time) - parseDate(since)
  const waited = `it waited ${elapsedText(waitedMs)}`
  if (blocked_ms > 0)
    return isSame ? `${waited}, and nothing that it watches changed` : `${waited}, until a change of what it watches`
  if (query.watch_index === undefined) return 'it sent no watch_index, so it did not wait'
  return isSame ? 'it did not wait' : 'what it watches had changed since its watch_index, so it did not wait'
}

interface PastFind {
  readonly candidates: FindCandidates
  readonly location: Coordinates | undefined
  readonly regions: readonly string[]
}

function findAgain(
  entry: JournalEntry,
  { tables, starter }: { readonly tables: ExplainedTables; readonly starter: ReadView['starter'] },
): PastFind | undefined {
  const { caller, operation, status, answer } = entry
  const hasLooked = status === 200 || (isJsonObject(answer) && answer.code === 'MATCHMAKER_NO_AVAILABLE_LOBBIES')
  if (!hasLooked) return undefined
  if (operation !== 'lobbies.find' || caller?.namespace_id === undefined || caller.kind === 'development')
    return undefined
  try {
    const input = findInputOf(entry)
    return {
      candidates: findCandidates(caller.namespace_id, { input, tables, starter }),
      location: clientLocation(input, tables),
      regions: regionsOf(caller.namespace_id, input, { tables }),
    }
  } catch (error) {
    // The journal does not keep a long body.
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Parses a find again. The journal has it with shorter tokens, which find does not read. */
function findInputOf({ method, path, headers, body }: JournalEntry): OperationInput<'lobbies.find'> {
  const spec = operations['lobbies.find']
  const request: MockRequest = { method, path, headers, body: new TextEncoder().encode(writeJson(body ?? {})) }
  return { ...parseHeaders(spec, request), ...parseBody(spec, request) } as unknown as OperationInput<'lobbies.find'> // by its schemas
}

function callerText({ caller }: JournalEntry, tables: ExplainedTables | undefined): string | undefined {
  if (!caller) return undefined
  const { kind, namespace_id, game_id } = caller
  if (kind === 'anonymous') return 'it had no token, and needs none'
  const namespace = namespace_id === undefined || !tables ? undefined : fullNameOf(namespace_id, tables)
  const owner = namespace ?? (game_id === undefined ? undefined : tables?.games.get(game_id)?.name_id)
  if (kind === 'tokenless') return `it had no token, and ${owner ?? 'the namespace'} needs none`
  return `it had a ${kind.replace('_', ' ')} token${owner === undefined ? '' : ` of ${owner}`}`
}

const paths = new Map(Object.entries(tablesByPath).map(([path, table]): [TableName, string] => [table, path]))

function changesText({ revisions }: JournalEntry, changeSets: readonly ChangeSet[] = []): string {
  const counts = new Map<TableName, number>()
  for (const { changes } of changeSets) for (const { table } of changes) counts.set(table, (counts.get(table) ?? 0) + 1)
  if (changeSets.length === 0 && revisions) return 'it changed the world, and the history does not have the change'
  if (counts.size === 0) return 'it changed nothing in the world'
  const texts = [...counts].map(
    ([table, count]) => `${count} ${count === 1 ? models[table].singular : paths.get(table)?.replace('-', ' ')}`,
  )
  return `it changed ${texts.join(' and ')}`
}
