import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createMock } from '../../../src/core/mock/mock.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { ScenarioBots } from '../../../src/server/processes/scenario-bots.js'
import type { Exit } from '../../../src/server/processes/server-process.js'
import { closedAfterTest, deferred } from '../../support/worlds.js'

const players = { command: './client', concurrent: 3 }
const duels: ScenarioInput = { clock: 'frozen', game_modes: ['duel'], players }

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Runs the bots of a scenario on a fake clock, with fake processes, which end so many ms after a signal. */
function run(scenario: ScenarioInput, { maxBots, endMs = 0 }: { maxBots?: number; endMs?: number } = {}) {
  const mock = closedAfterTest(createMock({ scenario }, { commands: 'allowed' }))
  const processes: { command: string; env: Readonly<Record<string, string>>; isAlive: boolean }[] = []
  const lines: string[] = []
  const bots = new ScenarioBots({
    mock,
    url: 'http://127.0.0.1:9',
    maxBots,
    log: { report: ({ text }) => void lines.push(text) },
    start(command, env) {
      const process = { command, env, isAlive: true }
      const { promise: exited, resolve } = deferred<Exit>()
      const end = (signal: string) => {
        const ended = () => {
          process.isAlive = false
          resolve({ signal })
        }
        if (endMs > 0) setTimeout(ended, endMs)
        else ended()
      }
      processes.push(process)
      const gone = exited.then(() => {})
      const lastLines = () => []
      return { pid: 1, exited, gone, lastLines, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
    },
  })
  return { mock, bots, processes, lines, alive: () => processes.filter(({ isAlive }) => isAlive) }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

describe('the bots of a scenario', () => {
  it('play in the default world only, with its token, also while its clock stands still', async () => {
    const { mock, alive, processes } = run(duels)
    await mock.worlds.put('other')
    await pass(5_000)
    await mock.worlds.delete('other')
    await pass(5_000)

    const { world } = mock.default
    const [token] = world.tokens.all().filter(({ kind }) => kind === 'public')
    expect(processes).toHaveLength(3)
    expect(alive().map(({ env }) => env.MOCKMAKER_BOT)).toEqual(['1', '2', '3'])
    expect(alive()[0]?.env).toMatchObject({ MOCKMAKER_URL: 'http://127.0.0.1:9', RIVET_TOKEN: token?.token })
  })

  it('of several namespaces have their names before their lines', async () => {
    const namespaces = ['one', 'two'].map(name_id => ({ name_id, players: { command: name_id, concurrent: 1 } }))
    const { lines } = run({ games: [{ name_id: 'tanks', namespaces }] })

    await pass(1_000)

    expect(lines).toEqual(['tanks/one bot 1: started, pid 1', 'tanks/two bot 1: started, pid 1'])
  })

  it('end after a reload that changes them, and others start', async () => {
    const { mock, alive, processes } = run(duels, { endMs: 2_000 })
    await pass(5_000)

    await mock.reload({ ...duels, title: 'Same players' })
    await pass(5_000)
    expect(processes).toHaveLength(3)
    await mock.reload({ ...duels, players: { command: './other', concurrent: 2 } })
    await pass(1_999)
    expect(processes).toHaveLength(3)
    await pass(5_000)
    expect(alive().map(({ command }) => command)).toEqual(['./other', './other'])
    await mock.reload({ ...duels, players: { concurrent: 2 } })
    await pass(5_000)

    expect(alive()).toEqual([])
  })

  it('play on after a reset', async () => {
    const { mock, alive } = run(duels)
    await pass(5_000)

    await mock.default.reset()
    await pass(5_000)

    expect(alive()).toHaveLength(3)
  })

  it('end with the mock', async () => {
    const { mock, alive } = run(duels)
    await pass(5_000)

    await mock.close()

    expect(alive()).toEqual([])
  })

  it('are at most 64 together, unless more are allowed', async () => {
    const namespaces = ['one', 'two'].map(name_id => ({ name_id, players: { command: 'a', concurrent: 33 } }))
    const many: ScenarioInput = { games: [{ name_id: 'tanks', namespaces }] }
    const message = 'players.concurrent: 66 bots are more than 64'

    expect(() => run(many)).toThrow(message)
    expect(() => run(many, { maxBots: 66 })).not.toThrow()
    const { mock, processes } = run(duels)
    await expect(mock.reload({ ...duels, players: { command: 'a', concurrent: 65 } })).rejects.toThrow('65 bots')
    await pass(5_000)
    expect(processes).toHaveLength(3)
  })
})
