import { onTestFinished } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { createMock } from '../../../src/core/mock/mock.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { GameServers } from '../../../src/server/processes/game-servers.js'
import type { FindDeadPorts } from '../../../src/server/processes/listeners.js'
import { linesOf } from '../../../src/server/processes/program-log.js'
import type { Exit } from '../../../src/server/processes/server-process.js'
import { deferred } from '../../support/worlds.js'

/** A process that the test ends. */
interface FakeProcess {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** Signals, oldest first. */
  readonly signals: string[]
  write(line: string): void
  exit(exit: Exit): void
}

export const command = './server --port $PORT_default'
/** Each lobby has a game server, and the clock stands still. */
export const commanded: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  servers: { command },
  game_modes: ['duel'],
}

/** Creates a mock whose scenario may have commands. */
export const mockWith = (scenario: ScenarioInput) => createMock({ scenario }, { commands: 'allowed' })

const noDeadPorts: FindDeadPorts = async () => ({ dead: [], listening: [] })

/**
 * Starts fake processes for a mock. Ports count up from `firstPort`. `refuses` tells whether the system refuses to start the next
 * one.
 */
export function manage(
  scenario: ScenarioInput = commanded,
  refuses = () => false,
  { mock = mockWith(scenario), firstPort = 40_001, findDeadPorts = noDeadPorts } = {},
) {
  const processes: FakeProcess[] = []
  const lines: string[] = []
  const failures: string[] = []
  let nextPort = firstPort
  /** The watched paths, each with the function that reports a change. */
  const watched = new Map<string, () => void>()
  const servers = new GameServers({
    mock,
    url: 'http://127.0.0.1:4100',
    log: {
      report: report => {
        const { text, isFailure } = report
        if (isFailure) failures.push(linesOf(report, { showsOutput: true }).join('\n'))
        else lines.push(text)
      },
    },
    system: {
      watchFiles(path, { onChange }) {
        watched.set(path, () => onChange(`${path}/game.js`))
        return { close: async () => void watched.delete(path) }
      },
      findDeadPorts,
      findPorts: async wanted => wanted.map(port => ({ ...port, target_port: port.fixed ?? nextPort++ })),
      start(started, env, onLine) {
        if (refuses()) throw new Error('no more processes')
        const { promise, resolve } = deferred<Exit>()
        const signals: string[] = []
        const end = (signal: string) => {
          signals.push(signal)
          resolve({ signal })
        }
        const lastLines: string[] = []
        const write = (line: string) => {
          lastLines.push(line)
          onLine(line)
        }
        processes.push({ command: started, env, signals, write, exit: exit => resolve(exit) })
        return {
          lastLines: () => lastLines,
          pid: 100 + processes.length,
          exited: promise,
          gone: promise.then(() => {}),
          stop: () => end('SIGTERM'),
          kill: () => end('SIGKILL'),
        }
      },
    },
  })
  const close = async () => {
    await servers.close()
    await mock.close()
  }
  onTestFinished(close)
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const sent = new TextEncoder().encode(JSON.stringify(body))
    const { status, headers: got, body: answer } = await mock.answer({ method: 'POST', path, headers, body: sent })
    const json = JSON.parse(new TextDecoder().decode(answer)) as Join & { code?: string }
    return { status, rayId: got['rvt-ray-id'], json }
  }
  return {
    mock,
    close,
    watched,
    processes,
    lines,
    failures,
    post,
    find: (host = 'play.example:4100') => post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, { host }),
    ready: (id: string) => post('/matchmaker/lobbies/ready', {}, { authorization: `Bearer ${lobbyTokenOf(id)}` }),
    /** Waits until that many processes were started, and returns the newest. */
    async started(count: number): Promise<FakeProcess> {
      for (let i = 0; processes.length < count && i < 1000; i += 1) await new Promise(setImmediate)
      return processes[count - 1] as FakeProcess
    },
  }
}

/** Waits until all promises that need no timer have settled. */
export const settled = async () => {
  for (let i = 0; i < 5; i += 1) await new Promise(setImmediate)
}
