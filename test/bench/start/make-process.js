// @ts-check
// Makes and resets mocks of the default scenario, and prints how long that took: `node make-process.js`.
import { createMockmaker } from '../../../dist/index.js'
import { cpuMs } from '../cpu.js'
import { median } from '../rounds.js'

const laterOnes = 200

const make = async () => createMockmaker()
const { value: mock, ...firstMake } = await timed(make)
await change()
const { value: _, ...firstReset } = await timed(mock.reset)
process.stdout.write(
  JSON.stringify({
    ...named('firstMake', firstMake),
    ...named('firstReset', firstReset),
    ...named('laterReset', await later(mock.reset, change)),
    ...named('laterMake', await later(make, async () => {})),
  }),
)

async function change() {
  const [{ lobby_id = '' } = {}] = mock.world.lobbies.all()
  const changed = await mock.world.lobbies.update(q => q.where({ lobby_id }), {
    data(lobby) {
      lobby.total_player_count = lobby.total_player_count === 0 ? 1 : 0
    },
  })
  if (!changed) throw new Error('the default scenario has no lobby to change')
}

/**
 * @template T
 * @param {() => Promise<T>} run
 */
async function timed(run) {
  const cpuBefore = cpuMs()
  const startedAt = performance.now()
  const value = await run()
  return { value, ms: performance.now() - startedAt, cpuMs: cpuMs() - cpuBefore }
}

/**
 * The medians of many runs, each after a preparation that is not counted.
 *
 * @param {() => Promise<unknown>} run
 * @param {() => Promise<void>} prepare
 */
async function later(run, prepare) {
  const runs = []
  for (let i = 0; i < laterOnes; i++) {
    await prepare()
    runs.push(await timed(run))
  }
  return { ms: median(runs.map(one => one.ms)), cpuMs: median(runs.map(one => one.cpuMs)) }
}

/**
 * @param {string} step
 * @param {{ readonly ms: number, readonly cpuMs: number }} figures
 */
function named(step, figures) {
  return { [`${step}Ms`]: figures.ms, [`${step}CpuMs`]: figures.cpuMs }
}
