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
import { parseInput } from '../lib/issues.js'
import { clearOnWrite, draftOf } from '../lib/json.js'
import { checkKeys, didYouMean, quoted, reworded, UsageError } from '../lib/messages.js'
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

/** Options of a resolver, as those of a handler of MSW. */
export interface OverrideOptions {
  /** Answers one request only. Default: false. */
  readonly once?: boolean | undefined
}

/** A resolver of any operation, and its options. The map's key says which operation. */
interface AnyOverride extends OverrideOptions {
  resolver(call: object): unknown
}

/** The resolvers that `on` has added to a world, and the requests that wait for one. */
export class Overrides {
  /** The newest last. */
  readonly #added: Partial<Record<string, AnyOverride[]>> = {}
  readonly #cancels = new Set<() => void>()

  constructor(private readonly world: World) {}

  get waiting(): number {
    return this.#cancels.size
  }

  /** Adds a resolver, until the returned function is called. The newest one of an operation answers. Throws `UsageError`. */
  add<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>, options?: OverrideOptions): () => void {
    checkOverride('on', id, resolver, options)
    // A new object for each call: a resolver that was added twice is removed one by one.
    const added: AnyOverride = { ...options, resolver: resolver as AnyOverride['resolver'] } // it is stored under the id
    const all = this.#added[id] ?? []
    this.#added[id] = all
    all.push(added)
    return () => this.#remove(id, added)
  }

  #remove(id: OperationId, added: AnyOverride): void {
    const all = this.#added[id] ?? []
    const at = all.indexOf(added)
    if (at !== -1) all.splice(at, 1)
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
    const own: AnyOverride = { resolver: resolver as AnyOverride['resolver'] } // called for its id only
    return this.#over(usual, called => (called === id ? own : undefined))
  }

  #over(usual: CallRunner, overrideOf: (id: OperationId) => AnyOverride | undefined): CallRunner {
    return {
      execute: (call, origin) => {
        const override = overrideOf(call.id)
        if (!override) return usual.execute(call, origin)
        if (override.once) this.#remove(call.id, override)
        return this.#run(call, origin, { override, usual: usual.execute })
      },
      draft(call, request) {
        return overrideOf(call.id) ? { waitsFor: 'resolver' } : usual.draft(call, request)
      },
    }
  }

  /** Rejects if the world is reset or closed before the resolver has answered. */
  #run(
    call: Call,
    origin: CallOrigin,
    { override, usual }: { readonly override: AnyOverride; readonly usual: Execute },
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
        const answer = checkAnswer(call.id, await override.resolver({ input: call.input, world: this.world, original }))
        // A resolver that returns the mock's own answer keeps its digits.
        return typeof output === 'bigint' && Number(output) === answer ? output : answer
      }
      const failed = (error: unknown) => {
        const thrown = ofMsw(call.id, 'threw', error) ?? error
        reject(error === ofMock ? error : ofUserCode(`the resolver of ${call.id}`, thrown))
      }
      answered()
        .then(resolve, failed)
        .finally(() => this.#cancels.delete(cancel))
    })
  }
}

/** Throws `UsageError` if the operation does not exist, the resolver is not a function, or an option is wrong. */
export function checkOverride(call: string, id: unknown, resolver: unknown, options: object = {}): void {
  if (typeof id !== 'string' || !Object.hasOwn(operations, id)) {
    // Handlers of MSW have a method and a path instead.
    const ofPath = operationIds.find(one => String(id).endsWith(operations[one].path)) ?? String(id)
    throw new UsageError(`${quoted(id)} is an unknown operation.${didYouMean(ofPath, operationIds)}`)
  }
  if (typeof resolver !== 'function')
    throw new UsageError(
      `the resolver of ${id} is ${quoted(resolver)}: expected a function, such as ({ original }) => original()`,
    )
  checkKeys(options, ['once'], call)
  const { once }: { readonly once?: unknown } = options
  if (once !== undefined && typeof once !== 'boolean')
    throw new UsageError(`${call}: options.once is ${quoted(once)}: expected true or false`)
}

const EmptyBody = z.custom<undefined>(answer => answer === undefined, 'expected undefined, because the body is empty')

function checkAnswer(id: OperationId, answer: unknown): unknown {
  const { output = EmptyBody }: OperationSpec = operations[id]
  const wrong = ofMsw(id, 'returned', answer)
  if (wrong) throw wrong
  if (answer === undefined && output !== EmptyBody)
    throw new UsageError(`the resolver of ${id} returned nothing: return original() for the answer of the mock`)
  const failed = `the resolver of ${id} returned an answer that does not fit the contract`
  reworded(
    () => parseInput(output, answer, 'answer'),
    message => `${failed}:\n${message}`,
  )
  return answer
}

function ofMsw(id: OperationId, did: 'returned' | 'threw', value: unknown): UsageError | undefined {
  const { headers, next } = Object(value) as {
    readonly headers?: { get?(name: string): unknown }
    readonly next?: unknown
  }
  const start = `the resolver of ${id} ${did}`
  const handler = "use a handler of MSW: mock.use(http.get('*/…', () => …))"
  // No `instanceof`: a response may be of another realm.
  if (Object.prototype.toString.call(value) === '[object Response]')
    return headers?.get?.('x-msw-intention') === 'passthrough'
      ? new UsageError(
          `${start} passthrough(): return original() for the answer of the mock. For the network, ${handler}`,
        )
      : new UsageError(
          `${start} a Response: return its body as an object, or throw new ApiError(code, message). For another response, ${handler}`,
        )
  // Generators of one realm have no class in common.
  if (typeof next === 'function')
    return new UsageError(
      `${start} a generator: return one answer. For several in turn, add a resolver for each with { once: true }, the last one first`,
    )
  return undefined
}
