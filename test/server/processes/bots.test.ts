import * as fc from 'fast-check'
import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { Bots, checkBotCount } from '../../../src/server/processes/bots.js'
import { linesOf } from '../../../src/server/processes/program-log.js'
import type { Exit } from '../../../src/server/processes/server-process.js'
import { deferred } from '../../support/worlds.js'

interface FakeBot {
  readonly env: Readonly<Record<string, string>>
  readonly graceMs: number | undefined
  readonly startedAt: number
  endedAt: number | undefined
  exit(exit: Exit): void
}

interface Script {
  readonly count?: number
  readonly sessionMs?: number
  readonly seed?: number
  /** How each process ends by itself, and after how many ms. Default: it stays until it is ended. */
  readonly ends?: { readonly afterMs: number; readonly exit: Exit }
  environment?(signal: AbortSignal): Promise<Record<string, string>>
}

/** Runs bots whose processes are fake, on a fake clock. */
function run({
  count = 1,
  sessionMs,
  seed = 1,
  ends,
  environment = async () => ({ MOCKMAKER_URL: 'u' }),
}: Script = {}) {
  const processes: FakeBot[] = []
  const lines: string[] = []
  const failures: string[] = []
  const notFound = vi.fn()
  const bots = new Bots({
    command: './client --bot',
    count,
    sessionMs,
    seed,
    environment: (_, signal) => environment(signal),
    onNotFound: notFound,
    log: {
      report: report =>
        void (report.isFailure ? failures : lines).push(linesOf(report, { showsOutput: true }).join('\n')),
    },
    start(_command, env, onLine, graceMs) {
      const { promise: exited, resolve } = deferred<Exit>()
      const bot: FakeBot = {
        env,
        graceMs,
        startedAt: performance.now(),
        endedAt: undefined,
        exit(exit) {
          bot.endedAt ??= performance.now()
          resolve(exit)
        },
      }
      processes.push(bot)
      queueMicrotask(() => onLine('hello'))
      if (ends) setTimeout(() => bot.exit(ends.exit), ends.afterMs)
      return {
        pid: 100 + processes.length,
        exited,
        gone: exited.then(() => {}),
        lastLines: () => ['hello'],
        stop: () => bot.exit({ signal: 'SIGTERM' }),
        kill: () => bot.exit({ signal: 'SIGKILL' }),
      }
    },
  })
  onTestFinished(() => bots.close())
  const alive = () => processes.filter(({ endedAt }) => endedAt === undefined).length
  return { bots, processes, lines, failures, notFound, alive }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const crash: Exit = { code: 1 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  return () => void vi.useRealTimers()
})

