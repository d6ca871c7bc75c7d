import type { Path } from '../contract/issue.js'
import { mostPlayers } from '../store/lobby-row.js'
import type { Mode } from './game-mode.js'
import { type LobbyEntry, lobbyOf } from './lobby.js'
import { countOf, type PlayerEntry } from './player.js'
import { keyProblem, type Problem, problem, type Reliance } from './problem.js'

/** The seats of a lobby that do not fit: more than it takes, or other ones than its players have. */
export function checkSeats(
  lobby: LobbyEntry,
  { path, mode, reliesOn }: { readonly path: Path; readonly mode: Mode; readonly reliesOn: Reliance },
): Problem[] {
  const { total_player_count, reserved_player_count, ...rest } = lobbyOf(lobby, mode)
  const connected = countOf(lobby.players, 'connected')
  const most = mostPlayers(rest)
  const at = [...path, lobby.total_player_count === undefined ? 'players' : 'total_player_count']
  if (lobby.status === 'stopped' && total_player_count + reserved_player_count > 0)
    return [problem(at, 'gives players seats in a lobby that has stopped. Nobody is in it any more.', reliesOn)]
  if (total_player_count < connected)
    return [
      problem(at, `is ${total_player_count}, below ${connected}, the connected players that players lists.`, reliesOn),
    ]
  if (total_player_count + reserved_player_count <= most) return []
  const reserved = reserved_player_count > 0 ? ` with ${reserved_player_count} reserved` : ''
  const said = lobby.total_player_count === undefined ? `has ${total_player_count}` : `is ${total_player_count}`
  return [problem(at, `${said}${reserved}, above ${most}, the most players that the lobby takes.`, reliesOn)]
}

/** What a lobby or one of its players says that does not go with its status. */
export function checkStatus(lobby: LobbyEntry, path: Path): Problem[] {
  const { status = 'ready', run_by, players = [] } = lobby
  const isPlayed = status === 'starting' && run_by === 'mock'
  return [
    ...(isPlayed
      ? [
          problem([...path, 'run_by'], 'is mock, and a lobby that is starting waits for a server of its own.', {
            whole: [path],
          }),
        ]
      : []),
    ...senseless(lobby, { path, status, kind: 'lobby', meant: lobbyTimes }),
    ...players.flatMap((player, i) => {
      const { status = 'connected' } = player
      return senseless(player, { path: [...path, 'players', i], status, kind: 'player', meant: playerTimes })
    }),
  ]
}

/** To lobbies of which statuses a time means something. */
const lobbyTimes = { ready_by: ['starting'], stops_at: ['starting', 'ready'], forgotten_at: ['stopped'] } satisfies {
  readonly [Key in keyof LobbyEntry]?: readonly LobbyEntry['status'][]
}

/** To players of which statuses. */
const playerTimes = {
  expires_at: ['reserved'],
  connects_at: ['reserved'],
  leaves_at: ['connected'],
  removes_at: ['reserved', 'connected'],
  forgotten_at: ['expired', 'removed'],
} satisfies { readonly [Key in keyof PlayerEntry]?: readonly PlayerEntry['status'][] }

interface Meant {
  readonly path: Path
  readonly status: string
  readonly kind: 'lobby' | 'player'
  readonly meant: Readonly<Record<string, readonly string[]>>
}

function senseless(entry: object, { path, status, kind, meant }: Meant): Problem[] {
  return Object.entries(meant).flatMap(([key, statuses]): Problem[] => {
    if (!Object.hasOwn(entry, key) || statuses.includes(status)) return []
    const said = `is of no use to a ${kind} whose status is ${status}, only to one that is ${statuses.join(' or ')}.`
    return [keyProblem([...path, key], said, { whole: [[...path, 'status']] })]
  })
}
