import * as z from 'zod'
import type { OperationSpec } from './operation.js'
import { Port } from './port.js'
import { Uint32 } from './uint32.js'
import { Validation } from './validation.js'

const inGame = z.object({ game_id: z.string().meta({ description: 'The id of a game.' }) })
const inNamespace = inGame.extend({
  namespace_id: z.string().meta({ description: 'The id of a namespace of the game.' }),
})

/** What the cloud does with the namespaces of games. */
export const namespaceOperations = {
  'games.namespaces.validateGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/validate',
    summary: 'Says what is wrong with the names of a namespace to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: inGame,
    body: z.object({ display_name: z.string(), name_id: z.string() }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['An unknown game is no error: its names are taken as free.'],
  },
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    summary: 'Says what is wrong with the ports of a development token to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: inNamespace,
    body: z.object({ hostname: z.string(), lobby_ports: z.array(Port) }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['The hostname is not checked.'],
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config',
    summary: 'Sets how many lobbies a namespace may have, and how many players may come from one client address.',
    auth: 'bearer',
    kind: 'write',
    params: inNamespace,
    body: z.object({ lobby_count_max: Uint32, max_players: Uint32 }),
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'interface',
    fidelity: [
      'The two numbers are kept and shown, and limit nothing: no operation here makes a lobby or a player.',
      'An unknown namespace, or one of another game, is 404 `NAMESPACE_NOT_FOUND`: the real service answers 500 without a reason.',
    ],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
