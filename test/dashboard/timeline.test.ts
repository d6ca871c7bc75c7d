import { fc } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { FaultState } from '../../src/core/contract/faults.js'
import type { ShortenedEntry } from '../../src/core/contract/journal.js'
import type { ChangeSetJson } from '../../src/core/control/history.js'
import { layOutLanes } from '../../src/dashboard/timeline/timeline-lanes.js'
import {
  firstZoom,
  nextZoom,
  scaleOf,
  ticksOf,
  toPx,
  toTime,
  zoomFor,
  zooms,
} from '../../src/dashboard/timeline/timeline-scale.js'
import type { Change } from '../../src/dashboard/world/followed-world.js'
import { changeBeside, requestBeside, revisionAfter } from '../../src/dashboard/world/moments.js'
import { addPlayers, type PlayerSpan } from '../../src/dashboard/world/player-spans.js'

const now = Date.parse('2026-11-20T20:05:12.000Z')
const ago = (seconds: number) => now - seconds * 1_000
const iso = (ms: number) => new Date(ms).toISOString()

/** 12 px are a second: `now` stands at 720. */
const scale = scaleOf({ now, oldest: ago(3_600), zoom: 60_000, width: 1_080 })

const entry = (part: Partial<ShortenedEntry> & { id: number; time: string }): ShortenedEntry => ({
  world: 'default',
  method: 'POST',
  path: '/',
  query: {},
  headers: {},
  status: 200,
  ms: 1,
  blocked_ms: 0,
  ...part,
})

const change = (revision: number, at: number, rows = 1): Change => ({
  revision,
  at,
  rows,
  cause: { kind: 'code' },
})

const empty: Parameters<typeof layOutLanes>[0] = {
  players: [],
  chosenPlayer: undefined,
  exchanges: [],
  chosenRequest: undefined,
  pending: [],
  changes: [],
  faults: [],
  servers: [],
  warnings: [],
  nameOf: ({ game_mode_id }) => game_mode_id,
  nameOfRegion: id => id,
  timeText: ms => new Date(ms).toISOString().slice(11, 19),
  jobs: [],
  widthOf: text => text.length * 6,
}

