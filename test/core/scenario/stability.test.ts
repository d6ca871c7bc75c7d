import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { scenarios } from '../../../src/core/scenario/shipped.js'
import { startAt } from '../../support/tanks.js'
import { rowsOf } from '../../support/worlds.js'

const busy: ScenarioInput = {
  games: [
    {
      name_id: 'tanks',
      namespaces: [
        { name_id: 'prod', game_modes: ['duel'], lobbies: [{}, {}, {}], generate: { lobbies: 5 } },
        { name_id: 'beta' },
      ],
    },
    { name_id: 'karts' },
  ],
  device_links: [{}, { status: 'complete', game: 'tanks' }],
}

type Made = ReturnType<typeof rowsOf>
/** Returns all ids and tokens of rows, in order. */
const idsOf = ({ games, namespaces, lobbies, deviceLinks, tokens }: Made) => ({
  games: games.flatMap(row => [row.game_id, row.developer_group_id]),
  namespaces: namespaces.flatMap(row => [row.namespace_id, row.version_id]),
  lobbies: lobbies.map(row => row.lobby_id),
  deviceLinks: deviceLinks.map(row => [row.device_link_id, row.device_link_token]),
  tokens: tokens.map(row => row.token),
})
const idSet = (rows: Made) => new Set(Object.values(idsOf(rows)).flat(2))
/** Returns `busy` with an edited first namespace. */
const edited = (edit: object): ScenarioInput => {
  const [tanks, karts] = busy.games ?? []
  const [prod, beta] = tanks?.namespaces ?? []
  return { ...busy, games: [{ ...tanks, namespaces: [{ ...prod, ...edit }, beta ?? {}] }, karts ?? {}] }
}

describe('the same scenario and seed', () => {
  it.prop([fc.maxSafeInteger(), fc.constantFrom(...Object.values(scenarios))], { numRuns: 10 })(
    'give the same rows at the same time',
    (seed, scenario) => {
      expect(rowsOf(scenario, { seed })).toEqual(rowsOf(scenario, { seed }))
    },
  )

  it('give the same ids, tokens and lobbies at any time', () => {
    const later = rowsOf(busy, { now: startAt + 1e9 })

    expect(idsOf(later)).toEqual(idsOf(rowsOf(busy)))
    expect(later.lobbies).toEqual(rowsOf(busy).lobbies)
  })

  it('give the same ids and tokens in every version', () => {
    const { games, namespaces, tokens, lobbies } = rowsOf({
      game_modes: ['duel'],
      lobbies: [{}],
      generate: { lobbies: 1 },
    })

    expect([
      games[0]?.game_id,
      namespaces[0]?.namespace_id,
      ...lobbies.map(row => row.lobby_id),
      ...tokens.map(row => row.token),
    ]).toMatchInlineSnapshot(`
      [
        "1aec6f6d-ae71-4ecd-b469-7741a30bdd11",
        "f76b6272-3d4b-4541-b6a4-32c44aa06dbc",
        "85ef72c8-50d9-4787-b571-90c8dcfc1f7b",
        "4db1d5f6-318a-4ba0-b4d5-81d8477443ea",
        "pub_prod.mock.mr4cvefflufe48atcowis1ot",
        "dev_prod.mock.z02xyfl1q2lo4fwu5w5z71wo",
        "cloud.mock.zohmamqwi3gn52v7c6afw7kc",
      ]
    `)
  })
})

describe('another seed', () => {
  it.prop([fc.uniqueArray(fc.maxSafeInteger(), { minLength: 2, maxLength: 2 })], { numRuns: 20 })(
    'gives other ids, tokens and generated lobbies',
    ([one = 0, other = 0]) => {
      const [here, there] = [rowsOf(busy, { seed: one }), rowsOf(busy, { seed: other })]

      expect([...idSet(here)].filter(id => idSet(there).has(id))).toEqual([])
      expect(there.lobbies.map(row => row.state)).not.toEqual(here.lobbies.map(row => row.state))
    },
  )
})

describe('ids and tokens', () => {
  it('are all different', () => {
    const ids = Object.values(idsOf(rowsOf(busy))).flat(2)

    expect(idSet(rowsOf(busy)).size).toBe(ids.length)
  })

  it.each([
    ['another lobby is edited', { lobbies: [{}, { total_player_count: 9, state: { map: 'x' } }, {}] }],
    ['tokens are named', { tokens: {} }],
    ['the namespace gets more keys', { tokenless: false, domains: ['a.example'], display_name: 'P' }],
  ])('do not change when %s', (_, edit) => {
    expect(idsOf(rowsOf(edited(edit)))).toEqual(idsOf(rowsOf(busy)))
  })

  it('change only where a scenario names them', () => {
    const before = idsOf(rowsOf(busy))
    const after = idsOf(
      rowsOf(edited({ namespace_id: 'N', tokens: { public: 'p' }, lobbies: [{}, { lobby_id: 'L' }, {}] })),
    )

    expect(after).toEqual({
      ...before,
      namespaces: before.namespaces.with(0, 'N'),
      tokens: before.tokens.with(0, 'p'),
      lobbies: before.lobbies.with(1, 'L'),
    })
  })

  it('do not change when a lobby is added, not even for generated lobbies', () => {
    const after = rowsOf(edited({ lobbies: [{}, {}, {}, {}] })).lobbies
    const before = rowsOf(busy).lobbies

    expect(after.toSpliced(3, 1)).toEqual(before)
  })

  it('do not change when another game and namespace is added in front', () => {
    const games = [
      { name_id: 'boats', namespaces: [{ generate: { lobbies: 3 }, game_modes: ['regatta'] }] },
      ...(busy.games ?? []),
    ]

    const after = idSet(rowsOf({ ...busy, games }))

    expect([...idSet(rowsOf(busy))].filter(id => !after.has(id))).toEqual([])
  })

  it('avoid ids that the scenario gives to other records', () => {
    const [first, second] = rowsOf(busy).lobbies

    const lobbies = rowsOf(edited({ lobbies: [{}, { lobby_id: first?.lobby_id }, {}] })).lobbies

    expect(lobbies[1]?.lobby_id).toBe(first?.lobby_id)
    expect([first?.lobby_id, second?.lobby_id]).not.toContain(lobbies[0]?.lobby_id)
  })
})
