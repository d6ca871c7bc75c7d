import type { OperationId } from '../contract/operations.js'
import { bootstrap, inspect } from './auth.js'
import type { Behaviour } from './behaviour.js'
import { completeDeviceLink, getDeviceLink, prepareDeviceLink } from './device-link.js'
import { createCloudToken, getGame } from './game.js'
import { getLobbyState, readyLobby, setLobbyClosed, setLobbyState } from './game-server.js'
import { createLobby } from './lobbies-create.js'
import { findLobby } from './lobbies-find.js'
import { joinLobby } from './lobbies-join.js'
import { listLobbies } from './lobbies-list.js'
import { updateMatchmakerConfig, validateMatchmakerConfig } from './matchmaker-config.js'
import { createNamespace, getNamespace, updateNamespaceVersion } from './namespace.js'
import { addDomain, removeDomain, toggleDomainPublicAuth } from './namespace-domain.js'
import { createDevelopmentToken, createPublicToken } from './namespace-token.js'
import { playerConnected, playerDisconnected } from './players.js'
import { listRegions } from './regions.js'
import { getStatistics } from './statistics.js'
import { validateDevelopmentToken } from './validate-development-token.js'
import { validateNamespace } from './validate-namespace.js'

/** A behaviour for each operation. */
export type Behaviours = { readonly [Id in OperationId]: Behaviour<Id> }

/** What the service answers. An operation without its behaviour does not compile. */
export const behaviours: Behaviours = {
  'lobbies.list': listLobbies,
  'lobbies.find': findLobby,
  'lobbies.join': joinLobby,
  'lobbies.create': createLobby,
  'lobbies.ready': readyLobby,
  'lobbies.setClosed': setLobbyClosed,
  'lobbies.setState': setLobbyState,
  'lobbies.getState': getLobbyState,
  'players.connected': playerConnected,
  'players.disconnected': playerDisconnected,
  'players.getStatistics': getStatistics,
  'regions.list': listRegions,
  'games.getGameById': getGame,
  'games.tokens.createCloudToken': createCloudToken,
  'games.namespaces.validateGameNamespace': validateNamespace,
  'games.namespaces.createGameNamespace': createNamespace,
  'games.namespaces.getGameNamespaceById': getNamespace,
  'games.namespaces.updateGameNamespaceVersion': updateNamespaceVersion,
  'games.namespaces.updateGameNamespaceMatchmakerConfig': updateMatchmakerConfig,
  'games.namespaces.validateGameNamespaceMatchmakerConfig': validateMatchmakerConfig,
  'games.namespaces.validateGameNamespaceTokenDevelopment': validateDevelopmentToken,
  'games.namespaces.createGameNamespaceTokenDevelopment': createDevelopmentToken,
  'games.namespaces.createGameNamespaceTokenPublic': createPublicToken,
  'games.namespaces.toggleNamespaceDomainPublicAuth': toggleDomainPublicAuth,
  'games.namespaces.addNamespaceDomain': addDomain,
  'games.namespaces.removeNamespaceDomain': removeDomain,
  'devices.links.get': getDeviceLink,
  'devices.links.prepare': prepareDeviceLink,
  'devices.links.complete': completeDeviceLink,
  'cloud.bootstrap': bootstrap,
  'auth.inspect': inspect,
}
