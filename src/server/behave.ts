import type { Behaviours } from '../behaviour/behaviours.js'
import type { Caller } from '../behaviour/caller.js'
import type { Client } from '../behaviour/client.js'
import { ApiError } from '../contract/errors.js'
import type { Join } from '../contract/lobbies.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import type { InnerTables } from '../store/table.js'
import type { LiveWorld, Reading, View } from '../store/world.js'
import { createKept } from './kept.js'
import { createLatest } from './latest.js'
import { LobbyWait } from './lobby-wait.js'
import type { AbortSignalLike } from './message.js'
import { waitFor } from './watch.js'

/** An operation that is to be carried out: who asks, and what was parsed. */
export interface Call {
  readonly id: OperationId
  readonly caller: Caller
  readonly input: Readonly<Record<string, unknown>>
  /** Called where the operation writes. */
  client(): Client
  /** Called when the call blocks: answers the signal that frees it. */
  signal(): AbortSignalLike | undefined
  /** For how long it may block where that is shorter than usual, in ms of the world's clock. */
  readonly longestBlockMs: number | undefined
}

/** JSON; `undefined` is the empty body. */
type Output = unknown

/** Carries an operation out. A promise only where it writes, or is blocked. */
export type CarryOut = (call: Call) => Output

/** What operations are carried out with. */
export interface Behaving {
  readonly world: LiveWorld
  readonly behaviours: Behaviours
  /** For how long a call blocks, in ms of the world's clock. */
  watchTimeoutMs(call: Call): number
  readonly maxWaiters: number
  /** Whether the mock is closed: then nothing blocks. */
  isClosed(): boolean
}

/** Makes what carries operations out. */
export function createBehave(behaving: Behaving): CarryOut {
  const { world, behaviours, watchTimeoutMs, maxWaiters, isClosed } = behaving
  const lobbyWait = new LobbyWait({ world, maxWaiters, isClosed })
  const kept = createKept(world)
  const latest = createLatest(world)
  // The table of operations says which calls a behaviour takes; TypeScript cannot follow one id through both tables.
  const behaviourOf = (id: OperationId) => behaviours[id] as unknown as (call: object) => Output
  const outputOf = ({ id, caller, input }: Call, { tables, hasPassed, seed }: View) =>
    behaviourOf(id)({ caller, input, tables, hasPassed, seed })
  const read = (call: Call): Reading<Output> => world.read(view => outputOf(call, view))
  // What can be watched is an object.
  const readIndexed = (call: Call) => withIndex(read(call) as Reading<object>)
  const watch = {
    world,
    read: readIndexed,
    readAgain: (call: Call) => latest.reading(keyOf(call), () => readIndexed(call)),
    // Every watch has the index, parsed by WatchIndex.
    isAnswer: ({ input }: Call, { revision }: Reading<object>) => BigInt(revision) !== input.watch_index,
    signal: (call: Call) => call.signal(),
    timeoutMs: (call: Call) => (isClosed() ? 0 : watchTimeoutMs(call)),
    maxWaiters,
  }
  /** `check` sees what the behaviour answers, before that is committed. */
  const write = async ({ id, caller, input, client }: Call, check?: (output: Output, reads: InnerTables) => void) => {
    const { hasPassed, seed } = world.view
    const { random, clock } = world
    const from = client()
    const output = await world.write(async (tables, writes) => {
      const { reads } = writes
      const now = clock.now()
      const call = { caller, client: from, input, tables, reads, writes, hasPassed, seed, random, now }
      const answered = await behaviourOf(id)(call)
      check?.(answered, reads)
      return answered
    })
    if (output instanceof ApiError) throw output
    return output
  }
  return call => {
    const { id, caller, input } = call
    const { kind, method, waitsForLobby }: OperationSpec = operations[id]
    if (kind === 'watch') return waitFor(call, watch)
    // With a development token nothing waits.
    if (kind === 'write' && (!waitsForLobby || caller.kind === 'development')) return write(call)
    if (kind === 'write') {
      // What waits for its lobby answers a seat.
      const seat = (check: (join: Join, reads: InnerTables) => void) =>
        write(call, (output, reads) => check(output as Join, reads)) as Promise<Join>
      return lobbyWait.answer(seat, call)
    }
    // What a body or a header of its own asks for is seldom asked again, and may be asked in endless ways.
    const isCommon = method === 'GET' && input['x-coords'] === undefined
    return isCommon ? kept.output(keyOf(call), () => read(call)) : outputOf(call, world.view)
  }
}

/** All that a read sees but the world. No read sees the index that it is watched from. */
function keyOf({ id, caller, input }: Call): string {
  let key = `${id} ${JSON.stringify(Object.values(caller))}`
  for (const name in input) if (name !== 'watch_index') key += ` ${name} ${JSON.stringify(input[name])}`
  return key
}

function withIndex(reading: Reading<object>): Reading<object> {
  const { value, revision, tags, until } = reading
  return { value: Object.assign({}, value, { watch: { index: String(revision) } }), revision, tags, until }
}
