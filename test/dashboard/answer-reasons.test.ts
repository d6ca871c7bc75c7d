import { fc } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import {
  foldCandidates,
  framedRegions,
  loserWords,
  reasonSentence,
} from '../../src/dashboard/requests/answer-reasons.js'
import { candidatesShown, question } from '../../src/dashboard/requests/invitation-words.js'
import { createTables } from '../../src/dashboard/world/followed-world.js'
import { fits, isChosen, outcomeOf, regionNotes, seatNotes } from '../../src/dashboard/world/outcome.js'
import { createMockmaker } from '../../src/index.js'

const names = { 'lnd-fra': 'Frankfurt', 'lnd-lon': 'London', 'lnd-tok': 'Tokyo' } as const

const lobby = fc.record({
  region_id: fc.constantFrom(...(Object.keys(names) as (keyof typeof names)[])),
  total_player_count: fc.nat(8),
  is_closed: fc.boolean(),
})

/** A find in a world of lobbies, and what the page knows of it. */
async function findAmong(
  lobbies: readonly object[],
  client?: { latitude: number; longitude: number },
  down: readonly string[] = [],
) {
  const mock = createMockmaker({
    seed: 1,
    scenario: {
      clock: 'frozen',
      ...(client && { client }),
      regions: Object.keys(names),
      game_modes: [{ game_mode_id: 'ffa', max_players: 8 }],
      lobbies: lobbies.map(one => ({ game_mode_id: 'ffa', ...one })),
    },
  })
  for (const region of down) mock.faults.add({ region, effect: { outage: true } })
  const body = new TextEncoder().encode('{"game_modes":["ffa"]}')
  await mock.answer({ method: 'POST', path: '/matchmaker/lobbies/find', headers: {}, body })
  const [entry] = mock.journal.find()
  if (!entry) throw new Error('the journal has no find')
  const { lobbies: rows, regions } = mock.world
  const tables = createTables([
    ...rows.all().map(row => ({ table: 'lobbies' as const, id: row.lobby_id, row })),
    ...regions.all().map(row => ({ table: 'regions' as const, id: row.region_id, row })),
  ])
  const explanation = mock.explain({ exchange: entry.id })
  const sentenceOf = (reasons: typeof explanation) => reasonSentence(entry, reasons, { tables, made: new Map() })
  return { entry, explanation, tables, sentenceOf, sentence: sentenceOf(explanation) }
}

const berlin = { latitude: 52.52, longitude: 13.4 }

describe('the sentence of a find', () => {
  it.each([
    [[], ''],
    [['lnd-fra'], 'Frankfurt is down. '],
    [['lnd-fra', 'lnd-lon'], '2 regions are down. '],
  ])('names the regions that were down: %j', async (down, begin) => {
    const { sentence, explanation } = await findAmong([{ region_id: 'lnd-fra' }], berlin, down)

    const end =
      down.length === 0
        ? 'Frankfurt won: no other lobby had a free seat that fits.'
        : 'No lobby had a free seat that fits, so the find made one in '
    expect(sentence.startsWith(`${begin}${end}`), sentence).toBe(true)
    expect(explanation.outages ?? []).toEqual(down)
  })

  it('names the region that won, and a nearer one if there was any', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lobby, { maxLength: 12 }), async lobbies => {
        const { entry, explanation, sentence } = await findAmong(lobbies, berlin)
        const candidates = explanation.candidates ?? []
        const winner = candidates.find(isChosen)
        const region = (entry.answer as { lobby: { region: { display_name: string } } }).lobby.region.display_name

        if (!winner) {
          expect(sentence).toBe(`No lobby had a free seat that fits, so the find made one in ${region}.`)
          return
        }
        expect(sentence).toMatch(new RegExp(`^${region} won`))
        // Closed and full lobbies have lost for another reason.
        const nearer = lobbies
          .filter(one => !one.is_closed && one.total_player_count < 8)
          .map(({ region_id }) => candidates.find(one => one.region_id === region_id)?.kilometers ?? 0)
          .filter(kilometers => kilometers < (winner.kilometers ?? 0))
        expect(sentence.includes('is nearer')).toBe(nearer.length > 0)
      }),
      { numRuns: inject('runs') },
    )
  })

  it.each([
    [
      [
        { region_id: 'lnd-fra', total_player_count: 2 },
        { region_id: 'lnd-lon', total_player_count: 5 },
      ],
      'London won although Frankfurt is nearer: a find takes the fullest lobby that fits, and this one had 5 of 8 seats taken.',
    ],
    [
      [{ region_id: 'lnd-lon' }, { region_id: 'lnd-fra' }],
      'Frankfurt won: of the fullest lobbies, a find takes the nearest.',
    ],
    [
      [{ region_id: 'lnd-fra' }, { region_id: 'lnd-fra' }],
      'Frankfurt won: of lobbies that are as full and as near, a find takes the first.',
    ],
    [
      [{ region_id: 'lnd-tok' }, { region_id: 'lnd-fra', is_closed: true }],
      'Tokyo won: no other lobby had a free seat that fits.',
    ],
  ])('says by which rule: %j', async (lobbies, sentence) => {
    expect((await findAmong(lobbies, berlin)).sentence).toBe(sentence)
  })
})

