import { withUnknownOutcome } from '../contract/errors.js'
import { type FaultError, type HeldAnswer, statusOf } from '../contract/faults.js'
import type { WaitReason } from '../contract/journal.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import { after } from '../lib/after.js'
import { keepDigits, parseJson, setKey, writeJson } from '../lib/json.js'
import { nextTurn } from '../lib/next-turn.js'
import { real } from '../lib/real-globals.js'
import { durationMs, parseShift } from '../lib/time.js'
import { type Caller, isCanned } from '../operations/resolver.js'
import type { LiveWorld } from '../store/world.js'
import { authenticate } from './authenticate.js'
import { type Call, type CallOrigin, type CallRunner, outputNow } from './execute.js'
import type { AnswerDraft, HeldEnd, LiveFaults, SelectedFault } from './faults.js'
import type { History } from './history.js'
import { RecordedExchange } from './journal.js'
import type { MockRequest, MockResponse, RequestFacts } from './message.js'
import { checkSite } from './origin.js'
import { parseBody, parseHeaders, parseQuery } from './parse.js'
import type { PendingRequests } from './pending.js'
import { Blocked, ClientGone } from './reads.js'
import {
  editedResult,
  errorResult,
  InjectedDisconnect,
  InjectedError,
  outputResult,
  type Responder,
  type Result,
} from './respond.js'
import { type Route, routes } from './routes.js'

interface AnsweringParts {
  readonly worldId: string
  readonly world: LiveWorld
  readonly faults: LiveFaults
  readonly history: History
  readonly pending: PendingRequests
  readonly responder: Responder
  /** Adds an exchange to the history, and tells those who observe it. */
  record(exchange: RecordedExchange, facts: RequestFacts, response: MockResponse, endedAt: number): void
}

type Answer = MockResponse | Promise<MockResponse>

/**
 * A request to a world, and its way to the answer. The steps are in the order of PROTOCOL.md B9: site, fault, route, method,
 * token, query, body, existence, state. A class, because thousands of requests may be blocked at once.
 */
export class Exchange implements RequestFacts, CallOrigin {
  /** The request as it came, so that it can be asked again. */
  readonly request: MockRequest
  readonly startedAt = real.now()
  readonly revisions: number[] = []
  operation: OperationId | undefined
  caller: Caller | undefined
  fault: RequestFacts['fault']
  blockedAt: number | undefined
  pendingSince: number | undefined
  waitsFor: WaitReason | undefined
  longestBlockMs: number | undefined
  readonly #parts: AnsweringParts
  #edited: HeldAnswer | undefined
  #effect: Pick<SelectedFault['effect'], 'index' | 'truncate' | 'date'> | undefined
  /** The generation of the history when the request arrived. */
  readonly #generation: number
  /** The revision of the world that the answer is about. */
  #resolvedAt: number | undefined
  #hasEnded = false
  /** The time of the answer, in ms of the world's clock. */
  #endedAt: number | undefined
  /** Created on first use, so that a waiting request holds none. */
  #rayId: string | undefined

  constructor(request: MockRequest, parts: AnsweringParts) {
    this.request = request
    this.#parts = parts
    this.#generation = parts.history.generation
  }

  get rayId(): string {
    this.#rayId ??= this.#parts.responder.newRayId()
    return this.#rayId
  }

  get date(): number {
    const shift = this.#effect?.date
    return this.#answeredAt() + (shift === undefined ? 0 : (parseShift(shift) ?? 0))
  }

