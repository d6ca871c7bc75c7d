import * as z from 'zod'
import { displayNameMaxBytes } from './display-name.js'
import { InGame, InNamespace } from './game-path.js'
import { identifierShape } from './identifier.js'
import { Namespace } from './namespace.js'
import type { OperationSpec } from './operation.js'
import { Uint32 } from './uint32.js'
import { Uuid } from './uuid.js'
import { Validation } from './validation.js'

const names = z.object({ display_name: z.string(), name_id: z.string() })
const matchmakerConfig = z.object({ lobby_count_max: Uint32, max_players: Uint32 })

/** What the cloud does with the namespaces of games. */
export const namespaceOperations = {
  'games.namespaces.validateGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/validate',
    summary: 'Says what is wrong with the names of a namespace to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InGame,
    body: names,
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['An unknown game is no error: its names are taken as free.'],
  },
  'games.namespaces.createGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces',
    summary:
      "Makes a namespace with the game modes of the game's first one. The new namespace needs a token. It has none yet: create one.",
    auth: 'cloud',
    kind: 'write',
    params: InGame,
    // The behaviour checks the names: what is wrong with them is `VALIDATION_ERROR`.
    body: z.object({
      display_name: z.string().meta({ minLength: 1, maxLength: displayNameMaxBytes }),
      name_id: z.string().meta(identifierShape),
      version_id: Uuid,
    }),
    output: z.object({ namespace_id: z.string() }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'VALIDATION_ERROR'],
    source: 'client',
    fidelity: [
      'Any UUID is a version, and all versions of a game are alike: the game modes are those that the first namespace of the game has now, none where it is the first.',
      'What is wrong with the names is in `metadata.errors`, as the validation has it.',
    ],
  },
  'games.namespaces.getGameNamespaceById': {
    method: 'GET',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}',
    summary: 'Shows a namespace: its names, its version, its domains and its limits.',
    auth: 'cloud',
    kind: 'read',
    params: InNamespace,
    output: z.object({ namespace: Namespace }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: [
      'Players behind a VPN, a proxy, Tor or a hosting provider are not told apart: each `max_players_per_client` is the same number.',
      'Domains are verified at once, and as old as their namespace; nobody needs a password.',
      'The mock has no `kv` and no `identity`: their configurations are empty.',
    ],
  },
  'games.namespaces.updateGameNamespaceVersion': {
    method: 'PUT',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/version',
    summary: 'Sets the version that a namespace runs.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({ version_id: Uuid }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['Any UUID is a version. The game modes and the lobbies of the namespace stay as they are.'],
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config',
    summary: 'Sets how many lobbies a namespace may have, and how many players may come from one client address.',
    auth: 'bearer',
    kind: 'write',
    params: InNamespace,
    body: matchmakerConfig,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'interface',
    fidelity: [
      'An unknown namespace, or one of another game, is 404 `NAMESPACE_NOT_FOUND`: the real service answers 500 without a reason.',
    ],
  },
  'games.namespaces.validateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config/validate',
    summary: 'Says what is wrong with two such numbers: nothing where they are unsigned 32-bit integers. Sets nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InNamespace,
    body: matchmakerConfig,
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'client',
    fidelity: ['An unknown namespace is no error.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