it('the words of the page depend on the keys of the mock, and not on its sentences', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lobby, { maxLength: 12 }), async lobbies => {
      const { explanation, sentence, sentenceOf } = await findAmong(lobbies, berlin)
      const { candidates = [] } = explanation
      const reworded = candidates.map(one => (one.because === undefined ? one : { ...one, because: 'reworded' }))

      expect(sentenceOf({ ...explanation, candidates: reworded })).toBe(sentence)
      expect(reworded.map(one => loserWords(one, reworded))).toEqual(candidates.map(one => loserWords(one, candidates)))
      expect(foldCandidates(reworded).others).toBe(foldCandidates(candidates).others)
    }),
    { numRuns: 20 },
  )
})

describe('the compared lobbies', () => {
  it('are all listed or counted, and the notes of the regions count them too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lobby, { maxLength: 12 }), async lobbies => {
        const { candidates = [] } = (await findAmong(lobbies, berlin)).explanation
        const { listed, others } = foldCandidates(candidates)

        const counted = [...others.matchAll(/\d+/g)].reduce((sum, [count]) => sum + Number(count), 0)
        expect(listed.length + counted).toBe(candidates.length)
        expect(listed.length).toBeLessThanOrEqual(5)
        const isFew = candidates.length < 5
        expect(
          listed.every(one => isChosen(one) || isFew || /player|away|newer/.test(loserWords(one, candidates))),
        ).toBe(true)
        if (isFew) expect(listed).toEqual(candidates)
        // The map frames the winner, and at most one that lost.
        const framed = framedRegions(candidates)
        const winner = candidates.find(isChosen)
        if (winner) expect(framed[0]).toBe(winner.region_id)
        if (winner) expect(framed.length).toBeLessThanOrEqual(2)
        expect(new Set(regionNotes(candidates).keys())).toEqual(new Set(candidates.map(({ region_id }) => region_id)))
      }),
      { numRuns: inject('runs') },
    )
  })

  it('say how many players fewer they had, or else the reason without what the API adds', async () => {
    const { candidates = [] } = (
      await findAmong([
        { region_id: 'lnd-fra', total_player_count: 5 },
        { region_id: 'lnd-fra', total_player_count: 4 },
        { region_id: 'lnd-lon', total_player_count: 1 },
        { region_id: 'lnd-lon', is_closed: true },
        { region_id: 'lnd-tok', total_player_count: 8 },
      ])
    ).explanation

    expect(candidates.slice(1).map(one => loserWords(one, candidates))).toEqual([
      '1 player fewer',
      '4 players fewer',
      'closed',
      'full',
    ])
    expect(foldCandidates(candidates).others).toBe('1 closed, 1 full')
    expect([...regionNotes(candidates)].map(([, { text }]) => text)).toEqual([
      expect.stringMatching(/^chosen/),
      expect.stringMatching(/^2 lost/),
      expect.stringMatching(/^lost/),
    ])
  })
})

