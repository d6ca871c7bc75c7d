import { ApiError } from '../contract/errors.js'
import type { Join } from '../contract/lobbies.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import { removePlayer } from '../operations/game-server.js'
import { seatPorts } from '../operations/lobbies.js'
import type { Caller } from '../operations/resolver.js'
import { resolvers } from '../operations/resolvers.js'
import type { Reading } from '../store/dependencies.js'
import { isSeated } from '../store/lobby-rules.js'
import type { LiveWorld, ReadView } from '../store/world.js'
import { readClient } from './authenticate.js'
import type { MockRequest } from './message.js'
import { addIndex, Blocked, checkWaiterLimit, ReadCache, WatchedRead, Watches } from './reads.js'

/** A checked call of an operation: the caller, and the parsed input. */
export interface Call {
  readonly id: OperationId
  readonly caller: Caller
  readonly input: Readonly<Record<string, unknown>>
}

/** The request that a call comes from. */
export interface CallOrigin {
  readonly request: MockRequest
  /** Identifies the request in change sets. */
  readonly rayId: string
  /** Gets the revisions of the change sets that the call makes. */
  readonly revisions: number[]
  /** A limit on blocking that is shorter than usual, in ms of the world's clock. */
  readonly longestBlockMs: number | undefined
  /** Waits for the output of a blocked call. Call it in the tick in which the call was executed. */
  block(blocked: Blocked<Output>): Promise<Output>
}

/** JSON; `undefined` is the empty body. Or a `LateOutput`. */
type Output = unknown

/** An output that depends on the moment in which the answer is made: the world may change between the call and that moment. */
class LateOutput {
  /** `make` may throw `ApiError`. */
  constructor(readonly make: () => unknown) {}
}

/** Returns the output for an answer that is made now. Throws `ApiError` if the world no longer allows it. */
export function outputNow(output: Output): unknown {
  return output instanceof LateOutput ? output.make() : output
}

interface OutputDraft {
  /** JSON. `undefined` is the empty body. */
  readonly output?: unknown
  /** The thing that the call would wait for before this output. The output of a resolver is unknown. */
  readonly waitsFor?: 'watch' | 'lobby' | 'resolver' | undefined
}

/** Runs calls. */
export interface CallRunner {
  readonly execute: Execute
  /** Returns the output that a call would have now. It changes nothing. Throws `ApiError`. */
  draft(call: Call, request: MockRequest): OutputDraft
}

/** Executes a call. The output of an override is a promise. */
export type Execute = (call: Call, origin: CallOrigin) => Output | Promise<Output> | Blocked<Output>

interface ExecutorOptions {
  readonly world: LiveWorld
  /** The longest time that a watch blocks, in ms of the world's clock. */
  readonly watchTimeoutMs: number
  readonly maxWaiters: number
  /** Once the mock is closed, no call blocks. */
  isClosed(): boolean
}

/** Executes calls by their resolvers: reads from the cache, watches, and writes in transactions. */
export class Executor implements CallRunner {
  readonly #options: ExecutorOptions
  readonly #world: LiveWorld
  /** Created with the first read, because many worlds have none. */
  #cache: ReadCache | undefined
  readonly #watches: Watches

  constructor(options: ExecutorOptions) {
    this.#options = options
    this.#world = options.world
    this.#watches = new Watches(options.world, options.maxWaiters)
  }

