import * as z from 'zod'
import { ApiError } from '../contract/errors.js'
import type { OperationSpec } from '../contract/operation.js'
import {
  type OperationId,
  type OperationInput,
  type OperationOutput,
  operationIds,
  operations,
} from '../contract/operations.js'
import { clearOnWrite } from '../lib/exact-json.js'
import { parseInput } from '../lib/issues.js'
import { draftOf } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/text.js'
import { reworded, UsageError } from '../lib/usage-error.js'
import type { World } from '../store/world.js'
import { type Call, type CallOrigin, type CallRunner, type Execute, outputNow } from './execute.js'
import { Blocked } from './reads.js'
import { ofUserCode } from './user-code.js'

/** A call that an override answers: the checked input, the world, and the answer of the mock itself. */
export interface OverrideCall<Id extends OperationId> {
  readonly input: OperationInput<Id>
  readonly world: World
  /** Runs the operation as usual, its writes too. The answer is a copy, which may be changed. */
  original(): Promise<OperationOutput<Id>>
}

/**
 * Answers an operation instead of the mock, or throws `ApiError`. The mock checks the answer against the contract. For a wrong
 * answer the client gets 500 `ERROR`, and the console shows the mistake.
 */
export type OverrideResolver<Id extends OperationId> = (
  call: OverrideCall<Id>,
) => OperationOutput<Id> | Promise<OperationOutput<Id>>

/** A resolver of any operation. The map's key says which one. */
type AnyResolver = (call: object) => unknown

/** The resolvers that `on` has added to a world, and the requests that wait for one. */
export class Overrides {
  readonly #world: World
  /** The newest last. */
  readonly #added: Partial<Record<string, AnyResolver[]>> = {}
  /** Functions that reject the waiting requests. */
  readonly #cancels = new Set<() => void>()

  constructor(world: World) {
    this.#world = world
  }

  /** The number of requests that wait for a resolver. */
  get waiting(): number {
    return this.#cancels.size
  }

  /** Adds a resolver, until the returned function is called. The newest one of an operation answers. Throws `UsageError`. */
  add<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): () => void {
    checkResolver(id, resolver)
    // A new function for each call: a resolver that was added twice is removed one by one.
    const added: AnyResolver = call => resolver(call as OverrideCall<Id>) // it is stored under the id
    const all = this.#added[id] ?? []
    this.#added[id] = all
    all.push(added)
    return () => {
      const at = all.indexOf(added)
      if (at !== -1) all.splice(at, 1)
    }
  }

  /** Removes all resolvers, and answers the requests that wait for one with 500 `ERROR`. */
  clear(): void {
    for (const id in this.#added) this.#added[id]?.splice(0)
    for (const cancel of this.#cancels) cancel()
  }

  /** Runs each call with the newest resolver of its operation, or as usual if it has none. */
  over(usual: CallRunner): CallRunner {
    return this.#over(usual, id => this.#added[id]?.at(-1))
  }

  /** Runs the calls of one operation with a resolver, and all others as usual. */
  overriding<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>, usual: CallRunner): CallRunner {
    const own = resolver as AnyResolver // called for its id only
    return this.#over(usual, called => (called === id ? own : undefined))
  }

  #over(usual: CallRunner, resolverOf: (id: OperationId) => AnyResolver | undefined): CallRunner {
    return {
      execute: (call, origin) => {
        const resolver = resolverOf(call.id)
        return resolver ? this.#run(call, origin, { resolver, usual: usual.execute }) : usual.execute(call, origin)
      },
      draft(call, request) {
        return resolverOf(call.id) ? { waitsFor: 'resolver' } : usual.draft(call, request)
      },
    }
  }

  /** Rejects if the world is reset or closed before the resolver has answered. */
  #run(
    call: Call,
    origin: CallOrigin,
    { resolver, usual }: { readonly resolver: AnyResolver; readonly usual: Execute },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let cancelled: ApiError | undefined
      let ofMock: unknown
      let output: unknown
      const cancel = () => {
        this.#cancels.delete(cancel)
        cancelled = new ApiError('ERROR', `the world was reset or closed before the resolver of ${call.id} answered`)
        reject(cancelled)
      }
      const original = async () => {
        if (cancelled) throw cancelled
        // A copy, because a resolver may change it, and the mock's answer contains frozen rows.
        try {
          const outcome = usual(call, origin)
          output = outputNow(await (outcome instanceof Blocked ? origin.block(outcome) : outcome))
          return typeof output === 'bigint' ? Number(output) : draftOf(output, clearOnWrite)
        } catch (error) {
          ofMock = error
          throw error
        }
      }
      this.#cancels.add(cancel)
      const answered = async () => {
        const answer = checkAnswer(call.id, await resolver({ input: call.input, world: this.#world, original }))
        // A resolver that returns the mock's own answer keeps its digits.
        return typeof output === 'bigint' && Number(output) === answer ? output : answer
      }
      answered()
        .then(resolve, error => reject(error === ofMock ? error : ofUserCode(`the resolver of ${call.id}`, error)))
        .finally(() => this.#cancels.delete(cancel))
    })
  }
}

/** Throws `UsageError` if the operation does not exist, or the resolver is not a function. */
export function checkResolver(id: unknown, resolver: unknown): void {
  if (typeof id !== 'string' || !Object.hasOwn(operations, id))
    throw new UsageError(`${quoted(id)} is an unknown operation.${didYouMean(String(id), operationIds)}`)
  if (typeof resolver !== 'function')
    throw new UsageError(
      `the resolver of ${id} is ${quoted(resolver)}: expected a function, such as ({ original }) => original()`,
    )
}

const EmptyBody = z.custom<undefined>(answer => answer === undefined, 'expected undefined, because the body is empty')

/** Returns the answer of a resolver. Throws `UsageError` if it does not fit the contract. */
function checkAnswer(id: OperationId, answer: unknown): unknown {
  const { output = EmptyBody }: OperationSpec = operations[id]
  const failed = `the resolver of ${id} returned an answer that does not fit the contract`
  reworded(
    () => parseInput(output, answer, 'answer'),
    message => `${failed}:\n${message}`,
  )
  return answer
}
