import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'

interface Soaked {
  readonly exchanges: number
  /** Bytes in use after the warm-up. */
  readonly before: number
  readonly after: number
}

const isShort = inject('runs') < 1_000
const [warmUp, all] = isShort ? [3_000, 8_000] : [60_000, 130_000]
/** Without optimized code, whose megabyte would hide a leak in a short run. */
const flags = isShort ? ['--no-opt'] : []
/**
 * In bytes. The engine compiles up to 0.5 MB of code after the warm-up. A leak of 16 bytes for each exchange, or of half a
 * kilobyte for each watch, exceeds this. In a short run, one of 150 bytes or of four kilobytes does.
 */
const mostGrowth = 1_000_000

it('mixed exchanges leave no more memory in use than the first of them', { timeout: 300_000 }, async () => {
  const program = fileURLToPath(new URL('./program.js', import.meta.url))

  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    ...flags,
    program,
    `${warmUp}`,
    `${all}`,
  ])

  const { exchanges, before, after }: Soaked = JSON.parse(stdout)
  expect(exchanges).toBeGreaterThanOrEqual(all)
  expect(after - before).toBeLessThan(mostGrowth)
  expect(after / before).toBeLessThan(1.05)
})
