import * as z from 'zod'
import { InNamespace } from './game-path.js'
import type { OperationSpec } from './operation.js'

/** From where a namespace may be called without a token. */
export const namespaceDomainOperations = {
  'games.namespaces.toggleNamespaceDomainPublicAuth': {
    method: 'PUT',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domain-public-auth',
    summary: 'Says whether the pages of a namespace may call without a token.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({ enabled: z.boolean() }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['Of the default namespace it holds for callers without a known Origin, too: see `lobbies.list`.'],
  },
  'games.namespaces.addNamespaceDomain': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domains',
    summary: 'Gives a namespace a domain, whose pages then belong to it.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({
      domain: z
        .string()
        .meta({ description: 'A host name: no scheme, no port, no path.', minLength: 1, maxLength: 253 }),
    }),
    output: z.object({}),
    errors: [
      'API_UNAUTHORIZED',
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_BODY',
      'NAMESPACE_NOT_FOUND',
      'VALIDATION_ERROR',
    ],
    source: 'client',
    fidelity: [
      'The mock looks at no DNS. A text that is no host name, and a domain that another namespace has, are `VALIDATION_ERROR` with `metadata.errors`: `["domain", "invalid"]` and `["domain", "not-unique"]`.',
      'A domain that the namespace has already is no error.',
    ],
  },
  'games.namespaces.removeNamespaceDomain': {
    method: 'DELETE',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domains/{domain}',
    summary: 'Removes a domain from a namespace.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace.extend({ domain: z.string().meta({ description: 'A domain of the namespace.' }) }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['A domain that the namespace does not have is no error: it is gone all the same.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
