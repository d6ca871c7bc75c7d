import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('a key of options', () => {
  it('has a comment, which editors show', () => {
    const lines = readFileSync('src/generated/options.ts', 'utf8').split('\n')
    const isKey = (line: string) => /^ {2}readonly \w+\?: /.test(line)

    const bare = lines.filter((line, i) => isKey(line) && !lines[i - 1]?.endsWith('*/'))

    expect(lines.filter(isKey)).toContainEqual(expect.stringContaining('watchTimeoutMs'))
    expect(bare).toEqual([])
  })
})
