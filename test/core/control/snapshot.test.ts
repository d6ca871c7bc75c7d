import { fc } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { parse } from 'yaml'
import type { JournalEntry } from '../../../src/core/contract/journal.js'
import { parseScenario } from '../../../src/core/scenario/index.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { createMockmaker } from '../../../src/index.js'
import { ask, failure, json } from '../../support/http.js'
import { randomRead, randomWriteCall } from '../../support/random-request.js'
import { it } from '../../support/served-mock.js'
import { bearer, ids, tokens } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

describe('GET /__mock/snapshot', () => {
  it('is the world as a scenario, as JSON or as YAML', async ({ serve }) => {
    const { mock, url } = await serve()
    await mock.world.lobbies.create({ lobby_id: 'new', state: { text: 'yes: no' } })
    const get = (accept?: string) =>
      fetch(`${url}/__mock/snapshot`, accept === undefined ? {} : { headers: { accept } })

    const [asJson, asYaml] = [await get(), await get('application/yaml')]

    const snapshot = JSON.parse(JSON.stringify(mock.snapshot()))
    expect(asJson.headers.get('content-type')).toBe('application/json')
    expect(asYaml.headers.get('content-type')).toBe('application/yaml')
    expect(await asJson.json()).toEqual(snapshot)
    expect(parse(await asYaml.text())).toEqual(snapshot)
  })

  it('has the journal on request', async ({ serve }) => {
    const { client, steer, send } = await serve()
    await send(list)

    const [without, withIt] = [await client.snapshot(), await client.snapshot({ with: ['journal'] })]

    expect([without.journal, withIt.journal]).toEqual([undefined, await client.journal.find()])
    expect(failure(await steer('GET', '/__mock/snapshot?with=everything'))).toBe('400 API_BAD_QUERY')
  })

  it('can be served by another mock, which answers as this one did, journal included', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await mock.world.lobbies.create({ lobby_id: 'new' })
    await client.completeDeviceLink(tokens.pending, { game: 'tanks' })
    const listed = await send({ ...list, headers: bearer(tokens.public) })
    const text = JSON.stringify(await client.snapshot({ with: ['journal'] }))

    const other = createMockmaker({ scenario: parseScenario(text) })

    expect((await ask(other, { ...list, headers: bearer(tokens.public) })).body).toBe(listed.body)
    const [first] = mock.journal.find()
    expect(other.journal.find()).toMatchObject([first, { id: (first?.id ?? 0) + 1, operation: 'lobbies.list' }])
    expect(first?.id).toBeGreaterThan(1)
  })
})

