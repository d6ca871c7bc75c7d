import * as z from 'zod'
import { CoordinatesHeader } from './coordinates.js'
import { GameMode } from './game-mode.js'
import { Lobby } from './lobby.js'
import type { OperationSpec } from './operation.js'
import { Region } from './region.js'

/** What a client asks of the matchmaker about lobbies, and what a lobby's server says of its own. */
export const lobbyOperations = {
  'lobbies.list': {
    method: 'GET',
    path: '/matchmaker/lobbies/list',
    summary: 'Lists the open lobbies of a namespace, with its game modes and regions.',
    auth: 'namespace',
    kind: 'read',
    query: z.object({
      include_state: z
        .enum(['true', 'false'])
        .default('false')
        .transform(text => text === 'true')
        .meta({ description: 'Whether each lobby carries its state.' }),
    }),
    headers: z.object({ 'x-coords': CoordinatesHeader.optional() }),
    output: z.object({ game_modes: z.array(GameMode), lobbies: z.array(Lobby), regions: z.array(Region) }),
    errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY', 'API_BAD_HEADERS'],
    source: 'interface',
    fidelity: [
      'Every open lobby is listed, also an empty one: the real service hides an empty lobby unless it is the only one of its mode. `hide_empty_lobbies: true` in the scenario does the same.',
      'Where no token and no known Origin is sent (curl, a native client), the default namespace of the scenario answers if it is tokenless: the real service refuses.',
      'An Origin is matched by its host name alone, with any scheme and port: games under development run on http and odd ports.',
      'The distance is the WGS84 geodesic from `x-coords`, else from the `client` of the scenario, else 0: nothing looks up where an address is.',
    ],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