  readonly execute: Execute = (call, origin) => {
    const { id, caller, input } = call
    const { kind, method, waitsForLobby }: OperationSpec = operations[id]
    if (kind === 'watch') return this.#watch(call, origin)
    if (kind === 'write') {
      const output = this.#write(call, origin)
      // A development token gets a canned lobby, which is in no world.
      if (!waitsForLobby || caller.kind === 'development') return output
      return this.#whenReady(output as Join, call, origin) // the output of these operations
    }
    // Reads with a body or with coordinates are rarely repeated.
    const isCacheable = method === 'GET' && input['x-coords'] === undefined
    if (!isCacheable) return resolve(call, this.#world)
    this.#cache ??= new ReadCache(this.#world)
    return this.#cache.output(keyOf(call), () => this.#read(call))
  }

  /** Returns the output that a call would have now. A write runs in a transaction that is undone. Throws `ApiError`. */
  draft(call: Call, request: MockRequest): OutputDraft {
    const { kind, waitsForLobby }: OperationSpec = operations[call.id]
    const world = this.#world
    if (kind === 'watch') {
      const reading = this.#read(call) as Reading<object> // watches answer objects
      const blocks = BigInt(reading.revision) === call.input.watch_index && !this.#options.isClosed()
      return { output: addIndex(reading), waitsFor: blocks ? 'watch' : undefined }
    }
    if (kind === 'read') return { output: resolve(call, world) }
    return world.preview(() => {
      const output = this.#run(call, request)
      if (output instanceof ApiError) throw output
      if (!waitsForLobby) return { output }
      const join = output as Join // the output of these operations
      const { host } = readClient(request)
      return { output: withOwnPorts(join, host, world), waitsFor: this.#isStarting(join) ? 'lobby' : undefined }
    })
  }

  #read(call: Call): Reading<Output> {
    return this.#world.read(view => resolve(call, view))
  }

  #watch(
    call: Call,
    { longestBlockMs = Number.POSITIVE_INFINITY, request: { waitedMs = 0 } }: CallOrigin,
  ): Output | Blocked<Output> {
    const { watchTimeoutMs, isClosed } = this.#options
    const leftMs = Math.max(0, watchTimeoutMs - waitedMs)
    return this.#watches.answer(
      {
        index: call.input.watch_index,
        read: () => this.#read(call) as Reading<object>, // watches answer objects
        key: () => keyOf(call),
      },
      isClosed() ? 0 : Math.min(longestBlockMs, leftMs),
    )
  }

  #write(call: Call, { request, rayId, revisions }: CallOrigin): Output {
    const write = () => this.#run(call, request)
    const cause = { kind: 'request', request: rayId, operation: call.id } as const
    const output = this.#world.write(write, { cause, revisions })
    if (output instanceof ApiError) throw output
    return output
  }

  /** Runs a writing call inside a transaction. Returns an `ApiError` whose writes stay. */
  #run(call: Call, request: MockRequest): Output {
    const world = this.#world
    const { random, clock } = world
    const { waitsForLobby }: OperationSpec = operations[call.id]
    const output = resolve(call, world, { client: readClient(request), random, now: clock.now() })
    // The request will wait for a starting lobby. The output of such an operation is a `Join`, and never an `ApiError`.
    if (waitsForLobby && this.#isStarting(output as Join)) checkWaiterLimit(world, this.#options.maxWaiters)
    return output
  }

  #isStarting({ lobby }: Join): boolean {
    return this.#world.tables.lobbies.get(lobby.lobby_id)?.status === 'starting'
  }

  /**
   * Waits until the lobby of a seat is ready (PROTOCOL.md C, Waiting). The output throws `MATCHMAKER_LOBBY_STOPPED` unless the
   * lobby is ready when the answer is made. Throws it too if the world is replaced or closed first. If the client
   * disconnects, its seat is freed.
   */
  #whenReady(join: Join, call: Call, origin: CallOrigin): LateOutput | Blocked<LateOutput> {
    const world = this.#world
    const { host } = readClient(origin.request)
    const seat = new LateOutput(() => {
      if (isLobbyReady(join, world)) return withOwnPorts(join, host, world)
      throw lobbyStopped(join)
    })
    if (!this.#isStarting(join) || this.#options.isClosed()) return seat
    const read = () => world.read(view => isLobbyReady(join, view))
    const reading = read()
    const options = { key: join.player.token, read, toOutput: () => seat }
    const abandon = () => this.#freeSeat(join, call, origin)
    return new Blocked('lobby', signal =>
      new WatchedRead(world, reading, options).block({ signal, timeoutMs: Number.POSITIVE_INFINITY, abandon }),
    )
  }

  #freeSeat({ player: { token } }: Join, { id }: Call, { rayId, revisions }: CallOrigin): void {
    const { tables, clock } = this.#world
    const write = () => {
      const player = tables.players.get(token)
      if (player && isSeated(player)) removePlayer(player, tables, clock.now())
    }
    this.#world.write(write, { cause: { kind: 'request', request: rayId, operation: id }, revisions })
  }
}

function resolve(
  { id, caller, input }: Call,
  { tables, hasPassed, seed, starter, outageOf }: ReadView,
  write?: object,
): Output {
  // The compiler cannot follow one id through operations and resolvers.
  const resolver = resolvers[id] as (call: object) => Output
  return resolver({ caller, input, tables, hasPassed, seed, starter, outageOf, ...write })
}

/** The cache key of a call: everything that its read depends on, except the world. Reads do not depend on the watch index. */
function keyOf({ id, caller, input }: Call): string {
  const parts: string[] = [id]
  for (const name in caller) parts.push(keyPart(caller[name as keyof Caller]))
  for (const name in input) if (name !== 'watch_index') parts.push(name, keyPart(input[name]))
  // Many blocked requests keep their key: a joined string takes a third of the memory of an added one.
  return parts.join(' ')
}

/** Writes a part of a key. A text begins with its length, so two texts never look like one. */
function keyPart(value: unknown): string {
  if (typeof value === 'string') return `${value.length} ${value}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Throws `ApiError` if the lobby has stopped, or the player was removed. */
function isLobbyReady(join: Join, { tables }: ReadView): boolean {
  const lobby = tables.lobbies.get(join.lobby.lobby_id)
  if (!lobby || lobby.status === 'stopped') throw lobbyStopped(join)
  if (lobby.status === 'starting') return false
  const player = tables.players.get(join.player.token)
  if (player && isSeated(player)) return true
  throw new ApiError(
    'MATCHMAKER_PLAYER_REMOVED',
    'the player was removed while the request waited for the lobby: get another seat with find, join or create',
  )
}

function withOwnPorts(join: Join, host: string | undefined, { tables }: ReadView): Join {
  const lobby = tables.lobbies.get(join.lobby.lobby_id)
  if (!lobby?.ports) return join
  const ports = seatPorts(lobby, tables, host)
  return { ...join, lobby: { ...join.lobby, ports }, ports }
}

function lobbyStopped({ lobby }: Join): ApiError {
  return new ApiError(
    'MATCHMAKER_LOBBY_STOPPED',
    `lobby ${lobby.lobby_id} stopped before the answer: no server called POST /matchmaker/lobbies/ready in time, that server ended, or its region went down. Get a seat in another one with find or create`,
  )
}
