import * as z from 'zod'
import { CoordinatesHeader } from './coordinates.js'
import type { OperationSpec } from './operation.js'
import { Region } from './region.js'

/** What a client asks of the matchmaker about regions. */
export const regionOperations = {
  'regions.list': {
    method: 'GET',
    path: '/matchmaker/regions',
    summary: 'Lists the regions that the game modes of a namespace enable.',
    auth: 'namespace',
    kind: 'read',
    headers: z.object({ 'x-coords': CoordinatesHeader.optional() }),
    output: z.object({ regions: z.array(Region) }),
    errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_HEADERS'],
    source: 'client',
    fidelity: ['The same regions, in the same order and as far away, as in `lobbies.list`.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
