import type { Faker } from '@faker-js/faker'
import { Random } from '../store/random.js'
import type { Mode } from './game-mode.js'
import { generateLobbies } from './generate.js'
import { type LobbyEntry, lobbyOf, modeOfLobby } from './lobby.js'
import type { OwnedNamespace } from './namespace-row.js'
import type { Naming } from './naming.js'

/** What the lobbies of a namespace are made with. */
export interface LobbyMaking {
  readonly seed: number
  readonly naming: Naming
  /** In ms since the epoch. */
  readonly now: number
  faker(): Faker
}

/** How many lobbies a namespace begins with. */
export function lobbyCount({ given }: Pick<OwnedNamespace, 'given'>): number {
  return (given.lobbies?.length ?? 0) + (given.generate?.lobbies ?? 0)
}

/** The lobbies of a namespace, one by one: those that the scenario lists, and then those that are generated meanwhile. */
export function* lobbyRows(namespace: OwnedNamespace, { seed, naming, now, faker }: LobbyMaking): Iterable<object> {
  const { given, modes, fullName } = namespace
  yield* rows(given.lobbies ?? [], { namespace, naming, kind: 'lobby' })
  const count = given.generate?.lobbies ?? 0
  if (count === 0) return
  const stream = new Random(seed, `generate:${fullName}`)
  const generation = { count, modes: [...modes.values()], seed: stream.uint32(), now, faker: faker() }
  yield* rows(generateLobbies(generation), { namespace, naming, kind: 'generated-lobby' })
}

interface RowMaking {
  readonly namespace: OwnedNamespace
  readonly naming: Naming
  /** Each kind counts its own, so that one lobby more in the list changes no id of the generated. */
  readonly kind: 'lobby' | 'generated-lobby'
}

function* rows(entries: Iterable<LobbyEntry>, { namespace, naming, kind }: RowMaking): Iterable<object> {
  const { namespace_id, fullName, modes } = namespace
  let i = 0
  for (const entry of entries) {
    const lobby_id = entry.lobby_id ?? naming.uuid(`${kind}:${fullName}/${i}`)
    i += 1
    // check has seen to it that there is a mode.
    yield { lobby_id, namespace_id, ...lobbyOf(entry, modeOfLobby(entry, modes) as Mode) }
  }
}
