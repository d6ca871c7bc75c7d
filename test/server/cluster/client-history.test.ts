import { describe, expect, it } from 'vitest'
import { type ClientCall, contradictions } from '../../support/client-history.js'

const at = (began: number, ended = began + 1) => ({ world: 'w', began, ended, outcome: 'ok' as const })
const seat = (token: string, lobby = 'one') => ({ token, lobby })

const honest: readonly ClientCall[] = [
  { ...at(1), kind: 'find', token: 'a' },
  { ...at(2, 6), kind: 'find', token: 'b' },
  { ...at(3), kind: 'list', seats: [seat('a'), seat('b')] },
  { ...at(5, 7), kind: 'find', outcome: 'unknown' },
  { ...at(8), kind: 'leave', token: 'a' },
  { ...at(10), kind: 'list', seats: [seat('b'), seat('lost', 'two')] },
  { ...at(1), kind: 'watch', link: 'sofa', index: 5n, isComplete: false },
  { ...at(3, 8), kind: 'watch', link: 'sofa', index: 9n, isComplete: true },
  { ...at(4, 7), kind: 'complete', link: 'sofa' },
  { ...at(12), kind: 'watch', link: 'sofa', index: 9n, isComplete: true },
  { ...at(1), kind: 'seed', seed: 7 },
  { ...at(2, 5), kind: 'reset', seed: 1 },
  { ...at(3), kind: 'seed', seed: 1 },
  { ...at(4, 8), kind: 'reset', seed: 2 },
  { ...at(7), kind: 'seed', seed: 1 },
  { ...at(9), kind: 'seed', seed: 2 },
  { ...at(11), kind: 'reset', seed: 3, outcome: 'unknown' },
  { ...at(14), kind: 'seed', seed: 2 },
  { ...at(16), kind: 'seed', seed: 3 },
]

describe('the contradictions of a history', () => {
  it('are none if each world looks as if one process ran it', () => {
    expect(contradictions(honest, 2)).toEqual([])
  })

  it.for<readonly [string, ...ClientCall[]]>([
    ['w: the seat b was given twice', { ...at(20), kind: 'find', token: 'b' }],
    [
      'w: an answer of 20 to 21 lacks the seat b, acknowledged at 6',
      { ...at(20), kind: 'list', seats: [seat('lost', 'two')] },
    ],
    [
      'w: an answer of 20 to 21 lacks the seat lost, which an answer showed at 11',
      { ...at(20), kind: 'list', seats: [seat('b')] },
    ],
    [
      'w: an answer of 20 to 21 shows the seat a, left at 9',
      { ...at(20), kind: 'list', seats: [seat('a'), seat('b'), seat('lost', 'two')] },
    ],
    [
      'w: an answer at 21 shows 2 seats that nobody got, after 1 lost answers',
      { ...at(20), kind: 'list', seats: [seat('b'), seat('lost', 'two'), seat('odd', 'two')] },
    ],
    [
      'w: an answer at 21 has 3 players in the lobby two',
      { ...at(15), kind: 'find', outcome: 'unknown' },
      { ...at(15), kind: 'find', outcome: 'unknown' },
      { ...at(20), kind: 'list', seats: [seat('b'), seat('lost', 'two'), seat('x', 'two'), seat('y', 'two')] },
    ],
    [
      'w: an answer at 21 has a seat twice',
      { ...at(20), kind: 'list', seats: [seat('b'), seat('b'), seat('lost', 'two')] },
    ],
    ['w: an answer at 0 shows the seat b before its find at 2', { ...at(-1), kind: 'list', seats: [seat('b')] }],
    [
      'w: a watch of sofa at 21 missed its completion at 7',
      { ...at(20), kind: 'watch', link: 'sofa', index: 10n, isComplete: false },
    ],
    [
      'w: the index of sofa went back to 5 at 21',
      { ...at(20), kind: 'watch', link: 'sofa', index: 5n, isComplete: true },
    ],
    ['w: sofa is open again at 21', { ...at(20), kind: 'watch', link: 'sofa', index: 9n, isComplete: false }],
    [
      'w: sofa has two states with the index 9',
      { ...at(0, 9), kind: 'watch', link: 'sofa', index: 9n, isComplete: false },
    ],
    ['w: sofa was completed twice', { ...at(20), kind: 'complete', link: 'sofa' }],
    [
      'w: an answer of 20 to 21 shows the seed 7, though a later reset was acknowledged before',
      { ...at(20), kind: 'seed', seed: 7 },
    ],
    [
      'w: an answer of 30 to 31 shows the seed 2, though a later reset was acknowledged before',
      { ...at(22), kind: 'reset', seed: 1 },
      { ...at(30), kind: 'seed', seed: 2 },
    ],
    ['w: an answer of 1 to 2 shows the seed 3, before its reset', { ...at(1), kind: 'seed', seed: 3 }],
  ])('include: %s', ([problem, ...calls]) => {
    expect(contradictions([...honest, ...calls], 2)).toContain(problem)
  })
})
