import type { OperationId } from '../contract/operations.js'
import { bootstrap, completeDeviceLink, getDeviceLink, inspect, prepareDeviceLink } from './auth.js'
import {
  getLobbyState,
  playerConnected,
  playerDisconnected,
  readyLobby,
  setLobbyClosed,
  setLobbyState,
} from './game-server.js'
import { createCloudToken, getGame } from './games.js'
import { getStatistics, listLobbies } from './lobbies.js'
import { createLobby, findLobby, joinLobby } from './matchmaking.js'
import {
  addDomain,
  createDevelopmentToken,
  createNamespace,
  createPublicToken,
  getNamespace,
  removeDomain,
  toggleDomainPublicAuth,
  updateMatchmakerConfig,
  updateNamespaceVersion,
  validateDevelopmentToken,
  validateMatchmakerConfig,
  validateNamespace,
} from './namespaces.js'
import { listRegions } from './regions.js'
import type { Resolver } from './resolver.js'

/** The resolver of each operation. An operation without one does not compile. */
export const resolvers: { readonly [Id in OperationId]: Resolver<Id> } = {
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
