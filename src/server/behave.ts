import type { Behaviour, ReadCall, WriteCall } from '../behaviour/behaviour.js'
import type { Caller } from '../behaviour/caller.js'
import { type OperationId, operations } from '../contract/operations.js'
import type { LiveWorld } from '../store/world.js'
import type { Kept } from './kept.js'
import { waitFor } from './watch.js'

/** An operation that is to be carried out: who asks, and what was parsed. */
export interface Call {
  readonly id: OperationId
  readonly caller: Caller
  readonly input: Readonly<Record<string, unknown>>
  /** Called when the call blocks: answers the signal that frees it. */
  signal(): AbortSignal | undefined
}

export interface Behaving {
  readonly world: LiveWorld
  readonly behaviours: { readonly [Id in OperationId]: Behaviour<Id> }
  /** In ms of the world's clock. */
  watchTimeoutMs(): number
  readonly maxWaiters: number
  readonly kept: Kept
}

/** What an operation outputs. A promise only where it writes, or is blocked. */
export function behave(
  call: Call,
  { world, behaviours, watchTimeoutMs, maxWaiters, kept }: Behaving,
): Output | Promise<Output> {
  const { id, caller, input } = call
  // The table of operations says which of the three a behaviour is; TypeScript cannot follow one id through both tables.
  const behaviour = behaviours[id] as unknown as AnyBehaviour
  const { kind, method } = operations[id]
  const { hasPassed } = world.view
  if (kind === 'write') {
    return world.write(tables =>
      behaviour({ caller, input, tables, hasPassed, random: world.random, now: world.clock.now() } as never),
    )
  }
  const read = () => world.read(view => behaviour({ caller, input, ...view } as never) as object)
  // What a body or a header of its own asks for is seldom asked again, and may be asked in endless ways.
  const isCommon = method === 'GET' && input['x-coords'] === undefined
  if (kind === 'read') return isCommon ? kept.output(keyOf(call), read) : read().value
  // Every watch has it, parsed by WatchIndex.
  const after = input.watch_index as bigint | undefined
  const reading = waitFor({
    world,
    read,
    after,
    timeoutMs: watchTimeoutMs(),
    signal: call.signal,
    maxWaiters,
  })
  return reading instanceof Promise ? reading.then(withIndex) : withIndex(reading)
}

type Output = object | undefined
type AnyBehaviour = (call: ReadCall<OperationId> | WriteCall<OperationId>) => Output | Promise<Output>

/** All that a read sees but the world. */
function keyOf({ id, caller, input }: Call): string {
  const whose = 'namespaceId' in caller ? caller.namespaceId : 'gameId' in caller ? caller.gameId : ''
  return `${id} ${caller.kind} ${JSON.stringify([whose, input])}`
}

function withIndex({ value, revision }: { readonly value: object; readonly revision: number }): object {
  return Object.assign({}, value, { watch: { index: String(revision) } })
}