describe('PUT /__mock/snapshot', () => {
  it('with the highest revision leaves a world that can be exported and reset', async ({ serve }) => {
    const { mock, steer } = await serve()
    const highest = { ...mock.snapshot(), revision: 9_000_000_000_000_000 }

    const restored = await steer('PUT', '/__mock/snapshot', highest)
    await mock.world.lobbies.create({ game_mode_id: 'duel' })
    const exported = await steer('GET', '/__mock/snapshot')

    expect([restored.status, exported.status]).toEqual([200, 200])
    expect((await steer('PUT', '/__mock/snapshot', json(exported))).status).toBe(200)
  })

  it('restores every answer except the watch indexes, which rise', { tags: ['slow'] }, async ({ serve }) => {
    const { client, mock } = await serve()
    const read = fc.array(randomRead, { maxLength: 5 })
    const write = fc.array(randomWriteCall, { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(write, write, read, async (before, after, reads) => {
        await mock.reset()
        const answers = async () => {
          const got = []
          for (const sent of reads) got.push(await ask(mock, sent))
          return got.map(({ status, body }) => [status, body.replace(/"index":"\d+"/, '')])
        }
        for (const sent of before) await ask(mock, sent)
        const snapshot = await client.snapshot()
        const there = { state: withoutRevision(mock), answers: await answers(), revision: mock.world.revision }
        for (const sent of after) await ask(mock, sent)

        await client.restore(snapshot)

        expect(withoutRevision(mock)).toEqual(there.state)
        expect(await answers()).toEqual(there.answers)
        expect(mock.world.revision).toBeGreaterThanOrEqual(there.revision)
      }),
      { numRuns: inject('runs') },
    )
  })

  it('becomes the state that a reset returns to', async ({ serve }) => {
    const { mock, client } = await serve()
    await mock.world.lobbies.create({ lobby_id: 'kept' })
    const snapshot = await client.snapshot()
    await client.load('empty')
    await client.restore(snapshot)
    await mock.world.lobbies.create({ lobby_id: 'lost' })

    await client.reset()

    expect(['kept', 'lost'].map(id => mock.world.lobbies.get(id) !== undefined)).toEqual([true, false])
  })

  it.for([
    [[7, 3], 'not in order'],
    [[3, 3], 'repeated'],
    [[Number.MAX_SAFE_INTEGER], 'too large to count on from'],
  ] as const)('gives new ids to requests whose ids %j are %s', async ([written]) => {
    const mock = createMockmaker()
    await ask(mock, list)
    const [entry] = mock.journal.find()

    const other = createMockmaker({ scenario: { journal: written.map(id => ({ ...entry, id })) as JournalEntry[] } })
    await ask(other, list)

    expect(other.journal.find().map(({ id }) => id)).toEqual([...written.keys(), written.length].map(i => i + 1))
  })

  it('gives new ids to requests that it had before', async ({ serve }) => {
    const { mock, client, send } = await serve()
    await send(list)
    const [before] = mock.journal.find()

    await client.restore(await client.snapshot({ with: ['journal'] }))

    const [after] = mock.journal.find()
    expect(after).toEqual({ ...before, id: after?.id })
    expect(after?.id).toBeGreaterThan(before?.id ?? 0)
  })

  it.for([
    [{ title: 'no snapshot' }, 'not a snapshot'],
    [{ bogus: 1 }, 'not a snapshot'],
    [{}, 'not a snapshot'],
    [{ games: 'tanks' }, 'games'],
    [{ lobbies: [{ game_mode_id: 'nobody' }] }, 'nobody'],
    [{ regionz: [] }, 'regionz'],
    [{ journal: [{ id: 0 }] }, 'journal[0]'],
  ] as const)('refuses %j, and changes nothing', async ([body, message], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer('PUT', '/__mock/snapshot', message === 'not a snapshot' ? body : { revision: 1, ...body })

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect((json(got) as { message: string }).message).toContain(message)
    expect(stateOf(mock.world)).toBe(before)
  })

  it('takes one that is longer than any call of the service', async ({ serve }) => {
    const { mock, client } = await serve()
    const state = { text: 'x'.repeat(100_000) }
    const snapshot: ScenarioInput = {
      revision: 1,
      game_modes: ['duel'],
      lobbies: Array.from({ length: 30 }, () => ({ game_mode_id: 'duel', state })),
    }

    await client.restore(snapshot)

    expect(mock.world.lobbies.count()).toBe(30)
    expect(mock.world.games.get(ids.tanks)).toBeUndefined()
  })
})

type Owned = Readonly<Record<'game_id' | 'namespace_id' | 'lobby_id', string>>

/** The columns by which a scenario groups rows. It keeps only the order within a group, which is all that answers show. */
const owners: { readonly [table: string]: keyof Owned } = {
  namespaces: 'game_id',
  gameModes: 'namespace_id',
  lobbies: 'namespace_id',
  players: 'lobby_id',
}

function byOwner(name: string, rows: readonly Owned[]): readonly Owned[] {
  const owner = owners[name]
  if (owner === undefined) return rows
  return rows.toSorted((one, other) => (one[owner] === other[owner] ? 0 : one[owner] < other[owner] ? -1 : 1))
}

/** Returns the state of a world without its revision, and without the data of the run. */
function withoutRevision({ world }: { readonly world: Parameters<typeof stateOf>[0] }): object {
  const { revision: _, pending: __, tables, ...state } = JSON.parse(stateOf(world))
  return { ...state, tables: tables.map(([name, rows]: [string, Owned[]]) => [name, byOwner(name, rows)]) }
}
