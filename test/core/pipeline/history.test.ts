import { describe, expect, it } from 'vitest'
import type { AnswerReasons } from '../../../src/core/contract/journal.js'
import { History, HistoryBudget, type HistoryLimits, type StoredExchange } from '../../../src/core/pipeline/history.js'
import { restoreExchange } from '../../../src/core/pipeline/journal.js'
import { type Cause, type ChangeSet, memoryOf } from '../../../src/core/store/change-set.js'

const time = '2026-11-20T20:00:00.000Z'
const head = { id: 1, time, world: 'default', path: '/', query: {}, headers: {}, status: 200, ms: 0, blocked_ms: 0 }

const read = (parts: Partial<StoredExchange> = {}) => ({ ...restoreExchange({ ...head, method: 'GET' }), ...parts })
const write = (parts: Partial<StoredExchange> = {}) => ({ ...restoreExchange({ ...head, method: 'POST' }), ...parts })

const change = (revision: number, at = 0, cause: Cause = { kind: 'code' }): ChangeSet => ({
  revision,
  at,
  cause,
  changes: [],
})
const bytesOfChange = memoryOf(change(2))

/** An answer about a revision. It takes as much memory as a change set. */
const about = (revision: number, of = write) => of({ revision, bytes: bytesOfChange })

const because: AnswerReasons = { verdict: 'it says so', because: [] }

/** Creates a history that begins with revision 1, and whose limits are far. `asked` has the revisions of each call for reasons. */
function begin(limits: Partial<HistoryLimits> = {}, { start = 1, explains = true } = {}) {
  const budget = new HistoryBudget(1e6)
  const asked: (number | undefined)[][] = []
  const history = new History(
    { exchanges: 1_000, changes: { count: 1_000 }, bytes: 1e6, budget, ...limits },
    { revision: start, at: 0 },
    exchanges => {
      asked.push(exchanges.map(({ revision }) => revision))
      return explains ? exchanges.map(() => because) : []
    },
  )
  return { history, budget, asked }
}

const idsOf = ({ exchanges }: History) => exchanges.map(({ id }) => id)
const revisionsOf = ({ oldest, newestRevision }: History) => [oldest.revision, newestRevision]

describe('an exchange', () => {
  it.for([
    [1, [], true],
    [0, [() => {}], true],
    [0, [], false],
  ] as const)('is recorded if the journal has a length, or listeners: %i, %j', ([exchanges, listeners, isRecorded]) => {
    const { history } = begin({ exchanges })

    for (const listener of listeners) history.subscribe(listener)

    expect(history.shouldRecordExchanges).toBe(isRecorded)
  })

  it('is found by its id', () => {
    const { history } = begin()
    for (const exchange of [read(), write(), read()]) history.addExchange(exchange)

    expect([0, 1, 2, 3, 4].map(id => history.exchange(id)?.id)).toEqual([undefined, 1, 2, 3, undefined])
  })
})

describe('the exchanges of an earlier run', () => {
  it.for([
    ['rise', 0, [5, 7], [5, 7]],
    ['rise after those of this run', 2, [3, 9], [3, 9]],
    ['do not rise', 0, [7, 5], [1, 2]],
    ['repeat', 0, [5, 5], [1, 2]],
    ['were used in this run', 2, [2, 9], [3, 4]],
    ['are too large', 0, [5, 2 ** 52], [1, 2]],
  ] as const)('keep their ids unless these are no use: they %s', ([, used, ids, kept]) => {
    const { history } = begin()
    for (let i = 0; i < used; i += 1) history.addExchange(write())

    history.loadExchanges(ids.map(id => write({ id })))

    expect(idsOf(history)).toEqual(kept)
    expect(history.lastLoaded).toBe(kept[1])
  })

  it('are none if the journal was empty', () => {
    const { history } = begin()
    history.addExchange(write())

    history.loadExchanges([])

    expect([history.lastLoaded, idsOf(history)]).toEqual([0, []])
  })
})

