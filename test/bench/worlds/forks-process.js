// @ts-check
// Makes worlds beside others, and prints what one takes: `node --expose-gc forks-process.js [scenario file]`.
import { readFileSync } from 'node:fs'
import { setupMockmaker } from '../../../dist/msw/node.js'
import { median } from '../rounds.js'

const forks = 500
const made = 1_000
const resets = 500

const copies = 10

const [, , file] = process.argv
const mock = setupMockmaker(file === undefined ? {} : { scenario: JSON.parse(readFileSync(file, 'utf8')) })
// The first ones make what all have in common.
for (let i = 0; i < 50; i++) await mock.worlds.put(`before-${i}`, { fork: 'default' })

const lobby_id = mock.world.lobbies.all()[0]?.lobby_id
const fork = await each(forks, i => mock.worlds.put(`fork-${i}`, { fork: 'default' }))
const written = await each(forks, async i => {
  const { world } = await mock.worlds.put(`written-${i}`, { fork: 'default' })
  await world.lobbies.update(q => q.where({ lobby_id }), {
    data(lobby) {
      lobby.total_player_count = lobby.total_player_count === 0 ? 1 : 0
    },
  })
})
/** @type {unknown[]} */
const copied = []
const copy = await each(copies, async () => void copied.push(structuredClone(mock.world.lobbies.all())))
const fresh = await each(made, i => mock.worlds.put(`made-${i}`))
process.stdout.write(
  JSON.stringify({
    forkMs: fork.ms,
    forkKb: fork.kb,
    writtenMs: written.ms,
    writtenKb: written.kb,
    copyMs: copy.ms,
    copyKb: copy.kb,
    madeMs: fresh.ms,
    madeMb: (fresh.kb * made) / 1024,
    resetMs: await resetMs(),
  }),
)

/**
 * What one of so many takes: the median of the time, and its part of the heap.
 *
 * @param {number} count
 * @param {(i: number) => Promise<unknown>} make
 */
async function each(count, make) {
  const before = heapKb()
  const times = []
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now()
    await make(i)
    times.push(performance.now() - startedAt)
  }
  return { ms: median(times), kb: (heapKb() - before) / count }
}

async function resetMs() {
  const times = []
  for (let i = 0; i < resets; i++) {
    await mock.world.lobbies.create({})
    const startedAt = performance.now()
    await mock.reset()
    times.push(performance.now() - startedAt)
  }
  return median(times)
}

function heapKb() {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024
}