describe('the sentence of a refusal', () => {
  it('is the reason with the names, and the message if that is all', async () => {
    const { entry } = await findAmong([])
    const refused = (reason: string, message = 'lobby 1 is full') =>
      reasonSentence(
        { ...entry, status: 400, answer: { code: 'X', message } },
        { verdict: '', because: [reason] },
        known,
      )
    const known = { tables: createTables(), made: new Map() }

    expect(refused('duel in Frankfurt is full: all 2 seats were taken')).toBe(
      'duel in Frankfurt is full: all 2 seats were taken.',
    )
    expect(refused('lobby 1 is full')).toBe('Lobby 1 is full.')
    expect(refused('it had no token', '')).toBe('X.')
  })

  it('names the lobby of the request instead of its id', () => {
    const lobby = { lobby_id: '1-2', game_mode_id: 'duel', region_id: 'lnd-fra' }
    const tables = createTables([{ table: 'lobbies', id: '1-2', row: lobby }])
    const answer = { code: 'X', message: 'lobby 1-2 is full' }

    expect(outcomeOf({ status: 400, body: { lobby_id: '1-2' }, answer }, { tables, made: new Map() })).toBe(
      'Lobby duel, lnd-fra is full.',
    )
  })
})

describe('the row of a request', () => {
  it.each([
    ['lobbies.setState', { body: { map: 'Harbour', round: 3 } }, 'Harbour · 3'],
    ['lobbies.setState', { body: {} }, 'saved'],
    ['lobbies.setState', {}, 'saved'],
    ['lobbies.getState', { answer: { map: 'Harbour' } }, 'Harbour'],
    ['lobbies.getState', { answer_bytes: 2_000 }, '2 KB of state'],
  ] as const)('of %s says the state of %j', (operation, more, text) => {
    expect(outcomeOf({ operation, status: 200, ...more }, { tables: createTables(), made: new Map() })).toBe(text)
  })
})

describe('the invitation to the first find', () => {
  it('shows the lobby that the find takes, and the nearest others, and counts all that fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lobby, { maxLength: 12 }), async lobbies => {
        const { explanation, tables } = await findAmong(lobbies, berlin)
        const fitting = (explanation.candidates ?? []).filter(fits)
        const shown = candidatesShown(fitting)

        expect(fitting).toHaveLength(lobbies.filter(one => !one.is_closed && one.total_player_count < 8).length)
        expect(shown).toHaveLength(Math.min(3, fitting.length))
        if (fitting[0]) expect(shown).toContain(fitting[0])
        const away = shown.map(({ kilometers = 0 }) => kilometers)
        expect(away).toEqual(away.toSorted((one, other) => one - other))
        const words = ['No', 'one', 'two', 'three'][fitting.length] ?? `${fitting.length}`
        expect(question('ffa', fitting, tables)).toMatch(new RegExp(`(^|and )${words} lobb(y|ies) of ffa ha(s|ve) a`))
        const free = fitting.reduce((sum, { free_seats }) => sum + free_seats, 0)
        const noted = [...seatNotes(fitting).values()].map(({ text }) => Number.parseInt(text, 10))
        expect(noted.reduce((sum, one) => sum + one, 0)).toBe(free)
      }),
      { numRuns: inject('runs') },
    )
  })

  it.each([
    [[], 'No lobby of ffa has a free seat. A find makes one.'],
    [[{ region_id: 'lnd-tok' }], 'You are 8,939 km from Tokyo, and one lobby of ffa has a seat.'],
    [
      [{ region_id: 'lnd-fra' }, { region_id: 'lnd-tok', total_player_count: 7 }],
      'You are 424 km from Frankfurt, and two lobbies of ffa have a seat. Which one will you get?',
    ],
  ])('asks: %j', async (lobbies, text) => {
    const { explanation, tables } = await findAmong(lobbies, berlin)

    expect(question('ffa', (explanation.candidates ?? []).filter(fits), tables)).toBe(text)
  })

  it('of the default scenario has Toronto win although Frankfurt is nearer', async () => {
    const mock = createMockmaker({ seed: 1 })
    const { candidates = [] } = mock.explain({ find: 'free-for-all' })

    expect(candidatesShown(candidates.filter(fits)).map(({ region_id }) => region_id)).toEqual([
      'lnd-fra',
      'lnd-tor',
      'lnd-syd',
    ])
    expect(candidates.find(isChosen)).toMatchObject({ region_id: 'lnd-tor', free_seats: 1 })
  })
})
