import { counted } from '../../lib/messages.js'
import { elapsedText, formatDuration } from '../../lib/time.js'
import { lobbyPorts } from '../../operations/lobbies.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import { playerName } from '../../store/player-names.js'
import type { Timer } from '../../store/timers.js'
import type { LiveWorld } from '../../store/world.js'
import { RecentMap } from './recent-map.js'
import type { ClientSeat, Rule, WarningFacts, WarningSubject } from './warning.js'

/** The region of a lobby, by its name for people. */
export function regionName({ region_id }: Pick<LobbyRow, 'region_id'>, { tables }: Pick<LiveWorld, 'tables'>): string {
  return tables.regions.get(region_id)?.region_display_name ?? region_id
}

type NamedLobby = Pick<LobbyRow, 'game_mode_id' | 'region_id'>

/** Names a lobby for people: `duel in Frankfurt`. */
export function lobbyText(lobby: NamedLobby | undefined, world: Pick<LiveWorld, 'tables'>): string {
  return lobby ? `${lobby.game_mode_id} in ${regionName(lobby, world)}` : 'a lobby'
}

function subjectOf({ lobby_id, game_mode_id }: LobbyRow): WarningSubject {
  return { lobby_id, game_mode_id }
}

function requestOf({ request }: ClientSeat): number[] {
  return request === undefined ? [] : [request]
}

export const neverConnected: Rule<WarningFacts['never connected']> = {
  sentence: ({ player, lobby, waitedMs, others, lateMs }) => {
    const lost = `${player === undefined ? 'Lost' : `${player} lost`} the seat in ${lobby} after ${elapsedText(waitedMs)}`
    if (lateMs !== undefined) return `${lost}: its server called players.connected ${elapsedText(lateMs)} too late`
    if (!others) return `${lost}: its server never called players.connected${others === 0 ? '' : ' for this player'}`
    return `${lost}: its server called players.connected for ${counted(others, 'other player', 'other players')}, never for this one`
  },
  advice: () => 'Call POST /matchmaker/players/connected with the token of the player as soon as its client arrives.',
  observe(report, { world, isMovedSince }) {
    /** The players for whom the server of a lobby has called. */
    const connected = new RecentMap<number>()
    return {
      seat({ kind, seat }) {
        const { token, lobby_id, at } = seat
        if (kind === 'connected') connected.set(lobby_id, (connected.get(lobby_id) ?? 0) + 1)
        const lobby = world.tables.lobbies.get(lobby_id)
        if (kind !== 'expired' || !lobby || isMovedSince(at)) return
        report({
          key: lobby_id,
          facts: {
            player: playerName(token),
            lobby: lobbyText(lobby, world),
            waitedMs: world.clock.now() - at,
            others: connected.get(lobby_id) ?? 0,
          },
          subject: { ...subjectOf(lobby), players: [token] },
          requests: requestOf(seat),
        })
      },
    }
  },
}

/** So many seats in a row that expire are a mistake of their client. */
const fewestUnused = 3

export const seatsUnused: Rule<WarningFacts['seats unused']> = {
  sentence: ({ address, seats }) => `${address} took ${seats} seats and used none: each expired`,
  advice: () =>
    'Connect to the game server with the token of the seat. Ask for a seat only when the player is ready to play.',
  observe(report, { isMovedSince }) {
    /** The first seats of an address that have expired since its last player connected, and their number. */
    const unused = new RecentMap<{ readonly first: ClientSeat[]; count: number }>()
    return {
      seat({ kind, seat }) {
        const { address } = seat
        if (kind === 'connected') unused.delete(address)
        if (kind !== 'expired' || isMovedSince(seat.at)) return
        const known = unused.get(address) ?? { first: [], count: 0 }
        unused.set(address, known)
        known.count += 1
        if (known.count <= fewestUnused) known.first.push(seat)
        if (known.count < fewestUnused) return
        const seats = known.count === fewestUnused ? known.first : [seat]
        report({
          key: address,
          facts: { address, seats: known.count },
          subject: { address, players: seats.map(({ token }) => token) },
          requests: seats.flatMap(requestOf),
          count: seats.length,
          since: known.first[0]?.at ?? seat.at,
        })
      },
    }
  },
}

const readyWithinMs = 10_000

export const neverReady: Rule<WarningFacts['never ready']> = {
  sentence: ({ who, ms }) =>
    `${who} did not call POST /matchmaker/lobbies/ready ${ms === undefined ? 'in time' : `within ${formatDuration(ms)}`}`,
  advice: () => 'Call it with the token of the lobby as soon as the server takes players. Until then each find waits.',
  observe(report, { world, isMovedSince }) {
    /** The times since when lobbies start, the oldest first. */
    const starting = new Map<string, number>()
    let timer: Timer | undefined
    const arm = (): void => {
      const [since] = starting.values()
      if (timer || since === undefined) return
      timer = world.clock.after(Math.max(0, since + readyWithinMs - world.clock.now()), check)
    }
    const check = (): void => {
      timer = undefined
      const now = world.clock.now()
      for (const [id, since] of starting) {
        if (since + readyWithinMs > now) break
        starting.delete(id)
        const lobby = world.tables.lobbies.get(id)
        if (lobby?.status !== 'starting' || isMovedSince(since)) continue
        const who = `The game server of ${lobbyText(lobby, world)}`
        report({ key: id, facts: { who, ms: readyWithinMs }, subject: subjectOf(lobby), requests: [], since })
      }
      arm()
    }
    return {
      change({ changes, at }) {
        for (const { table, id, before, after } of changes) {
          if (table !== 'lobbies') continue
          const isStarting = after?.row.status === 'starting'
          if (isStarting && before?.row.status !== 'starting') starting.set(id, at)
          if (!isStarting) starting.delete(id)
        }
        arm()
      },
      end() {
        if (timer) world.clock.cancel(timer)
      },
    }
  },
}

export const seatsWithoutPorts: Rule<WarningFacts['seats without ports']> = {
  sentence: ({ mode }) => `Seats in ${mode} have no port: the answers say ports: {}, so no client can reach the game`,
  advice: () =>
    'Give the game mode a port in the scenario: ports: { lobby_ports: [{ label: default, target_port: 7777 }] }.',
  observe(report, { world }) {
    return {
      seat({ kind, seat }) {
        const lobby = kind === 'answered' ? world.tables.lobbies.get(seat.lobby_id) : undefined
        if (!lobby || lobbyPorts(lobby, world.tables).length > 0) return
        const { game_mode_id, namespace_id } = lobby
        report({
          key: `${namespace_id} ${game_mode_id}`,
          facts: { mode: game_mode_id },
          subject: { ...subjectOf(lobby), players: [seat.token] },
          requests: requestOf(seat),
        })
      },
    }
  },
}
