import { quoted, UsageError } from '../lib/messages.js'
import type { Inputs } from '../store/inputs.js'

// Without schemas, because the client uses it too.

/** The fields of a new lobby, as for `world.lobbies.create`. */
export type NewLobby = Inputs['lobbies']

/** The fields of several new lobbies: the same for all, or by their index. */
export type NewLobbies = NewLobby | ((index: number) => NewLobby)

/** The fields of a new player. Default lobby: the newest one with a free seat, or else a new one. */
export type NewPlayer = Partial<Inputs['players']>

/** The most rows that one call creates. */
export const mostCreated = 100_000

/** Lists the fields of several lobbies. Throws `UsageError` for a wrong number. */
export function lobbyFields(count: number, fields: NewLobbies = {}): NewLobby[] {
  if (!Number.isInteger(count) || count < 0 || count > mostCreated)
    throw new UsageError(`lobbies: the number is ${quoted(count)}: expected a whole number from 0 to ${mostCreated}`)
  return Array.from({ length: count }, (_, i) => (typeof fields === 'function' ? fields(i) : fields))
}