describe('a full journal', () => {
  it.for([
    ['the oldest, if the reads are a quarter', [write(), write(), write(), read()], [2, 3, 4]],
    ['the oldest, though it is a read and they are few', [read(), write(), write(), write()], [2, 3, 4]],
    ['the oldest read, if there are more', [write(), write(), read(), read()], [1, 2, 4]],
  ] as const)('drops %s', ([, exchanges, kept]) => {
    const { history } = begin({ exchanges: 3 })

    for (const exchange of exchanges) history.addExchange(exchange)

    expect([idsOf(history), history.dropped]).toEqual([kept, 1])
  })

  it('counts no drops if it has no length', () => {
    const { history } = begin({ exchanges: 0 })

    history.addExchange(write())

    expect([idsOf(history), history.dropped]).toEqual([[], 0])
  })

  it.for([
    ['as many as fit', 20, [2, 3]],
    ['one, however long', 5, [3]],
  ] as const)('keeps %s', ([, bytes, kept]) => {
    const { history } = begin({ bytes })

    for (let i = 0; i < 3; i += 1) history.addExchange(write({ bytes: 10 }))

    expect(idsOf(history)).toEqual(kept)
  })
})

describe('the change sets', () => {
  it.for<[string, Partial<HistoryLimits>, number[]]>([
    ['as many as they may be', { changes: { count: 2 } }, [2, 4]],
    ['one, however few they may be', { changes: { count: 0 } }, [3, 4]],
    ['as many as fit', { bytes: 2 * bytesOfChange }, [2, 4]],
    ['one, however large', { bytes: 1 }, [3, 4]],
    ['those of the last ms', { changes: { ms: 10 } }, [2, 4]],
    ['all', {}, [1, 4]],
  ])('stay: %s', ([, limits, kept]) => {
    const { history } = begin(limits)

    for (const [revision, at] of [
      [2, 10],
      [3, 20],
      [4, 30],
    ] as const)
      history.addChange(change(revision, at))

    expect(revisionsOf(history)).toEqual(kept)
  })

  it.for(['reset', 'load'] as const)('stay when a %s sets the clock', kind => {
    const { history } = begin({ changes: { ms: 10 } })

    history.addChange(change(2, 10))
    history.addChange(change(3, 1_000, { kind }))

    expect(revisionsOf(history)).toEqual([1, 3])
  })

  it('are found by their revision', () => {
    const { history } = begin({ changes: { count: 2 } })
    const before = [history.changeSet(1), history.lastChangeUpTo(1), history.nextChangeAfter(1)]
    for (const revision of [2, 3, 4]) history.addChange(change(revision))

    expect(before).toEqual([undefined, 0, undefined])
    expect([1, 2, 3, 4, 5].map(revision => history.changeSet(revision)?.revision)).toEqual([
      undefined,
      undefined,
      3,
      4,
      undefined,
    ])
    expect([2, 3, 4].map(revision => history.lastChangeUpTo(revision))).toEqual([undefined, 2, 3])
    expect([2, 3, 4].map(revision => history.nextChangeAfter(revision))).toEqual([2, 3, undefined])
    expect(history.changesSince(2)).toEqual({ revision: 2, at: 0, later: [change(3), change(4)] })
    expect(history.changesSince(4)).toEqual({ revision: 4, at: 0, later: [] })
    expect(() => history.changesSince(1)).toThrow('revision 1 is no longer kept: the oldest one is 2')
    expect(() => history.changesSince(5)).toThrow('there is no revision 5 yet: the newest one is 4')
  })
})

describe('the entries after an id', () => {
  it('are none if one was dropped, or the id is of the future', () => {
    const { history } = begin({ changes: { count: 2 } })
    history.addExchange(write())
    for (const revision of [2, 3, 4]) history.addChange(change(revision))
    history.addExchange(read())

    const after = [1, 2, 3, 4, 5, 6].map(id => history.entriesAfter(id)?.map(entry => entry.id))

    expect(after).toEqual([undefined, [3, 4, 5], [4, 5], [5], [], undefined])
    expect(history.entries.map(({ id }) => id)).toEqual([1, 3, 4, 5])
  })
})

