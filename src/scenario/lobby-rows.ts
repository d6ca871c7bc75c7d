import type { Faker } from '@faker-js/faker'
import { createRandom } from '../store/random.js'
import type { Mode } from './game-mode.js'
import { generateLobbies } from './generate.js'
import { type LobbyEntry, lobbyOf, modeOfLobby } from './lobby.js'
import type { OwnedNamespace } from './namespace-row.js'
import type { Naming } from './naming.js'

/** What the lobbies of a namespace are made with. */
interface LobbyMaking {
  readonly seed: number
  readonly naming: Naming
  /** In ms since the epoch. */
  readonly now: number
  faker(): Faker
}

/** The lobbies of a namespace: those that the scenario lists, and then those that it has generated. */
export function lobbyRows(namespace: OwnedNamespace, { seed, naming, now, faker }: LobbyMaking) {
  const { given, modes, fullName } = namespace
  const count = given.generate?.lobbies ?? 0
  const stream = createRandom(seed, `generate:${fullName}`)
  const generated =
    count === 0
      ? []
      : generateLobbies({ count, modes: [...modes.values()], seed: stream.uint32(), now, faker: faker() })
  return [
    ...rows(given.lobbies ?? [], { namespace, naming, kind: 'lobby' }),
    ...rows(generated, { namespace, naming, kind: 'generated-lobby' }),
  ]
}

interface RowMaking {
  readonly namespace: OwnedNamespace
  readonly naming: Naming
  /** Each kind counts its own, so that one lobby more in the list changes no id of the generated. */
  readonly kind: 'lobby' | 'generated-lobby'
}

function rows(entries: readonly LobbyEntry[], { namespace, naming, kind }: RowMaking) {
  const { namespace_id, fullName, modes } = namespace
  return entries.map((entry, i) => ({
    lobby_id: entry.lobby_id ?? naming.uuid(`${kind}:${fullName}/${i}`),
    namespace_id,
    ...lobbyOf(entry, modeOfLobby(entry, modes) as Mode), // check has seen to it that there is one
  }))
}
