import type { ShortenedEntry } from '../contract/journal.js'
import { bytes, counted, duration } from './format.js'
import type { Tables } from './live-world.js'
import { regionName } from './lobby-rows.js'

type AnyObject = Readonly<Record<string, unknown>>

/** Says in a few words how a request ended: `206 lobbies`, `a seat in duel, Frankfurt`, or the message of an error. */
export function outcomeOf(entry: ShortenedEntry, tables: Tables): string {
  const { status, operation } = entry
  if (status === 0) return 'closed without an answer'
  const answer = isObject(entry.answer) ? entry.answer : undefined
  if (status >= 400) return errorText(answer) ?? `${status}`
  if (operation === undefined) return ''
  if (!answer) return entry.answer_bytes === undefined ? 'done' : bytes(entry.answer_bytes)
  return outcomes[operation]?.(answer, tables) ?? 'answered'
}

function isObject(value: unknown): value is AnyObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function errorText(answer: AnyObject | undefined): string | undefined {
  if (typeof answer?.message === 'string' && answer.message !== '') return answer.message
  return typeof answer?.code === 'string' ? answer.code : undefined
}

const listText = (one: string, many: string, key: string) => (answer: AnyObject) => {
  const list = answer[key]
  return Array.isArray(list) ? counted(list.length, one, many) : undefined
}

const seatText = ({ lobby }: AnyObject, tables: Tables) => {
  if (!isObject(lobby) || typeof lobby.lobby_id !== 'string') return undefined
  const row = tables.lobbies.get(lobby.lobby_id)
  return row ? `a seat in ${row.game_mode_id}, ${regionName(row.region_id, tables)}` : 'a seat'
}

const outcomes: { readonly [operation: string]: (answer: AnyObject, tables: Tables) => string | undefined } = {
  'lobbies.list': listText('lobby', 'lobbies', 'lobbies'),
  'lobbies.find': seatText,
  'lobbies.join': seatText,
  'lobbies.create': seatText,
  'regions.list': listText('region', 'regions', 'regions'),
  'players.getStatistics': ({ player_count }) =>
    typeof player_count === 'number' ? counted(player_count, 'player', 'players') : undefined,
  'devices.links.prepare': () => 'a device link',
  'devices.links.get': ({ cloud_token }) => (cloud_token === undefined ? 'not complete yet' : 'complete'),
  'games.tokens.createCloudToken': () => 'a cloud token',
  'games.namespaces.createGameNamespace': () => 'a namespace',
  'games.namespaces.createGameNamespaceTokenDevelopment': () => 'a development token',
  'games.namespaces.createGameNamespaceTokenPublic': () => 'a public token',
}

/** Says how long a request took, or how long it waited on the world's clock: `2 ms`, `waited 16 s`. */
export function timeWords({ ms, time, since }: ShortenedEntry): string {
  if (since !== undefined) return `waited ${duration(Date.parse(time) - Date.parse(since))}`
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`
}

/** Tells the colour of a status. */
export function statusKind({ status }: Pick<ShortenedEntry, 'status'>): 'good' | 'bad' {
  return status >= 200 && status < 400 ? 'good' : 'bad'
}
