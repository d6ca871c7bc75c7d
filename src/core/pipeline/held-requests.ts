import { type AnswerProblem, answerProblems } from '../contract/answers.js'
import { HeldAnswer, HeldRelease } from '../contract/faults.js'
import type { PendingRequest } from '../contract/journal.js'
import { parseInput } from '../lib/issues.js'
import type { LiveWorld } from '../store/world.js'
import type { AnswerDraft, HeldExchange, LiveFaults } from './faults.js'
import { pendingRequest } from './pending.js'
import type { Redactor } from './redact.js'

/** A request that a fault holds or delays, and the answer that it would get now. */
export interface HeldRequest extends PendingRequest {
  readonly id: string
  readonly draft: AnswerDraft
}

/** The requests that faults hold or delay. Their ids are in the list of requests that wait. */
export interface HeldRequests {
  /** Returns a request with the answer that it would get now. The world stays as it is. `undefined` if it is not held. */
  get(id: string): HeldRequest | undefined
  /**
   * Lists the parts of an answer that the contract does not allow. Parts that you leave out are those of the draft. Returns
   * `undefined` if the request is not held. Throws `UsageError`.
   */
  check(id: string, answer: HeldAnswer): AnswerProblem[] | undefined
  /**
   * Releases one request. Default: it is answered as usual. Returns the parts of the answer that the contract does not allow: they
   * are sent all the same. Returns `undefined` if the request is not held. Throws `UsageError`.
   */
  release(id: string, how?: HeldRelease): AnswerProblem[] | undefined
}

/** The requests that the faults of a world hold or delay. */
export class LiveHeldRequests implements HeldRequests {
  constructor(
    private readonly world: LiveWorld,
    private readonly faults: LiveFaults,
    private readonly redactor: Redactor,
  ) {}

  get(id: string): HeldRequest | undefined {
    this.world.checkUsable()
    const held = this.faults.heldRequest(id)
    return held && { ...pendingRequest(held.facts, this.redactor), id, draft: held.draft() }
  }

  check(id: string, answer: HeldAnswer): AnswerProblem[] | undefined {
    this.world.checkUsable()
    const checked = parseInput(HeldAnswer(), answer, 'answer')
    const held = this.faults.heldRequest(id)
    return held && problemsOf(held, checked)
  }

  release(id: string, how: HeldRelease = {}): AnswerProblem[] | undefined {
    this.world.checkUsable()
    const checked = parseInput(HeldRelease(), how, 'release')
    const held = this.faults.heldRequest(id)
    if (!held) return undefined
    const problems = checked.answer ? problemsOf(held, checked.answer) : []
    held.release(checked)
    return problems
  }
}

function problemsOf({ facts, draft }: HeldExchange, answer: HeldAnswer): AnswerProblem[] {
  const drafted = draft()
  const { status = drafted.status ?? 200, body = drafted.body } = answer
  return answerProblems(facts.operation, { status, body })
}
