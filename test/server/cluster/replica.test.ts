import { describe, expect, it } from 'vitest'
import type { MockWorld } from '../../../src/core/mock/mock-world.js'
import type { MockResponse } from '../../../src/core/pipeline/message.js'
import type { Environment } from '../../../src/core/storage/environment.js'
import type { Claim, ReplicaInfo, SharedStorage } from '../../../src/core/storage/shared-storage.js'
import { type Forwarded, Replica, type WorldRequest } from '../../../src/server/cluster/replica.js'

const infoOf = (id: string): ReplicaInfo => ({ id, address: `http://${id}:4100`, startedAt: 0 })
const other = (id: string): Claim => ({ kind: 'other', owner: infoOf(id), epoch: 1 })
const mine: Claim = { kind: 'mine', epoch: 2 }
const noBytes = new Uint8Array()
const answer = (status: number): MockResponse => ({ status, headers: {}, body: noBytes })

/** A clock that jumps to its next timer as soon as nothing else happens. */
function quickClock(): Environment {
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
  request: Partial<WorldRequest> = {},
  use: (replica: Replica) => void = () => {},
) {
  const environment = quickClock()
  const forwarded: { to: string; waitedMs: number }[] = []
  const released: string[] = []
  let asked = 0
  let lose: (lost: { id: string; because: string }) => void = () => {}
  const memory = new Map<string, MockWorld>()
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
  it('answers for a world that it claims, and forwards to the owner of any other', async () => {
    expect((await routed({ claims: [mine] })).got).toEqual(answer(200))
    expect(await routed({ claims: [other('b')] })).toMatchObject({ got: 'done', forwarded: [{ to: 'b' }] })
  })

  it('remembers the owner of a world until that one does not answer for it', async () => {
    expect(await routed({ claims: [other('b')], requests: 3 })).toMatchObject({ asked: 1, forwarded: { length: 3 } })

    const moved = { claims: [other('b'), other('c')], outcomes: ['done', 'unread', 'done'] as const, requests: 3 }
    const { asked, forwarded } = await routed(moved)
    expect([asked, forwarded.map(({ to }) => to)]).toEqual([2, ['b', 'b', 'c', 'c']])
  })

  it('forwards no request that another replica has sent', async () => {
    expect(await routed({ claims: [other('b')] }, { isForwarded: true })).toMatchObject({
      got: 'turned away',
      forwarded: [],
    })
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

  it.for(['unread', 'unreachable'] as const)(
    'asks the next owner after one that is %s, for any request',
    async outcome => {
      const peers = { claims: [other('b'), other('c')], outcomes: [outcome, 'done'] as const }

      const { got, forwarded } = await routed(peers, { isRepeatable: false })

      expect([got, forwarded.map(({ to }) => to)]).toEqual(['done', ['b', 'c']])
    },
  )

  it('asks again for what changes nothing, and says that the outcome of all else is unknown', async () => {
    const peers = () => ({ claims: [other('b'), mine], outcomes: ['broken'] as const })

    const [read, write] = [await routed(peers()), await routed(peers(), { isRepeatable: false })]

    expect(read.got).toEqual(answer(200))
    expect(write.got).toMatchObject({
      status: 503,
      headers: { message: expect.stringContaining('outcome of this request is unknown') },
    })
  })

  it('asks at most four owners', async () => {
    const claims = ['b', 'c', 'd', 'e', 'f'].map(other)

    const { got, forwarded } = await routed({ claims, outcomes: ['unread'] })

    expect(got).toMatchObject({ status: 503 })
    expect(forwarded.map(({ to }) => to)).toEqual(['b', 'c', 'd', 'e'])
  })

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

  it('waits for its lease before it looks for the owner, because it may have been stopped', async () => {
    const claims: Claim[] = [mine]
    const leaseSoon = async () => void claims.splice(0, 1, other('b'))

    const { got, forwarded } = await routed({ claims, leaseSoon })

    expect([got, forwarded.map(({ to }) => to)]).toEqual(['done', ['b']])
  })

  it('waits for its lease after it has read a world', async () => {
    const steps: string[] = []
    const onLoad = () => void steps.push('read')
    const leaseSoon = () =>
      steps.at(-1) === 'read' ? Promise.resolve().then(() => void steps.push('lease')) : undefined
    const { got } = await routed({ claims: [mine], onLoad, leaseSoon }, { answer: () => answer(steps.length) })

    expect([got, steps]).toEqual([answer(2), ['read', 'lease']])
  })

  it('takes no world when it closes', async () => {
    const close = (replica: Replica) => replica.announceClose()

    expect((await routed({ claims: [mine] }, {}, close)).got).toMatchObject({ status: 503 })
    expect((await routed({ claims: [mine] }, { isForwarded: true }, close)).got).toBe('turned away')
  })

  it('asks for the owner again if the world leaves during a read', async () => {
    let [count, isLost] = [0, false]
    const peers: Peers = {
      claims: [mine],
      onClaim() {
        isLost = false
      },
      owns: () => !isLost,
    }
    const lostOnce = () => {
      isLost = count === 0
      return answer(count++ === 0 ? 503 : 200)
    }

    expect((await routed(peers, { answer: lostOnce })).got).toEqual(answer(200))
    count = 0
    expect((await routed(peers, { answer: lostOnce, isRepeatable: false })).got).toEqual(answer(503))
  })

  it('asks for the owner again if the world leaves while it is read, also for a change', async () => {
    const other = infoOf('b')
    const claims: Claim[] = [mine, { kind: 'other', owner: other, epoch: 3 }]
    let isLost = false
    const onLoad = () => {
      isLost = true
    }
    const { got, forwarded } = await routed({ claims, onLoad, owns: () => !isLost }, { isRepeatable: false })

    expect([got, forwarded.map(({ to }) => to)]).toEqual(['done', ['b']])
  })

  it('reads no world to delete it', async () => {
    const onLoad = () => {
      throw new Error('it is damaged')
    }

    expect((await routed({ claims: [mine], onLoad }, { needsContent: false })).got).toEqual(answer(200))
  })
})
