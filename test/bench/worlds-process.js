// @ts-check
// Forks and resets a world, and prints what each takes: `node worlds-process.js <scenario file>`.
import { readFileSync } from 'node:fs'
import { createMockmaker } from '../../dist/index.js'
import { median } from './figures.js'

const mock = createMockmaker({ scenario: JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) })
// The first ones create what all have in common.
for (let i = 0; i < 50; i++) await mock.worlds.put(`before-${i}`, { fork: 'default' })

const forkMs = await medianMs(501, i => mock.worlds.put(`fork-${i}`, { fork: 'default' }))
const copyMs = await medianMs(11, async () => structuredClone(mock.world.lobbies.all()))
const resetMs = await medianMs(
  501,
  () => mock.reset(),
  () => mock.world.lobbies.create({}),
)
process.stdout.write(JSON.stringify({ forkMs, copyMs, resetMs }))

/**
 * @param {number} count
 * @param {(i: number) => Promise<unknown>} run
 * @param {() => Promise<unknown>} [prepare] This is not measured.
 */
async function medianMs(count, run, prepare) {
  const times = []
  for (let i = 0; i < count; i++) {
    await prepare?.()
    const startedAt = performance.now()
    await run(i)
    times.push(performance.now() - startedAt)
  }
  return median(times)
}
