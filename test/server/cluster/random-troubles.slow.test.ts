import { describe, expect, it, onTestFinished } from 'vitest'
import { type ClientCall, contradictions } from '../../support/client-history.js'
import { file, type Served, serveJson } from '../../support/command.js'
import { RedisServer } from '../../support/redis-server.js'
import { type ClientPlace, finish, WorldClient } from '../../support/world-client.js'

const links = ['device.mock.sofa', 'device.mock.desk']
const worlds = ['default', ...Array.from({ length: 19 }, (_, i) => `w${i}`)]
const seatsPerLobby = 2

// A frozen clock: no seat expires, however long a round takes.
const scenario = `
now: 2026-11-20T20:00:00Z
clock: frozen
game_modes: [{ game_mode_id: duel, max_players: ${seatsPerLobby} }]
device_links: [${links.map(token => `{ token: ${token} }`).join(', ')}]
`

/** The rounds of the test, each with troubles of its own. */
const rounds = Number(process.env.ROUNDS ?? 1)
/** The least time of the troubles of a round, in ms. */
const troubledMs = 8_000
/** The least number of finds that clients get among the troubles. A replica that stands still may hold all clients up. */
const leastFinds = 20
/** A client gives up after this time, in ms. A watch blocks until its link is complete. */
const patienceMs = 60_000

/** Replicas in processes of their own, which share a Redis, and their clients. */
class Processes implements ClientPlace {
  readonly calls: ClientCall[] = []
  readonly problems: string[] = []
  readonly worlds = worlds
  readonly links = links
  readonly resetWorld = 'r'
  readonly redis: RedisServer
  readonly #scenario: string
  readonly #replicas: (Served | undefined)[] = [undefined, undefined, undefined]
  #order = 0

  constructor(redis: RedisServer, scenario: string) {
    this.redis = redis
    this.#scenario = scenario
  }

  async start(place: number): Promise<void> {
    this.#replicas[place] = await serveJson([this.#scenario, '--data', this.redis.url, '--max-worlds', '100'])
  }

  /** Ends a replica, and starts another one in its place. */
  async restart(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const replica = this.#replicas[place]
    if (!replica) return
    this.#replicas[place] = undefined
    replica.signal(signal)
    await replica.exited
    await this.start(place)
  }

  async end(place: number): Promise<void> {
    const replica = this.#replicas[place]
    replica?.signal('SIGKILL')
    await replica?.exited
  }

  /** Stops a replica, or Redis, for a time. */
  async freeze(place: number | 'redis', ms: number): Promise<void> {
    const frozen = place === 'redis' ? this.redis : this.#replicas[place]
    frozen?.signal('SIGSTOP')
    await this.pause(ms)
    frozen?.signal('SIGCONT')
  }

  /** The number of seats that clients got. */
  get finds(): number {
    return this.calls.filter(({ kind, outcome }) => kind === 'find' && outcome === 'ok').length
  }

  random(): number {
    return Math.random()
  }

  nextOrder(): number {
    return ++this.#order
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, ms)) // the moments are what the test varies
  }

  async send(
    { method, path, query, body }: Parameters<ClientPlace['send']>[0],
    process?: number,
  ): ReturnType<ClientPlace['send']> {
    const replica = this.#replicas[process ?? Math.floor(this.random() * this.#replicas.length)]
    if (!replica) return { wasSent: false }
    try {
      const response = await fetch(`${replica.url}${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(patienceMs),
      })
      return { wasSent: true, status: response.status, text: await response.text() }
    } catch {
      return { wasSent: true }
    }
  }

  /** Does one thing after the other that may happen to processes. */
  async trouble(isOver: () => boolean): Promise<void> {
    const place = () => Math.floor(this.random() * 3)
    const kinds = [
      () => this.restart(place(), 'SIGKILL'),
      () => this.restart(place(), 'SIGTERM'),
      () => this.freeze(place(), 4_000),
      () => this.freeze('redis', 1_000),
      async () => {
        await this.redis.end('SIGKILL')
        await this.pause(300)
        await this.redis.start()
      },
    ]
    while (!isOver()) {
      await kinds[Math.floor(this.random() * kinds.length)]?.()
      await this.pause(this.random() * 1_000)
    }
  }
}

describe('replicas in processes', () => {
  it('look like one process to their clients, whatever happens to them', { timeout: 600_000 }, async () => {
    const scenarioFile = await file('duel.yaml', scenario)
    for (let round = 0; round < rounds; round++) {
      // Otherwise a Redis that is killed may lose what it wrote while it synced.
      const redis = await RedisServer.start('--appendfsync', 'always')
      onTestFinished(() => redis.stop())
      const processes = new Processes(redis, scenarioFile)
      await Promise.all([0, 1, 2].map(place => processes.start(place)))
      const begun = performance.now()
      const isOver = () => performance.now() - begun > troubledMs && processes.finds >= leastFinds

      const watches = worlds.map(world => new WorldClient(processes).watchOn(world, 'device.mock.sofa'))
      const loads = Array.from({ length: 8 }, () => new WorldClient(processes).run(isOver, 100))
      await Promise.all([...loads, processes.trouble(isOver)])
      await processes.pause(4_000)
      await finish(processes, 3)
      await Promise.all(watches)
      await processes.restart(0, 'SIGKILL')
      await finish(processes, 1)

      const { calls, problems } = processes
      expect([...problems, ...contradictions(calls, seatsPerLobby)], `round ${round}`).toEqual([])
      await Promise.all([0, 1, 2].map(place => processes.end(place)))
    }
  })
})
