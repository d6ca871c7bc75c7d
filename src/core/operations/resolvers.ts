import type { OperationId } from '../contract/operations.js'
import * as auth from './auth.js'
import * as gameServer from './game-server.js'
import * as games from './games.js'
import * as lobbies from './lobbies.js'
import * as matchmaking from './matchmaking.js'
import * as namespaces from './namespaces.js'
import * as regions from './regions.js'
import type { Resolver } from './resolver.js'

/** The resolver of each operation. An operation without one does not compile. */
export const resolvers: { readonly [Id in OperationId]: Resolver<Id> } = {
  'lobbies.list': lobbies.listLobbies,
  'lobbies.find': matchmaking.findLobby,
  'lobbies.join': matchmaking.joinLobby,
  'lobbies.create': matchmaking.createLobby,
  'lobbies.ready': gameServer.readyLobby,
  'lobbies.setClosed': gameServer.setLobbyClosed,
  'lobbies.setState': gameServer.setLobbyState,
  'lobbies.getState': gameServer.getLobbyState,
  'players.connected': gameServer.playerConnected,
  'players.disconnected': gameServer.playerDisconnected,
  'players.getStatistics': lobbies.getStatistics,
  'regions.list': regions.listRegions,
  'games.getGameById': games.getGame,
  'games.tokens.createCloudToken': games.createCloudToken,
  'games.namespaces.validateGameNamespace': namespaces.validateNamespace,
  'games.namespaces.createGameNamespace': namespaces.createNamespace,
  'games.namespaces.getGameNamespaceById': namespaces.getNamespace,
  'games.namespaces.updateGameNamespaceVersion': namespaces.updateNamespaceVersion,
  'games.namespaces.updateGameNamespaceMatchmakerConfig': namespaces.updateMatchmakerConfig,
  'games.namespaces.validateGameNamespaceMatchmakerConfig': namespaces.validateMatchmakerConfig,
  'games.namespaces.validateGameNamespaceTokenDevelopment': namespaces.validateDevelopmentToken,
  'games.namespaces.createGameNamespaceTokenDevelopment': namespaces.createDevelopmentToken,
  'games.namespaces.createGameNamespaceTokenPublic': namespaces.createPublicToken,
  'games.namespaces.toggleNamespaceDomainPublicAuth': namespaces.toggleDomainPublicAuth,
  'games.namespaces.addNamespaceDomain': namespaces.addDomain,
  'games.namespaces.removeNamespaceDomain': namespaces.removeDomain,
  'devices.links.get': auth.getDeviceLink,
  'devices.links.prepare': auth.prepareDeviceLink,
  'devices.links.complete': auth.completeDeviceLink,
  'cloud.bootstrap': auth.bootstrap,
  'auth.inspect': auth.inspect,
}
