import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { ShortenedEntry } from '../../src/core/contract/journal.js'
import { foldRequests } from '../../src/dashboard/requests/request-rows.js'

const kinds = {
  list: { method: 'GET', path: '/matchmaker/lobbies/list', operation: 'lobbies.list', status: 200 },
  failedList: { method: 'GET', path: '/matchmaker/lobbies/list', operation: 'lobbies.list', status: 503 },
  find: { method: 'POST', path: '/matchmaker/lobbies/find', operation: 'lobbies.find', status: 200, answer: 'London' },
  other: { method: 'POST', path: '/matchmaker/lobbies/find', operation: 'lobbies.find', status: 200, answer: 'Paris' },
  wrong: { method: 'GET', path: '/nowhere', status: 404 },
} as const

/** Returns requests, the newest first. */
const requests = (names: readonly (keyof typeof kinds)[]) =>
  names
    .map(
      (name, i): ShortenedEntry => ({
        ...{
          id: i + 1,
          world: 'default',
          query: {},
          headers: {},
          time: new Date(i).toISOString(),
          ms: 1,
          blocked_ms: 0,
        },
        ...kinds[name],
      }),
    )
    .reverse()

const resultOf = ({ answer }: ShortenedEntry) => String(answer)
const fold = (names: readonly (keyof typeof kinds)[], unfolded: readonly string[] = []) =>
  foldRequests(requests(names), { unfolded: new Set(unfolded), resultOf })
const idsOf = (rows: ReturnType<typeof fold>) => rows.map(({ entries }) => entries.map(({ id }) => id))

describe('the rows of the requests', () => {
  it('are one for all polls, and one for others that follow each other with the same result', () => {
    expect(idsOf(fold(['list', 'find', 'find', 'other', 'list', 'find', 'list']))).toEqual([
      [7, 5, 1],
      [6],
      [4],
      [3, 2],
    ])
    expect(idsOf(fold(['failedList', 'failedList', 'list', 'failedList', 'wrong', 'wrong']))).toEqual([
      [6, 5],
      [4],
      [3],
      [2, 1],
    ])
  })

  it('show each request below the row that is unfolded', () => {
    const [row] = fold(['list', 'list', 'list'])
    const rows = fold(['list', 'list', 'list'], [row?.key ?? ''])

    expect(idsOf(rows)).toEqual([[3, 2, 1], [3], [2], [1]])
    expect(rows.map(({ isPart = false }) => isPart)).toEqual([false, true, true, true])
  })

  it('have each request once, in the row of its newest one, and a key that newer ones do not change', () => {
    const names = fc.array(fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])), { maxLength: 40 })
    fc.assert(
      fc.property(names, all => {
        const rows = fold(all)
        expect(
          idsOf(rows)
            .flat()
            .sort((one, other) => one - other),
        ).toEqual(all.map((_, i) => i + 1))
        for (const { key, entry, entries } of rows) {
          expect(entry).toBe(entries[0])
          expect(key).toBe(`${entries.at(-1)?.id}`)
        }
      }),
    )
  })
})
