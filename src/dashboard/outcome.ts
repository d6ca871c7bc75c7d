import type { ShortenedEntry } from '../contract/journal.js'
import { describeOutcome } from '../server/outcome.js'
import { bytes, duration } from './format.js'
import type { Tables } from './live-world.js'
import { regionName } from './lobby-rows.js'

/** Says in a few words how a request ended: `206 lobbies`, `duel in Frankfurt`, or the message of an error. */
export function outcomeOf({ status, operation, answer, answer_bytes }: ShortenedEntry, tables: Tables): string {
  if (status === 0) return 'closed without an answer'
  if (status >= 400) {
    const { code, message } = errorOf(answer)
    return message || code || `${status}`
  }
  if (operation === undefined) return ''
  if (answer === undefined) return answer_bytes === undefined ? 'done' : bytes(answer_bytes)
  const describeLobby = (id: string) => {
    const lobby = tables.lobbies.get(id)
    return lobby ? `${lobby.game_mode_id} in ${regionName(lobby.region_id, tables)}` : 'a seat'
  }
  return describeOutcome(operation, answer, describeLobby) ?? 'answered'
}

/** Returns the error code and the message of an answer, which may be anything. */
export function errorOf(answer: unknown): { readonly code?: string; readonly message?: string } {
  const { code, message } = Object(answer) as { readonly code?: unknown; readonly message?: unknown }
  return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) }
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