  /** Reads the world's clock once, when the response gets its headers. */
  #answeredAt(): number {
    this.#endedAt ??= this.#parts.world.clock.now()
    return this.#endedAt
  }

  get isEdited(): boolean {
    return this.#edited !== undefined
  }

  /** Answers the request, after the jobs that are due. Never throws or rejects. */
  answer(runner: CallRunner): Answer {
    const { world, responder } = this.#parts
    if (this.request.method === 'OPTIONS') return responder.preflight(this.request)
    try {
      // Before the faults, because a refused page must not change their counters.
      checkSite(this.request, responder.allowed)
    } catch (error) {
      return this.#fail(error)
    }
    return after(world.clock.catchUp(), () => this.#applyFault(runner))
  }

  /** Applies the first matching fault, or answers as usual. */
  #applyFault(runner: CallRunner): Answer {
    const { faults } = this.#parts
    if (faults.isEmpty) return this.#resolve(runner)
    try {
      const fault = faults.select(this.request, () => ({
        cause: { kind: 'request', request: this.rayId, operation: this.operation },
        revisions: this.revisions,
      }))
      if (!fault) return this.#resolve(runner)
      const { id, request, effect, delayMs } = fault
      const { error, reset, empty, hold, spurious } = effect
      this.operation = request.operation
      this.caller = request.caller
      this.fault = { id, effect: Object.keys(effect).join() }
      if (error) throw injectedError(error, id)
      if (hold || delayMs !== undefined) return this.#hold(fault, runner)
      if (reset || empty) throw new InjectedDisconnect(reset ? 'reset' : 'empty')
      if (spurious === undefined) this.#effect = effect
      else this.longestBlockMs = durationMs(spurious)
      return this.#resolve(runner)
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Holds or delays the request. It goes on in the same tick as its release: a reset must not overtake it. */
  #hold(fault: SelectedFault, runner: CallRunner): Promise<MockResponse> {
    const { id, effect } = fault
    return new Promise(resolve => {
      let hasEnded = false
      const held = { facts: this, draft: () => this.#draft(runner) }
      this.#parts.faults.hold(fault, held, (heldForMs, how) => {
        hasEnded = true
        this.waitsFor = undefined
        this.fault = { id, effect: (effect.hold ? 'held' : `delayed ${heldForMs} ms`) + endText(how) }
        if (how !== 'client gone' && how.never) this.#neverAnswer(resolve)
        else resolve(this.#goOn(how, runner, id))
      })
      if (!hasEnded) this.#wait('fault')
    })
  }

  #goOn(how: HeldEnd, runner: CallRunner, faultId: string): Answer {
    if (how === 'client gone') return this.#fail(new ClientGone())
    const { answer, error, reset, empty } = how
    if (error) return this.#fail(injectedError(error, faultId))
    if (reset || empty) return this.#fail(new InjectedDisconnect(reset ? 'reset' : 'empty'))
    if (answer) {
      this.#edited = answer
      // The client gets the edited answer, and not that of a later state.
      this.longestBlockMs = 0
    }
    return this.#resolve(runner)
  }

  /** Closes the connection when the client gives up, or the world is replaced or closed. */
  #neverAnswer(resolve: (answer: Answer) => void): void {
    this.#wait('nothing')
    this.#parts.faults.neverAnswer(this.request, () => {
      this.waitsFor = undefined
      resolve(this.#fail(new InjectedDisconnect('empty')))
    })
  }

  #draft(runner: CallRunner): AnswerDraft {
    try {
      const { output, waitsFor } = runner.draft(this.#parse(), this.request)
      if (waitsFor === 'resolver') return { waits_for: waitsFor }
      return answerOf(outputResult(output), waitsFor)
    } catch (error) {
      return answerOf(errorResult(error))
    }
  }

  #resolve(runner: CallRunner): Answer {
    this.#resolvedAt = this.#parts.world.revision
    try {
      const outcome = runner.execute(this.#parse(), this)
      const output = outcome instanceof Blocked ? this.block(outcome) : outcome
      if (!(output instanceof Promise)) return this.#succeed(output)
      if (this.waitsFor === undefined) void nextTurn().then(() => this.#waitForResolver())
      return output.then(
        late => this.#succeed(late),
        error => this.#fail(error),
      )
    } catch (error) {
      return this.#fail(error)
    }
  }

  #parse(): Call {
    const { request } = this
    const route = routes.find(request.method, request.path, request.basePath)
    this.operation = route.id
    const caller = authenticate(request, route, this.#parts.world)
    this.caller = caller
    const input = readInput(request, route, caller)
    return { id: route.id, caller, input: this.#effect?.index ? withWorldIndex(input, this.#effect.index) : input }
  }

  block(blocked: Blocked<unknown>): Promise<unknown> {
    this.blockedAt = real.now()
    const output = blocked.begin(this.request.signal?.())
    this.#wait(blocked.reason)
    return output
  }

  /** An async resolver takes some microtasks even if it waits for nothing. So it counts as waiting only after them. */
  #waitForResolver(): void {
    if (!this.#hasEnded && this.waitsFor === undefined) this.#wait('resolver')
  }

  #wait(reason: WaitReason): void {
    const { world, pending } = this.#parts
    this.waitsFor = reason
    this.pendingSince ??= world.clock.now()
    pending.add(this)
  }

  #succeed(output: unknown): Answer {
    return this.#respond(() => {
      try {
        const shift = this.#effect?.index
        return outputResult(shift ? withClientIndex(outputNow(output), shift) : outputNow(output))
      } catch (error) {
        return errorResult(error)
      }
    })
  }

  #fail(error: unknown): Answer {
    if (error instanceof ClientGone) this.#edited = undefined
    return this.#respond(() => errorResult(error))
  }

  /** Responds when all changes until now are kept, because the answer may tell about them. */
  #respond(createUnedited: () => Result): Answer {
    const { world, responder } = this.#parts
    const createResult = this.#editing(createUnedited)
    // An answer that changed nothing is about the present world, even if the request has waited.
    if (this.revisions.length === 0) this.#resolvedAt = world.revision
    const settled = world.settled()
    if (settled === undefined) return this.#end(createResult)
    // Made now, because later changes may not be kept.
    const finished = responder.finish(this, createResult)
    return settled.then(
      () => this.#end(() => finished),
      error => this.#end(() => errorResult(withUnknownOutcome(error, this.revisions[0]))),
    )
  }

  #editing(createResult: () => Result): () => Result {
    const edited = this.#edited
    if (edited) return () => editedResult(createResult(), edited)
    return this.#effect?.truncate ? () => ({ ...createResult(), disconnect: 'truncate' }) : createResult
  }

  #end(createResult: () => Result): MockResponse {
    const { responder, pending } = this.#parts
    this.#hasEnded = true
    pending.remove(this)
    return responder.respond(this, createResult, (response, endedAt) => this.#record(response, endedAt))
  }

  #record(response: MockResponse, endedAt: number): void {
    const { worldId, world, history, responder, record } = this.#parts
    // A request that began before a reset does not belong to the journal after it.
    if (this.#generation !== history.generation || !history.shouldRecordExchanges) return
    const revision = this.#resolvedAt ?? world.revision
    const { redactor } = responder
    const recorded = new RecordedExchange(this, response, {
      worldId,
      at: this.#answeredAt(),
      revision,
      endedAt,
      redactor,
    })
    record(recorded, this, response, endedAt)
  }
}

