import { Random } from '../store/random.js'
import type { Mode } from './game-mode.js'
import { generateLobbies } from './generate.js'
import { type LobbyEntry, lobbyOf, lobbyStateOf, modeOfLobby } from './lobby.js'
import type { OwnedNamespace } from './namespace-row.js'
import type { Naming } from './naming.js'
import { playerOf } from './player.js'

/** What the lobbies of a namespace are made with. */
export interface LobbyMaking {
  readonly seed: number
  /** Who plays their game servers where they do not say. */
  readonly servers: 'auto' | 'manual'
  readonly naming: Naming
}

/** How many lobbies a namespace begins with. */
export function lobbyCount({ given }: Pick<OwnedNamespace, 'given'>): number {
  return (given.lobbies?.length ?? 0) + (given.generate?.lobbies ?? 0)
}

/** The lobbies of a namespace, one by one: those that the scenario lists, and then those that are generated meanwhile. */
export function* lobbyRows(namespace: OwnedNamespace, making: LobbyMaking): Iterable<object> {
  const { given, modes, fullName } = namespace
  const { seed } = making
  yield* rows(given.lobbies ?? [], { ...making, namespace, kind: 'lobby' })
  const count = given.generate?.lobbies ?? 0
  if (count === 0) return
  const stream = new Random(seed, `generate:${fullName}`)
  const generation = { count, modes: [...modes.values()], seed: stream.uint32() }
  yield* rows(generateLobbies(generation), { ...making, namespace, kind: 'generated-lobby' })
}

/** The players of a namespace that its lobbies list, in their order. */
export function* playerRows(namespace: OwnedNamespace, { naming }: LobbyMaking): Iterable<object> {
  const { given, namespace_id, fullName } = namespace
  for (const [i, lobby] of (given.lobbies ?? []).entries()) {
    const lobby_id = lobbyIdOf(lobby, { naming, stream: `lobby:${fullName}/${i}` })
    for (const [j, player] of (lobby.players ?? []).entries()) {
      const player_token = player.token ?? naming.token(`player:${fullName}/${i}/${j}`, 'player')
      yield { player_token, lobby_id, namespace_id, ...playerOf(player) }
    }
  }
}

function lobbyIdOf({ lobby_id }: LobbyEntry, { naming, stream }: { readonly naming: Naming; readonly stream: string }) {
  return lobby_id ?? naming.uuid(stream)
}

interface RowMaking extends Pick<LobbyMaking, 'naming' | 'servers'> {
  readonly namespace: OwnedNamespace
  /** Each kind counts its own, so that one lobby more in the list changes no id of the generated. */
  readonly kind: 'lobby' | 'generated-lobby'
}

function* rows(entries: Iterable<LobbyEntry>, making: RowMaking): Iterable<object> {
  const { namespace, naming, kind } = making
  const { namespace_id, fullName, modes } = namespace
  let i = 0
  for (const entry of entries) {
    const lobby_id = lobbyIdOf(entry, { naming, stream: `${kind}:${fullName}/${i}` })
    i += 1
    // check has seen to it that there is a mode.
    const columns = lobbyOf(entry, modeOfLobby(entry, modes) as Mode)
    yield { lobby_id, namespace_id, ...columns, ...lobbyStateOf(entry, making) }
  }
}