describe('the id of an event', () => {
  /** A world with the revisions up to 3, which is started again after `start`. */
  function restarted({ keptAs, again = keptAs, start = 3 }: { keptAs?: string; again?: string; start?: number }) {
    const before = begin().history
    before.keptAs = keptAs
    before.addChange(change(2))
    before.addExchange(read())
    before.addChange(change(3))
    const ids = before.entries.map(({ id }) => before.eventId(id))
    const after = begin({}, { start }).history
    after.keptAs = again
    after.addExchange(read())
    after.addChange(change(start + 1))
    return { before, ids, after }
  }

  it.for([{}, { keptAs: 'kept' }])('is known in its run: %j', world => {
    const { before, ids } = restarted(world)

    expect(ids[1]).toBe(`${before.keptAs === undefined ? '' : 'kept.'}${before.run}-2-2`)
    expect(ids.map(id => before.positionOf(id))).toEqual([1, 2, 3])
    expect(before.positionOf(before.eventId(2).replace(/\d+$/, '3'))).toBeUndefined()
  })

  it.for([
    ['is unknown in another run', {}, [undefined, undefined, undefined]],
    ['is unknown in another kept world', { keptAs: 'one', again: 'other' }, [undefined, undefined, undefined]],
    ['is unknown if the world is not kept any more', { keptAs: 'one', again: '' }, [undefined, undefined, undefined]],
    ['is the start of a kept world', { keptAs: 'one' }, [undefined, undefined, 0]],
    ['is unknown if its change was lost', { keptAs: 'one', start: 1 }, [2, 2, undefined]],
    ['is unknown before the start of a kept world', { keptAs: 'one', start: 5 }, [undefined, undefined, undefined]],
  ] as const)('%s', ([, world, positions]) => {
    const { ids, after } = restarted(world)

    expect(ids.map(id => after.positionOf(id))).toEqual(positions)
  })
})

describe('a history that has ended', () => {
  it('tells its listeners once, and later ones at once', () => {
    const { history } = begin()
    const told: unknown[] = []
    history.subscribe(entry => told.push(entry?.id))
    history.addExchange(write())

    history.end()
    history.end()
    history.addExchange(write())
    history.subscribe(entry => told.push(entry?.id))

    expect([told, history.listenerCount]).toEqual([[1, undefined, undefined], 0])
  })

  it('gives its memory back once, and takes no more', () => {
    const { history, budget } = begin({ changes: { count: 2 } })
    history.addChange(change(2))
    history.addExchange(read({ revision: 1 }))
    history.addExchange(write())
    const used = budget.bytes

    history.end()
    history.end()
    for (const revision of [3, 4]) history.addChange(change(revision))
    const [{ reasons } = {}] = history.exchanges
    history.clearExchanges()

    expect(used).toBeGreaterThan(0)
    expect([budget.bytes, reasons]).toEqual([0, because])
  })
})

describe('the reasons of an answer', () => {
  it.for([read, write])('are asked for once, before its world is dropped, and count', answerAbout => {
    const { history, budget, asked } = begin({ changes: { count: 1 } })
    history.addChange(change(2))
    history.addExchange(answerAbout())
    history.addExchange(answerAbout({ revision: 2 }))
    history.addChange(change(3))
    const early = [...asked]
    const { bytes } = budget

    for (const revision of [4, 5]) history.addChange(change(revision))
    history.addExchange(answerAbout({ revision: 5 }))
    for (const revision of [6, 7]) history.addChange(change(revision))

    expect([early, asked]).toEqual([[], [[2], [5]]])
    expect(history.exchanges.map(({ reasons }) => reasons)).toEqual([undefined, because, because])
    expect(budget.bytes - bytes).toBe(answerAbout().bytes + 2 * JSON.stringify(because).length)
    history.clearExchanges()
    expect(budget.bytes).toBe(bytesOfChange)
  })

  it('may be none', () => {
    const { history, asked } = begin({ changes: { count: 1 } }, { explains: false })
    history.addExchange(write({ revision: 1 }))

    for (const revision of [2, 3]) history.addChange(change(revision))

    expect([asked, history.exchanges[0]?.reasons]).toEqual([[[1]], undefined])
  })

  it.for<[string, number[], number[]]>([
    ['all that need it', Array(20).fill(1), Array(20).fill(1)],
    ['with those of the next quarter', [1, 11, 12, 13], [1, 11]],
    ['with at most 15 of those', [1, ...Array(20).fill(3)], [1, ...Array(15).fill(3)]],
  ])('are asked for at once, and later ones later: %s', ([, revisions, first]) => {
    const { history, asked } = begin({ changes: { count: 40 } })
    for (let revision = 2; revision <= 41; revision += 1) history.addChange(change(revision))
    for (const revision of revisions) history.addExchange(read({ revision }))

    for (let revision = 42; revision <= 54; revision += 1) history.addChange(change(revision))

    expect([asked[0], asked.flat()]).toEqual([first, revisions])
  })
})

