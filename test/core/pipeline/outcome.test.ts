import { expect, it } from 'vitest'
import { describeOutcome, isPlainRead } from '../../../src/core/pipeline/outcome.js'

it.each([
  ['lobbies.list', { lobbies: [] }, '0 lobbies'],
  ['regions.list', { regions: [{}] }, '1 region'],
  ['regions.list', { regions: 1 }, undefined],
  ['lobbies.find', { lobby: { lobby_id: 'arena' } }, 'lobby arena'],
  ['lobbies.find', { lobby: { lobby_id: 7 } }, undefined],
  ['lobbies.find', { lobby: null }, undefined],
  ['players.getStatistics', { player_count: 2 }, '2 players'],
  ['players.getStatistics', {}, undefined],
  ['games.namespaces.validateGameNamespace', { errors: [] }, 'valid'],
  ['games.namespaces.validateGameNamespace', { errors: [{ path: ['name-id', 'invalid'] }, {}] }, 'name-id invalid, '],
  ['games.namespaces.validateGameNamespace', {}, undefined],
  ['devices.links.get', { cloud_token: 'cloud.x' }, 'complete'],
  ['devices.links.get', {}, 'pending'],
  ['lobbies.ready', {}, undefined],
  ['toString', {}, undefined],
  ['devices.links.get', null, undefined],
])('the outcome of %s with the answer %j is %j', (operation, answer, outcome) => {
  expect(describeOutcome(operation, answer, id => `lobby ${id}`)).toBe(outcome)
})

it.each([
  [{ method: 'GET', status: 200 }, true],
  [{ method: 'GET', status: 399 }, true],
  [{ method: 'GET', status: 400 }, false],
  [{ method: 'GET', status: 0 }, false],
  [{ method: 'POST', status: 200 }, false],
  [{ method: 'GET', status: 200, revisions: [1] }, false],
])('%j only read, and succeeded: %j', (request, expected) => {
  expect(isPlainRead(request)).toBe(expected)
})