function injectedError(error: FaultError, faultId: string): InjectedError {
  const { code = 'ERROR', message = `fault ${faultId} of this mock injected this error`, metadata } = error
  const { retry_after = code === 'API_RATE_LIMIT' ? 1 : undefined } = error
  return new InjectedError(
    { code, message, ...(metadata === undefined ? {} : { metadata }) },
    statusOf(error),
    retry_after === undefined ? {} : { 'retry-after': String(retry_after) },
  )
}

type IndexShift = NonNullable<SelectedFault['effect']['index']>

/** A watch index has at most 19 digits. */
const indexes = 10n ** 19n

function withWorldIndex(input: Call['input'], { offset }: IndexShift): Call['input'] {
  const { watch_index: index } = input
  return typeof index === 'bigint' ? { ...input, watch_index: wrapIndex(index - BigInt(offset)) } : input
}

function withClientIndex(output: unknown, { offset }: IndexShift): unknown {
  const { watch } = output as { readonly watch: { readonly index: string } } // the output of every watch has it
  if (!/^\d+$/.test(watch.index)) return output
  return { ...(output as object), watch: { ...watch, index: String(wrapIndex(BigInt(watch.index) + BigInt(offset))) } }
}

function wrapIndex(index: bigint): bigint {
  return ((index % indexes) + indexes) % indexes
}

function endText(how: HeldEnd): string {
  if (how === 'client gone') return ''
  if (how.answer) return ', answer edited'
  if (how.never) return ', never answered'
  return how.error || how.reset || how.empty ? ', then failed' : ''
}

function answerOf({ status, output }: Result, waits_for?: AnswerDraft['waits_for']): AnswerDraft {
  const answer: AnswerDraft = { status, ...(waits_for === undefined ? {} : { waits_for }) }
  if (output !== undefined) setKey(answer, 'body', parseJson(writeJson(output)))
  return answer
}

function readInput(request: MockRequest, { id, params }: Route<OperationId>, { kind }: Caller): Call['input'] {
  const spec: OperationSpec = operations[id]
  const query = parseQuery(spec, request)
  // Mock data comes after decoding, before any other check (PROTOCOL.md B2).
  const headers = isCanned(spec.auth, kind) ? {} : parseHeaders(spec, request)
  const fields: Record<string, unknown> = {}
  const body = parseBody(spec, request)
  for (const part of [params, query, headers, body])
    for (const name in part) fields[name] = (part as Record<string, unknown>)[name]
  return keepDigits(fields, body)
}
