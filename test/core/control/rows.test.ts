import { describe, expect } from 'vitest'
import type { RowsJson } from '../../../src/core/control/history.js'
import { tableNames } from '../../../src/core/store/table-names.js'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids } from '../../support/tanks.js'

describe('the rows of a world', () => {
  it('are those of all tables, as change events have them', async ({ serve }) => {
    const { mock, send } = await serve()
    const events = mock.changes()
    const made = await mock.lobby({ lobby_id: 'new', game_mode_id: 'duel' })
    const { value: event } = await events.next()
    await events.return?.()

    const { revision, at, rows } = json(await send({ method: 'GET', path: '/__mock/rows' })) as RowsJson

    expect({ revision, at }).toEqual({ revision: mock.world.revision, at: '2026-11-20T20:00:00.000Z' })
    expect([...new Set(rows.map(({ table }) => table))]).toEqual(tableNames.filter(name => name !== 'simulations'))
    expect(rows).toContainEqual({ table: 'lobbies', id: 'new', row: JSON.parse(JSON.stringify(made)) })
    expect(event).toMatchObject({ data: { puts: [{ table: 'lobbies', id: 'new', row: made }] } })
  })

  it('can be those of an earlier revision, and of some tables', async ({ serve }) => {
    const { mock, send } = await serve()
    const { revision } = mock.world
    await mock.world.lobbies.delete(ids.lobby)
    const query = `tables=lobbies,games&revision=${revision}`

    const before = json(await send({ method: 'GET', path: '/__mock/rows', query })) as RowsJson

    expect(before.revision).toBe(revision)
    expect([...new Set(before.rows.map(({ table }) => table))]).toEqual(['lobbies', 'games'])
    expect(before.rows.map(({ id }) => id)).toContain(ids.lobby)
  })

  it('say which requests came before', async ({ serve }) => {
    const { mock, send } = await serve()
    const ask = { method: 'GET', path: '/matchmaker/lobbies/list' }
    await send(ask)
    const { revision } = mock.world
    await mock.world.lobbies.delete(ids.lobby)
    await send(ask)
    const [first = 0, second = 0] = mock.journal.find().map(({ id }) => id)

    const then = json(await send({ method: 'GET', path: '/__mock/rows', query: `revision=${revision}` })) as RowsJson
    const now = json(await send({ method: 'GET', path: '/__mock/rows' }))

    expect(then.next_id).toBeGreaterThan(first)
    expect(then.next_id).toBeLessThan(second)
    expect(now).not.toHaveProperty('next_id')
  })

  it.for([
    ['tables=lobies', 'tables names "lobies", which is no table. Known: '],
    ['revision=1', 'revision'],
    ['table=lobbies', 'tables'],
  ])('are refused for the query %s', async ([query = '', message = ''], { serve }) => {
    const { send } = await serve()

    const refused = await send({ method: 'GET', path: '/__mock/rows', query })

    expect(failure(refused)).toBe('400 API_BAD_QUERY')
    expect(json(refused)).toMatchObject({ message: expect.stringContaining(message) })
  })
})
