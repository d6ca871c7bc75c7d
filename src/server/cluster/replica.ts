import { errorStatus, UnavailableError } from '../../core/contract/errors.js'
import { quoted } from '../../core/lib/messages.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import type { RunningWorlds } from '../../core/mock/running-worlds.js'
import type { AbortSignalLike, MockResponse } from '../../core/pipeline/message.js'
import type { ProcessTime } from '../../core/storage/process-time.js'
import type { Claim, ReplicaInfo, SharedStorage } from '../../core/storage/shared-storage.js'

/** A request that a replica routes to the owner of its world. */
export interface RequestToRoute {
  readonly worldId: string
  readonly mayCreate: boolean
  /** False if the request deletes the world: it may be damaged. */
  readonly needsContent: boolean
  /** True if it changes nothing, so that the next owner of the world can be asked again. */
  readonly isRepeatable: boolean
  /** True if another replica has sent it. Then it goes no further. */
  readonly isForwarded: boolean
  /** The time for which it had waited when it arrived, in ms. */
  readonly waitedMs: number
  readonly gone: AbortSignalLike
  /** Answers it in this process. `waitedMs` is the time for which it has waited until now. */
  answer(waitedMs: number): MockResponse | Promise<MockResponse>
  /** Forwards it to another replica, and the response to the client. The signal ends the attempt. Does not reject. */
  forward(
    owner: ReplicaInfo,
    options: { readonly waitedMs: number; readonly signal: AbortSignalLike },
  ): Promise<Forwarded>
  respond(response: MockResponse): void
  /** Tells the replica that has sent it: this one does not own its world, and has not read its body. */
  refuseAsNotOwner(): void
  responseTo(error: unknown): MockResponse
}

/**
 * `done`: the client has its response, or has gone. `unread`: the other replica does not run the world. `unreachable`: it never got
 * the request. `broken`: there will be no response, and the other replica may have carried the request out.
 */
export type Forwarded = 'done' | 'unread' | 'unreachable' | 'broken'

interface ReplicaParts {
  readonly storage: SharedStorage
  readonly worlds: Pick<RunningWorlds, 'inMemory' | 'load' | 'drop'>
  readonly environment: ProcessTime
}

interface Attempt {
  readonly isRepeatable: boolean
  readonly controller: AbortController
}

const mostOwners = 4
/** The time for which a request is sent to the same owner again, in ms. A lease is shorter. */
const sameOwnerMs = 5_000
const pauseMs = 100
const mostKnown = 10_000
/** The time between two checks of the leases of the owners that requests wait for, in ms. */
const leaseCheckMs = 1_000

/** Routes each request to the replica that owns its world. Independent of the transport. */
export class Replica {
  readonly #storage: SharedStorage
  readonly #worlds: ReplicaParts['worlds']
  readonly #environment: ProcessTime
  /** The attempts that wait for another replica, by its id. */
  readonly #waiting = new Map<string, Set<Attempt>>()
  /** The owners of other worlds when this replica last asked, by world. One that is no longer the owner says so, or is gone. */
  readonly #owners = new Map<string, Claim>()
  #cancelLeaseCheck: (() => void) | undefined
  #isClosing = false
  readonly #unsubscribe: () => void

  constructor({ storage, worlds, environment }: ReplicaParts) {
    this.#storage = storage
    this.#worlds = worlds
    this.#environment = environment
    this.#unsubscribe = storage.onLost(({ id, because }) => worlds.drop(id, because))
  }

  /** Claims no more worlds from now on. Still answers for those that it owns. */
  announceClose(): void {
    this.#isClosing = true
  }

