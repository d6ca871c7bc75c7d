import { describe, expect, it } from 'vitest'
import type { RunningWorld } from '../../../src/core/mock/running-world.js'
import type { MockResponse } from '../../../src/core/pipeline/message.js'
import type { ProcessTime } from '../../../src/core/storage/process-time.js'
import type { Claim, ReplicaInfo, SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { type Forwarded, Replica, type RequestToRoute } from '../../../src/server/cluster/replica.js'

const infoOf = (id: string): ReplicaInfo => ({ id, address: `http://${id}:4100`, startedAt: 0 })
const other = (id: string): Claim => ({ kind: 'other', owner: infoOf(id), epoch: 1 })
const mine: Claim = { kind: 'mine', epoch: 2 }
const noBytes = new Uint8Array()
const answer = (status: number): MockResponse => ({ status, headers: {}, body: noBytes })

/** A clock that jumps to its next timer as soon as nothing else happens. */
function quickClock(): ProcessTime {
  let now = 0
  const timers = new Set<{ readonly at: number; run(): void }>()
  const runNext = () => {
    const [next] = [...timers].sort((one, two) => one.at - two.at)
    if (!next) return
    timers.delete(next)
    now = next.at
    next.run()
  }
  return {
    now: () => now,
    monotonic: () => now,
    setTimer(run, ms) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      setImmediate(runNext)
      return () => void timers.delete(timer)
    },
  }
}

interface Peers {
  /** The claims, one after the other. The last one stays. */
  readonly claims: Claim[]
  /** The outcomes of forwarding, one after the other. The last one stays. Default: `done`. */
  readonly outcomes?: readonly (Forwarded | 'hangs')[]
  readonly dead?: readonly string[]
  /** The number of requests, one after the other. Default: 1. */
  readonly requests?: number
  onClaim?(): void
  /** Called when a world is read. */
  onLoad?(): void
  /** Tells whether this replica owns the world. Default: yes. */
  owns?(): boolean
  /** Resolves when the lease holds again. Default: it holds. */
  leaseSoon?(): Promise<void> | undefined
}

/** Routes requests. Returns what became of the last one. */
async function routed(
  { claims, outcomes = ['done'], dead = [], requests = 1, onClaim = () => {}, onLoad, owns, leaseSoon }: Peers,
  request: Partial<RequestToRoute> = {},
  use: (replica: Replica) => void = () => {},
) {
  const environment = quickClock()
  const forwarded: { to: string; waitedMs: number }[] = []
  const released: string[] = []
  let asked = 0
  let lose: (lost: { id: string; because: string }) => void = () => {}
  const memory = new Map<string, RunningWorld>()
  const storage = {
    claim: async () => {
      asked += 1
      onClaim()
      return claims.length > 1 ? claims.shift() : claims[0]
    },
    checkLease() {},
    leaseSoon: leaseSoon ?? (() => undefined),
    owns: owns ?? (() => true),
    release: async (id: string) => void released.push(id),
    isAlive: async (id: string) => !dead.includes(id),
    onLost(listener: typeof lose) {
      lose = listener
      return () => {}
    },
  } as unknown as SharedStorage // the calls that a replica makes
  const worlds = {
    inMemory: (id: string) => memory.get(id),
    load: async () => onLoad?.(),
    drop: (id: string) => void memory.delete(id),
  }
  const replica = new Replica({ storage, worlds, environment })
  use(replica)
  const route = () =>
    new Promise<MockResponse | 'turned away' | 'done' | 'gone'>(resolve => {
      request.gone?.addEventListener('abort', () => setImmediate(resolve, 'gone'))
      replica.route({
        worldId: 'mine',
        mayCreate: false,
        needsContent: true,
        isRepeatable: true,
        isForwarded: false,
        waitedMs: 0,
        gone: new AbortController().signal,
        answer: () => answer(200),
        async forward({ id }, { waitedMs, signal }) {
          forwarded.push({ to: id, waitedMs })
          const outcome = outcomes[Math.min(forwarded.length, outcomes.length) - 1]
          if (outcome === 'hangs') {
            await new Promise<void>(aborted => signal.addEventListener('abort', aborted))
            return 'broken'
          }
          if (outcome === 'done') resolve('done')
          return outcome ?? 'done'
        },
        respond: resolve,
        refuseAsNotOwner: () => resolve('turned away'),
        responseTo: (error: unknown) => ({ ...answer(503), headers: { message: String(error) } }),
        ...request,
      })
    })
  let got = await route()
  for (let i = 1; i < requests; i++) got = await route()
  return { got, forwarded, released, asked, elapsedMs: environment.monotonic() }
}

describe('a replica', () => {
  it('remembers the owner of a world until that one does not answer for it', async () => {
    expect(await routed({ claims: [other('b')], requests: 3 })).toMatchObject({ asked: 1, forwarded: { length: 3 } })

    const moved = { claims: [other('b'), other('c')], outcomes: ['done', 'unread', 'done'] as const, requests: 3 }
    const { asked, forwarded } = await routed(moved)
    expect([asked, forwarded.map(({ to }) => to)]).toEqual([2, ['b', 'b', 'c', 'c']])
  })

  it('gives up a claim of a world that the request has not created', async () => {
    expect((await routed({ claims: [{ kind: 'new', epoch: 1 }] })).released).toEqual(['mine'])
  })

  it.for(['while it is made', 'before the body has arrived'] as const)(
    'gives up a claim if the client disconnects %s',
    async moment => {
      const client = new AbortController()
      const bodyNeverArrives = new Promise<MockResponse>(() => {})

      const { released } = await routed(
        {
          claims: [{ kind: 'new', epoch: 1 }],
          onClaim() {
            if (moment === 'while it is made') client.abort()
          },
        },
        {
          gone: client.signal,
          answer() {
            setImmediate(() => client.abort())
            return bodyNeverArrives
          },
        },
      )

      expect(released).toEqual(['mine'])
    },
  )

  it('waits for the end of a lease, but not for ever', async () => {
    const later = [...Array(20).fill(other('b')), mine]

    const [taken, never] = [
      await routed({ claims: later, outcomes: ['unreachable'] }, { isRepeatable: false }),
      await routed({ claims: [other('b')], outcomes: ['unreachable'] }),
    ]

    expect(taken.got).toEqual(answer(200))
    expect(never).toMatchObject({
      got: { status: 503, headers: { message: expect.stringContaining('does not answer') } },
    })
    expect(never.elapsedMs).toBeLessThan(10_000)
  })

  it('leaves an owner that hangs once its lease has ended, and tells the next one how long the request has waited', async () => {
    const peers = { claims: [other('b'), other('c')], outcomes: ['hangs', 'done'] as const, dead: ['b'] }

    const { got, forwarded } = await routed(peers, { waitedMs: 500 })

    expect(got).toBe('done')
    expect(forwarded).toEqual([
      { to: 'b', waitedMs: 500 },
      { to: 'c', waitedMs: expect.toSatisfy((ms: number) => ms >= 1_500) },
    ])
  })
})