describe('bots', () => {
  it('come one after the other, as many as asked for, with their environment and prefixed output', async () => {
    const { processes, lines, alive } = run({ count: 8 })

    await pass(0)
    expect(alive()).toBe(1)
    await pass(8 * 375)

    expect(alive()).toBe(8)
    expect(processes[2]?.env).toEqual({ MOCKMAKER_URL: 'u', MOCKMAKER_BOT: '3' })
    expect(lines.slice(0, 2)).toEqual(['bot 1: started, pid 101', 'bot 1 | hello'])
    await pass(3_600_000)
    expect(processes).toHaveLength(8)
  })

  it('stay as long as the session says on average, and come back', async () => {
    const { processes, alive } = run({ count: 16, sessionMs: 60_000 })

    await pass(7_200_000)

    const stays = processes.slice(16).flatMap(({ startedAt, endedAt }) => (endedAt ? [endedAt - startedAt] : []))
    const meanOf = (ms: readonly number[]) => ms.reduce((sum, stay) => sum + stay, 0) / ms.length
    const mean = meanOf(stays)
    expect(stays.length).toBeGreaterThan(1_000)
    expect(mean).toBeGreaterThan(54_000)
    expect(mean).toBeLessThan(66_000)
    expect(alive()).toBeGreaterThan(10)
    // As if the first ones had come before.
    const firsts = processes.slice(0, 16).map(({ startedAt, endedAt = 0 }) => endedAt - startedAt)
    expect(meanOf(firsts)).toBeLessThan(45_000)
  })

  it('come and go at the same times with the same seed, and at others with another', async () => {
    const times = async (seed: number) => {
      const from = performance.now()
      const { processes, bots } = run({ count: 4, sessionMs: 20_000, seed })
      await pass(600_000)
      await bots.close()
      return processes.map(({ startedAt, endedAt = 0 }) => [Math.round(startedAt - from), Math.round(endedAt - from)])
    }

    const first = await times(7)

    expect(await times(7)).toEqual(first)
    expect(await times(8)).not.toEqual(first)
  })

  it('never are more than asked for, and all end with close, whatever they do', async () => {
    const exits = fc.constantFrom<Exit>({ code: 0 }, { code: 1 }, { signal: 'SIGSEGV' }, { error: 'no memory' })
    const ends = fc.option(fc.record({ afterMs: fc.nat(30_000), exit: exits }), { nil: undefined })
    const sessions = fc.option(fc.integer({ min: 1_000, max: 60_000 }), { nil: undefined })
    const scripts = fc.record({ count: fc.integer({ min: 1, max: 9 }), ends, sessionMs: sessions, seed: fc.nat() })
    await fc.assert(
      fc.asyncProperty(scripts, fc.nat(120_000), async ({ ends, sessionMs, ...script }, ms) => {
        const { bots, processes, alive } = run({ ...script, ...(ends && { ends }), ...(sessionMs && { sessionMs }) })
        for (let i = 0; i < 20; i += 1) {
          await pass(ms / 20)
          expect(alive()).toBeLessThanOrEqual(script.count)
        }

        await bots.close()
        const { length } = processes
        await pass(3_600_000)

        expect(alive()).toBe(0)
        expect(processes).toHaveLength(length)
      }),
      { numRuns: inject('runs') },
    )
  })

  it('get 2 s to end', async () => {
    const { processes } = run()

    await pass(0)

    expect(processes[0]?.graceMs).toBe(2_000)
  })
})

describe('a command that ends at once', () => {
  it('starts seldom, and is reported once', async () => {
    const { processes, failures } = run({ count: 32, ends: { afterMs: 50, exit: crash } })

    await pass(60_000)
    expect(processes.length).toBeLessThan(10)
    await pass(3_600_000)

    expect(processes.length).toBeLessThan(80)
    expect(failures).toEqual([
      'bot 1: crashed with exit code 1 after 50 ms. Bots try again after longer and longer pauses. No further failure is printed until one stays 5 s or exits with code 0: see its output above',
    ])
  })

  it('because the shell finds none is told to the caller', async () => {
    const { notFound, failures } = run({ ends: { afterMs: 5, exit: { code: 127 } } })

    await pass(5)

    expect(notFound).toHaveBeenCalledTimes(1)
    expect(failures[0]).toContain('The shell found no such command. Command: ./client --bot')
  })
})

describe('a bot without a seat', () => {
  it('starts no process, and tries again', async () => {
    let isFull = true
    const environment = async () => {
      if (isFull) throw new Error('it got no seat: MATCHMAKER_LOBBY_FULL: full')
      return {}
    }
    const { processes, failures } = run({ environment })
    await pass(0)
    expect(processes).toEqual([])
    isFull = false
    await pass(1_100)

    expect(processes).toHaveLength(1)
    expect(failures[0]).toContain('bot 1: cannot play: it got no seat: MATCHMAKER_LOBBY_FULL: full')
  })

  it('says why, and tries again later and later, also after a stay', async () => {
    let isFull = false
    let tries = 0
    const environment = async () => {
      tries += 1
      if (isFull) throw new Error('it got no seat')
      return {}
    }
    const { processes, lines, failures } = run({ environment, sessionMs: 60_000 })
    await pass(0)
    isFull = true
    await pass(600_000)

    expect(processes).toHaveLength(1)
    expect(tries).toBeLessThan(20)
    expect(lines.filter(line => line.includes('left'))).toHaveLength(1)
    expect(failures[0]).toContain('bot 1: cannot play: it got no seat')
  })
})

it('too many bots are refused', () => {
  expect(() => checkBotCount(64, 64, 'players')).not.toThrow()
  expect(() => checkBotCount(65, 64, 'players.concurrent')).toThrow(
    'players.concurrent: 65 bots are more than 64, and each is a process of this machine. Lower the number, or add --max-bots 65',
  )
})