  /** Ends the forwarded reads that still wait. Their clients ask another replica. */
  endWaiting(): void {
    for (const attempts of this.#waiting.values())
      for (const attempt of attempts) if (attempt.isRepeatable) attempt.controller.abort()
  }

  close(): void {
    this.announceClose()
    this.#unsubscribe()
    this.#cancelLeaseCheck?.()
    for (const attempts of this.#waiting.values()) for (const { controller } of attempts) controller.abort()
  }

  route(request: RequestToRoute): void {
    const startedAt = this.#environment.monotonic()
    const leased = this.#storage.leaseSoon()
    // Another replica may have taken the world over while this process was stopped.
    if (leased) void leased.then(() => this.#route(request, startedAt))
    else this.#route(request, startedAt)
  }

  #route(request: RequestToRoute, startedAt: number): void {
    const world = this.#worlds.inMemory(request.worldId)
    if (!world) {
      void this.#routeToOwner(request, startedAt)
      return
    }
    // Most requests come to the right replica.
    const answered = request.answer(this.#waitedMs(request, startedAt))
    if (answered instanceof Promise)
      void answered.then(response => {
        if (this.#hasMoved(request, world, response)) void this.#routeToOwner(request, startedAt)
        else request.respond(response)
      })
    else request.respond(answered)
  }

  async #routeToOwner(request: RequestToRoute, startedAt: number): Promise<void> {
    try {
      await this.#tryOwners(request, startedAt)
    } catch (error) {
      request.respond(request.responseTo(error))
    }
  }

  /** Claims the world, or forwards to its owner, until a replica has answered. Rejects with `UnavailableError`. */
  async #tryOwners(request: RequestToRoute, startedAt: number): Promise<void> {
    const { worldId, isForwarded, isRepeatable } = request
    const mayTryAgain = limitAttempts(this.#environment)
    while (!request.gone.aborted) {
      if (this.#isClosing && !this.#worlds.inMemory(worldId)) {
        if (isForwarded) return request.refuseAsNotOwner()
        throw new UnavailableError('this replica is closing: send the request again')
      }
      const claim = await this.#claim(request)
      if (claim.kind !== 'other') {
        const response = await this.#answer(request, claim, startedAt)
        if (response === 'moved' && (await mayTryAgain('here'))) continue
        if (response !== 'moved') return request.respond(response)
        throw new UnavailableError(`the world ${quoted(worldId)} keeps moving between replicas: send the request again`)
      }
      if (isForwarded) return request.refuseAsNotOwner()
      const { owner } = claim
      const outcome = await this.#forward(request, owner, this.#waitedMs(request, startedAt))
      if (outcome === 'done') return
      this.#owners.delete(worldId)
      const runs = `the replica ${owner.address} runs the world ${quoted(worldId)}`
      if (outcome === 'broken' && !isRepeatable)
        throw new UnavailableError(
          `${runs}, and the connection to it broke. The outcome of this request is unknown: read the world before you send it again`,
        )
      if (!(await mayTryAgain(owner.id)))
        throw new UnavailableError(`${runs}, and does not answer: send the request again`)
    }
  }

  #waitedMs(request: RequestToRoute, startedAt: number): number {
    return request.waitedMs + this.#environment.monotonic() - startedAt
  }

  async #claim({ worldId, mayCreate, isForwarded }: RequestToRoute): Promise<Claim> {
    if (this.#worlds.inMemory(worldId)) return { kind: 'mine', epoch: 0 }
    const known = isForwarded ? undefined : this.#owners.get(worldId)
    if (known) {
      this.#storage.checkLease()
      return known
    }
    const claim = await this.#storage.claim(worldId, { create: mayCreate })
    if (this.#owners.size >= mostKnown) this.#owners.clear()
    if (claim.kind === 'other') this.#owners.set(worldId, claim)
    return claim
  }

  /** Answers in this process. Returns `moved` if the world has left it meanwhile, and the next owner can be asked. */
  async #answer(request: RequestToRoute, claim: Claim, startedAt: number): Promise<MockResponse | 'moved'> {
    const { worldId, gone } = request
    if (claim.kind === 'mine' && request.needsContent && !(await this.#load(worldId))) return 'moved'
    const world = this.#worlds.inMemory(worldId)
    const giveBack = () => {
      if (claim.kind === 'new' && !this.#worlds.inMemory(worldId)) void this.#storage.release(worldId)
    }
    if (gone.aborted) giveBack()
    // A request whose body never arrives is not answered.
    if (claim.kind === 'new') gone.addEventListener('abort', giveBack)
    const response = await request.answer(this.#waitedMs(request, startedAt))
    gone.removeEventListener('abort', giveBack)
    // The request may have been refused before it created the world.
    giveBack()
    return this.#hasMoved(request, world, response) ? 'moved' : response
  }

  /** Loads a world of this replica. Resolves with `false` if another one has it now. Rejects with `StorageError`. */
  async #load(worldId: string): Promise<boolean> {
    if (this.#worlds.inMemory(worldId)) return true
    if (!this.#storage.owns(worldId)) return false
    await this.#worlds.load(worldId)
    await this.#storage.leaseSoon()
    return this.#worlds.inMemory(worldId) !== undefined || this.#storage.owns(worldId)
  }

  #hasMoved({ worldId, isRepeatable }: RequestToRoute, world: RunningWorld | undefined, { status }: MockResponse) {
    if (status !== unavailableStatus || !isRepeatable) return false
    return world ? this.#worlds.inMemory(worldId) !== world : !this.#storage.owns(worldId)
  }

  async #forward(request: RequestToRoute, owner: ReplicaInfo, waitedMs: number): Promise<Forwarded> {
    const attempt = { isRepeatable: request.isRepeatable, controller: new AbortController() }
    const attempts = this.#waiting.get(owner.id) ?? new Set()
    this.#waiting.set(owner.id, attempts.add(attempt))
    this.#cancelLeaseCheck ??= this.#environment.setTimer(() => void this.#checkOwners(), leaseCheckMs)
    try {
      return await request.forward(owner, { waitedMs, signal: attempt.controller.signal })
    } finally {
      attempts.delete(attempt)
      if (attempts.size === 0) this.#waiting.delete(owner.id)
    }
  }

  /** Ends the attempts that wait for an owner whose lease has ended. An owner that hangs looks like a blocked watch. */
  async #checkOwners(): Promise<void> {
    const checks = [...this.#waiting].map(async ([id, attempts]) => {
      // Without an answer of the storage, nobody else can have taken the worlds over.
      const isAlive = await this.#storage.isAlive(id).catch(() => true)
      if (!isAlive) for (const { controller } of attempts) controller.abort()
    })
    await Promise.all(checks)
    this.#cancelLeaseCheck = undefined
    if (this.#waiting.size > 0 && !this.#isClosing)
      this.#cancelLeaseCheck = this.#environment.setTimer(() => void this.#checkOwners(), leaseCheckMs)
  }
}

/** Limits the attempts of a request. Call the function after each: it waits a moment, and resolves with `false` at the end. */
function limitAttempts(environment: ProcessTime): (owner: string) => Promise<boolean> {
  let [last, owners, since]: [string | undefined, number, number] = [undefined, 0, 0]
  return async owner => {
    if (owner !== last) {
      last = owner
      owners += 1
      since = environment.monotonic()
      return owners < mostOwners
    }
    if (environment.monotonic() - since >= sameOwnerMs) return false
    await new Promise<void>(resolve => environment.setTimer(resolve, pauseMs))
    return true
  }
}

const unavailableStatus = errorStatus.API_UNAVAILABLE
