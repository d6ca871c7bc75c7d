import type { Behaviour } from '../behaviour/behaviour.js'
import type { Caller } from '../behaviour/caller.js'
import { type OperationId, operations } from '../contract/operations.js'
import type { LiveWorld, Reading } from '../store/world.js'
import type { GoneSignal } from './exchange.js'
import type { Kept } from './kept.js'
import type { Latest } from './latest.js'
import { waitFor } from './watch.js'

/** An operation that is to be carried out: who asks, and what was parsed. */
export interface Call {
  readonly id: OperationId
  readonly caller: Caller
  readonly input: Readonly<Record<string, unknown>>
  /** Called when the call blocks: answers the signal that frees it. */
  signal(): GoneSignal | undefined
}

export interface Behaving {
  readonly world: LiveWorld
  readonly behaviours: { readonly [Id in OperationId]: Behaviour<Id> }
  /** In ms of the world's clock. */
  watchTimeoutMs(): number
  readonly maxWaiters: number
  readonly kept: Kept
  readonly latest: Latest
}

/** What an operation outputs. A promise only where it writes, or is blocked. */
export function behave(call: Call, behaving: Behaving): Output | Promise<Output> {
  const { id, caller, input } = call
  const { world, kept, latest, maxWaiters } = behaving
  const { kind, method } = operations[id]
  if (kind === 'write') {
    const { hasPassed } = world.view
    return world.write(tables =>
      behaviourOf(id, behaving)({ caller, input, tables, hasPassed, random: world.random, now: world.clock.now() }),
    )
  }
  // What a body or a header of its own asks for is seldom asked again, and may be asked in endless ways.
  const isCommon = method === 'GET' && input['x-coords'] === undefined
  if (kind === 'read') {
    return isCommon ? kept.output(keyOf(call), () => read(call, behaving)) : read(call, behaving).value
  }
  return waitFor({
    world,
    read: () => withIndex(read(call, behaving)),
    share: look => latest.reading(keyOf(call), look),
    // Every watch has it, parsed by WatchIndex.
    after: input.watch_index as bigint | undefined,
    timeoutMs: behaving.watchTimeoutMs(),
    signal: call.signal,
    maxWaiters,
  })
}

/** Reads tracked. */
function read({ id, caller, input }: Call, behaving: Behaving): Reading<object> {
  const behaviour = behaviourOf(id, behaving)
  return behaving.world.read(({ tables, hasPassed }) => behaviour({ caller, input, tables, hasPassed }) as object)
}

type Output = object | undefined

/** The table of operations says which calls a behaviour takes; TypeScript cannot follow one id through both tables. */
function behaviourOf(id: OperationId, { behaviours }: Behaving) {
  return behaviours[id] as unknown as (call: object) => Output | Promise<Output>
}

/** All that a read sees but the world. No read sees the index that it is watched from. */
function keyOf({ id, caller, input }: Call): string {
  const whose = 'namespaceId' in caller ? caller.namespaceId : 'gameId' in caller ? caller.gameId : ''
  const seen = 'watch_index' in input ? Object.assign({}, input, { watch_index: undefined }) : input
  return `${id} ${caller.kind} ${JSON.stringify([whose, seen])}`
}

function withIndex(reading: Reading<object>): Reading<object> {
  const { value, revision, tags, until } = reading
  return { value: Object.assign({}, value, { watch: { index: String(revision) } }), revision, tags, until }
}