describe('histories that share memory', () => {
  it('drop the oldest entry of all, whatever has gone before', () => {
    const budget = new HistoryBudget(30)
    const [one, other] = [begin({ budget }).history, begin({ budget }).history]
    const add = (history: History) => {
      history.addExchange(write({ bytes: 10 }))
      return [idsOf(one), idsOf(other), budget.bytes]
    }

    expect([add(one), add(other), add(one)].at(-1)).toEqual([[1, 2], [1], 30])
    other.clearExchanges()
    expect(add(other)).toEqual([[1, 2], [2], 30])
    expect(add(other)).toEqual([[2], [2, 3], 30])
    expect(add(other)).toEqual([[], [2, 3, 4], 30])
    expect(add(one)).toEqual([[3], [3, 4], 30])
    one.clearExchanges()
    expect(add(other)).toEqual([[], [3, 4, 5], 30])
    expect(add(other)).toEqual([[], [4, 5, 6], 30])
  })

  it('keep the newest entry, however large', () => {
    const { history } = begin({ budget: new HistoryBudget(5) })

    for (let i = 0; i < 2; i += 1) history.addExchange(write({ bytes: 10 }))

    expect(idsOf(history)).toEqual([2])
  })

  it.for<[string, (ChangeSet | StoredExchange)[], number[], number[][]]>([
    [
      'with the answers before it, without their reasons',
      [change(2), about(1), about(1, read), change(3), about(2, read), about(2)],
      [5, 6],
      [],
    ],
    [
      'with the reasons of an answer that was held, which stays',
      [change(2), change(3), about(2), about(1), change(4), about(3)],
      [3, 4, 6],
      [[1]],
    ],
    [
      'with the reasons of the newest answer, which stays',
      [change(2), change(3), change(4), change(5), change(6), about(1, read)],
      [6],
      [[1]],
    ],
  ])('drop the oldest change %s', ([, entries, kept, reasons]) => {
    const { history, asked } = begin({ budget: new HistoryBudget(5 * bytesOfChange) }, { explains: false })

    for (const entry of entries) {
      if ('changes' in entry) history.addChange(entry)
      else history.addExchange(entry)
    }

    expect([idsOf(history), history.oldest.revision, asked]).toEqual([kept, 2, reasons])
  })
})

describe('the past of a capsule', () => {
  it.for([
    ['in a new world', 0, [2, 3, 4, 5]],
    ['in a world that has used its ids', 3, [4, 5, 6, 7]],
  ] as const)('keeps its order %s', ([, used, ids]) => {
    const { history } = begin()
    for (let i = 0; i < used; i += 1) history.addExchange(write())

    history.loadPast({
      start: { revision: 1, at: 0 },
      changeSets: [change(2), change(3)],
      changeIds: [3, 4],
      exchanges: [read({ id: 2 }), read({ id: 5 })],
      beginsAt: 7,
      dropped: 1,
    })

    expect(history.entries.map(({ id, kind }) => [id, kind])).toEqual(
      ids.map((id, i) => [id, ['exchange', 'change', 'change', 'exchange'][i]]),
    )
    expect([history.lastId, history.beginsAt, history.dropped]).toEqual([ids[3], 7, 1])
  })
})