describe('the scale of the timeline', () => {
  it('has now at two thirds, for each zoom and width', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zooms),
        fc.integer({ min: 100, max: 3_000 }),
        fc.nat(10 ** 9),
        (zoom, width, age) => {
          const one = scaleOf({ now, oldest: now - age, zoom, width })
          expect(toPx(one, now)).toBeCloseTo((width * 2) / 3)
          expect(toTime(one, toPx(one, now - 1_234))).toBeCloseTo(now - 1_234, 0)
        },
      ),
    )
  })

  it('has ticks with room between them, as times from now', () => {
    expect(ticksOf(scale).map(({ text }) => text)).toEqual([
      '−1 min',
      '−50 s',
      '−40 s',
      '−30 s',
      '−20 s',
      '−10 s',
      '+10 s',
      '+20 s',
      '+30 s',
    ])
    fc.assert(
      fc.property(
        fc.constantFrom(...zooms),
        fc.integer({ min: 200, max: 3_000 }),
        fc.nat(10 ** 11),
        (zoom, width, age) => {
          const places = ticksOf(scaleOf({ now, oldest: now - age, zoom, width })).map(({ x }) => x)
          for (const [i, x] of places.entries()) if (i > 0) expect(x - (places[i - 1] ?? 0)).toBeGreaterThan(87)
          expect(places.length).toBeLessThan(width / 40)
        },
      ),
    )
  })

  it('zooms step by step, begins with a longer span for a faster clock, and shows the chosen moment', () => {
    expect(firstZoom(1)).toBe(60_000)
    expect(firstZoom(10)).toBe(600_000)
    expect(firstZoom(600)).toBe(Number.POSITIVE_INFINITY)
    expect(nextZoom(60_000, 'out')).toBe(600_000)
    expect(nextZoom(15_000, 'in')).toBe(15_000)
    expect(zoomFor(60_000, 59_000)).toBe(60_000)
    expect(zoomFor(15_000, 61_000)).toBe(600_000)
    expect(zoomFor(15_000, 10 ** 9)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the lanes of the timeline', () => {
  it('show each px with requests once: red before green before grey', () => {
    const exchanges = [
      entry({ id: 1, time: iso(ago(70)) }),
      entry({ id: 2, time: iso(ago(50)), method: 'GET' }),
      entry({ id: 3, time: iso(ago(30)), status: 503 }),
      entry({ id: 4, time: iso(ago(30)) }),
      entry({ id: 5, time: iso(ago(10)) }),
      entry({ id: 6, time: iso(ago(10)), method: 'GET' }),
    ]
    const { requests, chosenRequest } = layOutLanes({ ...empty, exchanges, chosenRequest: 5 }, scale)

    expect(requests).toEqual([
      { x: 120, kind: 'poll' },
      { x: 600, kind: 'good' },
      { x: 360, kind: 'bad' },
    ])
    expect(chosenRequest).toBe(600)
  })

  it('add up the changed rows of a column', () => {
    const changes = [change(1, ago(100)), change(2, ago(60), 7), change(3, ago(60), 3), change(4, ago(30), 1)]

    expect(layOutLanes({ ...empty, changes }, scale).changes).toEqual([
      { x: 0, rows: 10 },
      { x: 360, rows: 1 },
    ])
  })

  it('show a seat as reserved, connected and expected, and count the players without room', () => {
    const players: PlayerSpan[] = [
      { token: 'left', text: 'duel', reservedAt: ago(55), connectedAt: ago(50), endedAt: ago(40) },
      { token: 'plays', text: 'duel', reservedAt: ago(20), connectedAt: ago(15), nextAt: now + 10_000 },
      { token: 'waits', text: 'duel', reservedAt: ago(10), nextAt: now + 5_000 },
      { token: 'third', text: 'duel', reservedAt: ago(18) },
      { token: 'gone', text: 'duel', reservedAt: ago(500), endedAt: ago(400) },
    ]
    const { players: bars, morePlayers } = layOutLanes({ ...empty, players, chosenPlayer: 'plays' }, scale)

    expect(morePlayers).toBe(1)
    expect(bars.map(({ row, state, parts }) => [row, state, ...parts])).toEqual([
      [0, 'way', ['way', 600, 720], ['due', 720, 780]],
      [1, 'way', ['way', 504, 720]],
      [0, 'left', ['way', 60, 120], ['left', 120, 240]],
    ])
    const never = { token: 'never', text: 'duel', reservedAt: ago(30), endedAt: ago(10) }
    expect(layOutLanes({ ...empty, players: [never] }, scale).players).toMatchObject([
      { state: 'never', parts: [['never', 360, 600]] },
    ])
  })

  it('draw no two players over each other', () => {
    const player = fc.record({ from: fc.nat(90), length: fc.nat(60), isOver: fc.boolean() })
    fc.assert(
      fc.property(fc.array(player, { maxLength: 12 }), all => {
        const players = all.map(({ from, length, isOver }, i): PlayerSpan => {
          const span = { token: String(i), text: '', reservedAt: ago(from), ...(isOver && { note: 'seat lost' }) }
          return isOver ? { ...span, endedAt: Math.min(now, ago(from) + length * 1_000) } : span
        })
        const { players: bars } = layOutLanes({ ...empty, players }, scale)
        for (const [i, one] of bars.entries())
          for (const other of bars.slice(i + 1))
            if (one.row === other.row) {
              const noteWidth = empty.widthOf(other.note ?? '')
              expect((other.parts[0]?.[2] ?? 0) + noteWidth).toBeLessThanOrEqual(one.parts[0]?.[1] ?? 0)
            }
      }),
    )
  })

  it('show an outage until now, and the time to its end as expected', () => {
    const fault = { region: 'fra', effect: { outage: true as const }, matched: 1, struck: 1, holding: 0 }
    const times = { added_at: iso(ago(12)), begins_at: iso(ago(12)) }
    const lanes = (ends_at?: string) =>
      layOutLanes({ ...empty, faults: [{ ...fault, ...times, id: '1', ...(ends_at && { ends_at }) }] }, scale).rest[0]
        ?.spans
    const x = (seconds: number) => toPx(scale, ago(-seconds))
    const down = { left: x(-12), right: x(0), tone: 'bad', text: 'fra down' }

    expect(lanes(iso(now + 18_000))).toEqual([
      down,
      { left: x(0), right: x(18), tone: 'bad', text: 'back at 20:05:30, in 18 s', isExpected: true },
    ])
    expect(lanes()).toEqual([down])
    expect(lanes(iso(ago(2)))).toEqual([{ ...down, right: x(-2) }])
  })

  it('show the faults that are on, were on and will be on, and how long requests are held', () => {
    const fault = { effect: { error: { status: 503 } }, matched: 0, struck: 0, holding: 0 }
    const faults = [
      { ...fault, id: '1', operation: 'lobbies.find' as const, added_at: iso(ago(40)), begins_at: iso(ago(30)) },
      { ...fault, id: '2', added_at: iso(ago(50)), begins_at: iso(ago(50)), ends_at: iso(ago(45)) },
      { ...fault, id: '3', added_at: iso(ago(10)), begins_at: iso(now + 10_000), ends_at: iso(now + 15_000) },
      { ...fault, id: '4', after: 3, added_at: iso(ago(10)) },
    ]
    const pending = [{ method: 'GET', path: '/', query: {}, since: iso(ago(12)), waits_for: 'fault' as const }]
    const lanes = layOutLanes({ ...empty, faults, pending }, scale)

    expect(lanes.rest.map(({ name }) => name)).toEqual(['Faults', 'Due next'])
    expect(lanes.rest[0]?.spans).toEqual([
      { left: 360, right: 720, tone: 'warn', text: 'lobbies.find: 503' },
      { left: 120, right: 180, tone: 'warn', text: 'every request: 503' },
      { left: 840, right: 900, tone: 'warn', text: 'every request: 503' },
    ])
    expect(lanes.waits).toEqual([{ left: 576, right: 720, tone: 'warn', text: 'held 12 s' }])
  })

  it('name the effect of a fault', () => {
    const at = { added_at: iso(ago(30)), begins_at: iso(ago(30)), matched: 0, struck: 0, holding: 0 }
    const textOf = (effect: FaultState['effect']) =>
      layOutLanes({ ...empty, faults: [{ ...at, id: '1', effect }] }, scale).rest[0]?.spans[0]?.text

    expect(textOf({ date: '+90s' })).toBe('every request: date +90s')
    expect(textOf({ truncate: true })).toBe('every request: half an answer')
    expect(textOf({ index: { offset: -5 } })).toBe('every request: index -5')
    expect(textOf({ spurious: '2s' })).toBe('every request: wakes early')
  })

  it('show warnings in a lane, and the requests that prove them', () => {
    const warning = {
      ...{ id: 1, rule: 'hot loop' as const, sentence: '', advice: '', count: 992, requests: [3, 5], revision: 1 },
      ...{ first_at: iso(ago(20)), last_at: iso(ago(19)) },
    } as const
    const exchanges = [entry({ id: 3, time: iso(ago(20)) }), entry({ id: 4, time: iso(ago(10)) })]
    const { rest, requests } = layOutLanes({ ...empty, exchanges, warnings: [warning] }, scale)

    expect(rest[0]).toEqual({
      name: 'Warnings',
      spans: [{ left: 480, right: 480 + 'hot loop ×992'.length * 6 + 12, tone: 'warn', text: 'hot loop ×992' }],
    })
    expect(requests).toEqual([
      { x: 600, kind: 'good' },
      { x: 480, kind: 'warn' },
    ])
    expect(layOutLanes(empty, scale).rest.map(({ name }) => name)).not.toContain('Warnings')
  })

  it('show when each server runs, and that one crashed, in a lane of its own', () => {
    const server = { lobby_id: 'l', region_id: 'r', command: 'node', ports: {}, restarts: 0, lines: 0, last_lines: [] }
    const servers = [
      {
        ...{ ...server, game_mode_id: 'duel', status: 'ready' as const, pid: 7014 },
        ...{ started_at: iso(ago(30)), ready_at: iso(ago(20)) },
      },
      { ...server, game_mode_id: 'ffa', status: 'starting' as const, started_at: iso(ago(10)) },
      {
        ...server,
        game_mode_id: 'siege',
        status: 'crashed' as const,
        started_at: iso(ago(70)),
        ready_at: iso(ago(50)),
        ended_at: iso(ago(40)),
      },
      { ...server, game_mode_id: 'old', status: 'ended' as const, started_at: iso(ago(99)), ended_at: iso(ago(80)) },
    ]

    expect(layOutLanes({ ...empty, servers }, scale).rest).toEqual([
      {
        name: 'duel',
        spans: [
          { left: 360, right: 480, tone: 'warn', text: 'starts' },
          { left: 480, right: 1_080, tone: 'good', text: 'ready, process 7014' },
        ],
      },
      { name: 'ffa', spans: [{ left: 600, right: 720, tone: 'warn', text: 'starts' }] },
      {
        name: 'siege',
        spans: [
          { left: 0, right: 120, tone: 'warn', text: 'starts' },
          { left: 120, right: 240, tone: 'good', text: 'ready' },
          { left: 240, right: 720, tone: 'bad', text: 'crashed' },
        ],
      },
    ])
  })

  it('show what is due right of now, with words that do not cover each other or a mark', () => {
    const job = fc.record({ after: fc.nat(40_000), what: fc.constantFrom('a player leaves', 'a seat expires') })
    fc.assert(
      fc.property(fc.array(job, { maxLength: 30 }), all => {
        const jobs = all
          .toSorted((one, other) => one.after - other.after)
          .map(({ after, what }, i) => ({ table: 'players' as const, id: String(i), at: iso(now + after), what }))
        const [{ due = [] } = {}] = layOutLanes({ ...empty, jobs }, scale).rest.slice(-1)
        for (const [i, { x, text }] of due.entries()) {
          expect(x).toBeGreaterThanOrEqual(720)
          const right = x + (text === undefined ? 4 : 13 + text.length * 6)
          expect(right).toBeLessThanOrEqual(1_084)
          const next = due[i + 1]
          if (next) expect(next.x).toBeGreaterThanOrEqual(right)
        }
        if (all.some(({ after }) => after < 10_000)) expect(due[0]?.text).toBeDefined()
      }),
    )
  })
})

describe('travelling', () => {
  const changes = [change(3, ago(30)), change(5, ago(20)), change(9, ago(10))]
  const exchanges = [
    entry({ id: 4, time: iso(ago(25)), revisions: [3] }),
    entry({ id: 6, time: iso(ago(15)), revisions: [5] }),
    entry({ id: 7, time: iso(ago(14)) }),
    entry({ id: 10, time: iso(ago(9)), revisions: [9] }),
  ]
  const at = (revision: number) => ({ changes, exchanges, oldest: 1, revision })

  it('goes from change to change, to the oldest one, and back to the present', () => {
    expect([9, 5, 3, 1].map(revision => changeBeside(at(revision), -1))).toEqual([5, 3, 1, undefined])
    expect([1, 3, 5, 9].map(revision => changeBeside(at(revision), 1))).toEqual([3, 5, 'now', undefined])
  })

  it('goes from request to request, over those that changed nothing', () => {
    expect(exchanges.map(one => revisionAfter(one, at(9)))).toEqual([3, 5, 5, 9])
    expect([9, 5, 3].map(revision => requestBeside(at(revision), -1))).toEqual([5, 3, undefined])
    expect([1, 3, 5].map(revision => requestBeside(at(revision), 1))).toEqual([3, 5, 'now'])
  })

  it('comes back to the present after as many steps as it went away', () => {
    const revisions = fc.uniqueArray(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(revisions, fc.nat(20), (all, count) => {
        const sorted = all.toSorted((one, other) => one - other).map((revision, i) => change(revision, i))
        const oldest = 0
        let revision = sorted.at(-1)?.revision ?? 0
        let steps = 0
        for (let i = 0; i < count; i++) {
          const target = changeBeside({ changes: sorted, exchanges: [], oldest, revision }, -1)
          if (typeof target !== 'number') break
          revision = target
          steps += 1
        }
        for (let i = 0; i < steps; i++) {
          const target = changeBeside({ changes: sorted, exchanges: [], oldest, revision }, 1)
          revision = target === 'now' ? (sorted.at(-1)?.revision ?? 0) : (target ?? -1)
        }
        expect(revision).toBe(sorted.at(-1)?.revision)
      }),
    )
  })
})

describe('the players of the timeline', () => {
  const row = (status: string, more = {}) => ({
    table: 'players' as const,
    id: 'p',
    row: { player_token: 'p', lobby_id: 'l', status, ...more },
  })
  const set = (seconds: number, kind: 'request' | 'simulation', puts: ChangeSetJson['puts']): ChangeSetJson => ({
    revision: 1,
    at: iso(ago(seconds)),
    cause: kind === 'request' ? { kind, request: 'ray', operation: 'lobbies.find' } : { kind },
    puts,
    deletes: [],
  })
  const follow = (sets: readonly ChangeSetJson[]) =>
    sets.reduce<readonly PlayerSpan[]>((spans, one) => addPlayers(spans, one, () => 'duel'), [])

  it('have a seat from its change set on, until they leave', () => {
    const reserved = set(30, 'request', [row('reserved', { expires_at: ago(-5) })])
    expect(follow([reserved])).toEqual([{ token: 'p', text: 'duel', reservedAt: ago(30), nextAt: ago(-5) }])
    expect(follow([reserved, set(29, 'request', [row('connected')]), set(20, 'request', [row('removed')])])).toEqual([
      { token: 'p', text: 'duel', reservedAt: ago(30), connectedAt: ago(29), endedAt: ago(20) },
    ])
  })

  it('are not those of simulations', () => {
    expect(follow([set(30, 'simulation', [row('connected')])])).toEqual([])
  })
})
