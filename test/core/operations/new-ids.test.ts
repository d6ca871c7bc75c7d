import { expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { ask, post, request } from '../../support/http.js'
import { ids, tanks, tokens } from '../../support/tanks.js'

const namespaces = `/cloud/games/${ids.tanks}/namespaces`
const beta = (name_id: string) => ({
  name_id,
  display_name: 'Beta',
  version_id: '77777777-7777-4777-8777-777777777777',
})
const server = { hostname: '127.0.0.1', lobby_ports: [] }

const made: readonly (readonly [string, (nth: string) => ReturnType<typeof post | typeof request>])[] = [
  ['a seat in a new lobby', () => post('/matchmaker/lobbies/create', { game_mode: 'ffa' }, tokens.public)],
  ['a namespace', nth => post(namespaces, beta(nth), tokens.cloud)],
  ['a public token', () => request('POST', `${namespaces}/${ids.prod}/tokens/public`, tokens.cloud)],
  ['a development token', () => post(`${namespaces}/${ids.prod}/tokens/development`, server, tokens.cloud)],
  ['a device link', () => request('POST', '/cloud/devices/links')],
]

/** Returns the ids and tokens in an answer, except those of the scenario. */
const namesIn = (body: string) => body.match(/[0-9a-f-]{36}|\w+\.mock\.[0-9a-z]{24}/g) ?? []

it.for(made)('%s differs from all existing ones, even if the seed would repeat one', async ([, call]) => {
  const mock = createMockmaker({ scenario: tanks })
  const first = await ask(mock, call('one'))
  // The copy has the same rows, but its random state is at the start.
  const { chance: _, ...scenario } = mock.snapshot()
  const again = createMockmaker({ scenario })
  const before = JSON.parse(JSON.stringify(again.snapshot()))

  const second = await ask(again, call('two'))

  expect([first.status, second.status]).toEqual([200, 200])
  expect(namesIn(first.body).length).toBeGreaterThan(0)
  expect(namesIn(second.body).filter(name => first.body.includes(name))).toEqual([])
  expect(JSON.stringify(again.snapshot())).toContain(JSON.stringify(before.games[0].namespaces[0].lobbies).slice(0, -1))
})
