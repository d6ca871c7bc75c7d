import { describe, expect, it, vi } from 'vitest'
import type { Console } from '../../src/cli/console.js'
import { createProgressBar } from '../../src/cli/progress-bar.js'
import { serve } from '../../src/cli/serve.js'

interface Watched {
  readonly isTTY?: boolean
  readonly columns?: number
  /** How long each of ten steps takes, in ms. */
  readonly stepMs?: number
}

/** What a terminal shows after each of ten steps to 1,000 lobbies, and all that was written to it. */
function watched({ isTTY = true, columns = 80, stepMs = 100 }: Watched = {}) {
  const writes: string[] = []
  const terminal = { isTTY, columns, write: (text: string) => writes.push(text) }
  const time = { ms: 5_000 }
  const progress = createProgressBar(terminal, () => time.ms)
  const shown: string[] = []
  for (let done = 100; done <= 1000; done += 100) {
    time.ms += stepMs
    progress(done, 1000)
    shown.push(lineAfter(writes).trimEnd())
  }
  return { shown, writes }
}

/** The line of a terminal to which that was written: a carriage return goes back to its beginning. */
function lineAfter(writes: readonly string[]): string {
  const parts = writes.join('').split('\r')
  return parts.reduce((line, part) => part + line.slice(part.length), '')
}

const silent: Console = {
  print() {},
  printJson() {},
  printDocument() {},
  printPieces: async () => {},
  warn() {},
  fail() {},
  style: (_, text) => text,
  clear() {},
  progress: () => () => {},
}

describe('the progress bar', () => {
  it('shows how much is done once it has taken 300 ms, and is gone at the end', () => {
    const { shown } = watched()

    expect(shown[1]).toBe('')
    expect(shown[4]).toBe(`[${'#'.repeat(20)}${'.'.repeat(20)}] 50% of 1,000 lobbies`)
    expect(shown.at(-1)).toBe('')
  })

  it('leaves the cursor at the beginning of the line', () => {
    expect(watched().writes.at(-1)).toMatch(/^\r +\r$/)
  })

  it('does not show where it takes less', () => {
    expect(watched({ stepMs: 20 }).writes).toEqual([])
  })

  it('moves at most twenty times a second', () => {
    expect(watched({ stepMs: 45 }).writes).toHaveLength(3)
  })

  it('is not for a pipe', () => {
    expect(watched({ isTTY: false }).writes).toEqual([])
  })

  it('writes only signs and carriage returns, so that it has no colours', () => {
    expect(watched().writes.join('')).toMatch(/^[\r -~]*$/)
  })

  it.each([0, 1, 5, 20, 30, 37, 50])('never reaches the last of %i columns', columns => {
    const { shown } = watched({ columns })

    expect(Math.max(...shown.map(line => line.length))).toBeLessThanOrEqual(Math.max(columns - 1, 0))
  })

  it.each([
    ['is drawn by the command', {}, 1],
    ['is not for --quiet', { quiet: true }, 0],
  ])('%s', async (_, options, times) => {
    const progress = vi.fn(() => () => {})

    const { close } = await serve({
      loaded: { name: 'mine', scenario: {} },
      options: { port: 0, ...options },
      console: { ...silent, progress },
    })
    await close()

    expect(progress).toHaveBeenCalledTimes(times)
  })
})
