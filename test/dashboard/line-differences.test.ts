import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareLines } from '../../src/dashboard/requests/line-differences.js'

/** Texts of few different lines, so that many are the same. */
const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 9 }).map(lines => lines.join('\n'))

const isSame = ({ old, changed }: { old?: string | undefined; changed?: string | undefined }) => old === changed

/** The length of the longest common sequence, in the slow way. */
function mostCommon([first, ...others]: readonly string[], lines: readonly string[]): number {
  if (first === undefined) return 0
  const without = mostCommon(others, lines)
  const at = lines.indexOf(first)
  return at === -1 ? without : Math.max(without, 1 + mostCommon(others, lines.slice(at + 1)))
}

describe('the lines of two answers', () => {
  it('are all there, in their order, and as many as possible are the same', () => {
    fc.assert(
      fc.property(text, text, (old, changed) => {
        const pairs = compareLines(old, changed)

        expect(pairs.flatMap(pair => pair.old ?? []).join('\n')).toBe(old)
        expect(pairs.flatMap(pair => pair.changed ?? []).join('\n')).toBe(changed)
        expect(pairs.filter(isSame)).toHaveLength(mostCommon(old.split('\n'), changed.split('\n')))
      }),
    )
  })

  it('are side by side, also if only one of them differs among equal ones', () => {
    expect(compareLines('{\n"a": 1,\n"b": 1\n}', '{\n"a": 2,\n"b": 1\n}')).toEqual([
      { old: '{', changed: '{' },
      { old: '"a": 1,', changed: '"a": 2,' },
      { old: '"b": 1', changed: '"b": 1' },
      { old: '}', changed: '}' },
    ])
  })

  it('are all different between the first and the last difference of very long answers', () => {
    const lines = (mark: string) =>
      ['same', ...Array.from({ length: 3_000 }, (_, i) => `${mark}${i}`), 'same'].join('\n')

    const pairs = compareLines(lines('a'), lines('b'))

    expect(pairs).toHaveLength(3_002)
    expect(pairs.filter(isSame)).toHaveLength(2)
    expect(pairs[1]).toEqual({ old: 'a0', changed: 'b0' })
  })
})
