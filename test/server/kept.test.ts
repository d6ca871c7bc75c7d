import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listLobbies } from '../../src/behaviour/lobbies-list.js'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { bearer, ids, tanks, tokens } from '../tanks.js'

type Step = (mock: Mockmaker) => unknown

const lobby = fc.constantFrom(ids.lobby, 'empty', 'new')
const writes = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ lobby, players: fc.nat(1) }).map(
    ({ lobby: lobby_id, players }) =>
      mock =>
        mock.world.lobbies.update(q => q.where({ lobby_id }), {
          data: draft => void Object.assign(draft, { total_player_count: players }),
        }),
  ),
  lobby.map(lobby_id => mock => mock.world.lobbies.delete(q => q.where({ lobby_id }))),
  fc.constant(async (mock: Mockmaker) => {
    if (!mock.world.lobbies.get('new'))
      await mock.world.lobbies.create({ lobby_id: 'new', game_mode_id: 'duel', region_id: 'lnd-fra' })
  }),
  fc.boolean().map(
    listable => mock =>
      mock.world.gameModes.update(q => q.where({ namespace_id: ids.prod, game_mode_id: 'secret' }), {
        data: draft => void Object.assign(draft, { listable: listable }),
      }),
  ),
  fc.boolean().map(
    hide => mock =>
      mock.world.settings.update(q => q.where({ settings_id: 'settings' }), {
        data: draft => void Object.assign(draft, { hide_empty_lobbies: hide }),
      }),
  ),
  fc.constantFrom('Here', 'There').map(
    name => mock =>
      mock.world.regions.update(q => q.where({ region_id: 'lnd-fra' }), {
        data: draft => void Object.assign(draft, { region_display_name: name }),
      }),
  ),
  fc.constant((mock: Mockmaker) => mock.reset()),
)

const asked = fc.record({ include_state: fc.boolean(), coords: fc.constantFrom(undefined, '1,2', '3,4') })

/** What `answer` says of the list, and what its behaviour says of the world as it is. */
async function bothWays(
  mock: Mockmaker,
  { include_state, coords }: { include_state: boolean; coords: string | undefined },
) {
  const answer = await mock.answer({
    method: 'GET',
    path: '/matchmaker/lobbies/list',
    query: `include_state=${include_state}`,
    headers: { ...bearer(tokens.public), ...(coords === undefined ? {} : { 'x-coords': coords }) },
  })
  const [latitude, longitude] = coords?.split(',').map(Number) ?? []
  const place = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
  const truth = listLobbies({
    caller: { kind: 'public', namespaceId: ids.prod },
    input: { include_state, 'x-coords': place },
    tables: mock.world,
    hasPassed: () => false,
  })
  return { kept: new TextDecoder().decode(answer.body), true: JSON.stringify(truth) }
}

describe('a kept answer', () => {
  it('is never stale', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(writes, asked), { maxLength: 30 }), async steps => {
        const mock = createMockmaker({ scenario: tanks })
        for (const step of steps) {
          if (typeof step === 'function') {
            await step(mock)
            continue
          }
          const both = await bothWays(mock, step)
          expect(both.kept).toBe(both.true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is dropped before a subscriber hears of the change', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const before = await bothWays(mock, { include_state: false, coords: undefined })
    const heard: Promise<{ kept: string; true: string }>[] = []
    mock.world.subscribe(() => heard.push(bothWays(mock, { include_state: false, coords: undefined })))

    await mock.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))

    const [after] = await Promise.all(heard)
    expect(after?.kept).toBe(after?.true)
    expect(after?.kept).not.toBe(before.kept)
  })

  it('is the very bytes of the one before, where nothing has changed', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const list = () => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })

    expect((await list()).body).toBe((await list()).body)
  })

  it('is not kept for a place of its own, of which there are endlessly many', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const list = () => mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: { 'x-coords': '1,2' } })

    expect((await list()).body).not.toBe((await list()).body)
  })

  it('is one of at most 500, however many namespaces are asked for', async () => {
    const namespaces = Array.from({ length: 501 }, (_, i) => ({ name_id: `n${i}`, tokens: { public: `pub.${i}` } }))
    const mock = createMockmaker({ scenario: { games: [{ name_id: 'tanks', namespaces }] } })
    const list = (i: number) =>
      mock.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(`pub.${i}`) })
    const first = await list(0)

    for (let i = 1; i <= 500; i++) await list(i)

    expect((await list(500)).body).toBe((await list(500)).body)
    expect((await list(0)).body).not.toBe(first.body)
  })
})
