import type { OperationId } from '../contract/operations.js'
import type { Behaviour } from './behaviour.js'
import { completeDeviceLink, getDeviceLink, prepareDeviceLink } from './device-link.js'
import { listLobbies } from './lobbies-list.js'
import { updateMatchmakerConfig } from './matchmaker-config.js'
import { validateDevelopmentToken } from './validate-development-token.js'
import { validateNamespace } from './validate-namespace.js'

/** A behaviour for each operation. */
export type Behaviours = { readonly [Id in OperationId]: Behaviour<Id> }

/** What the service answers. An operation without its behaviour does not compile. */
export const behaviours: Behaviours = {
  'lobbies.list': listLobbies,
  'games.namespaces.validateGameNamespace': validateNamespace,
  'games.namespaces.validateGameNamespaceTokenDevelopment': validateDevelopmentToken,
  'games.namespaces.updateGameNamespaceMatchmakerConfig': updateMatchmakerConfig,
  'devices.links.get': getDeviceLink,
  'devices.links.prepare': prepareDeviceLink,
  'devices.links.complete': completeDeviceLink,
}
