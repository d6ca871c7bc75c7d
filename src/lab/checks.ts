import type { LabCheckName } from './lab.js'
import type { Recording } from './recording.js'
import { exitWithinMs, pollWithinMs, type Stage } from './stage.js'
import {
  acceptsNoOtherAnswer,
  asksAgain,
  asksOneAtATime,
  deadAct,
  endsWell,
  givesUp,
  isNoBusyLoop,
  isPatient,
  lowerIndexText,
  obeysRetryAfter,
  pausesGrow,
  pausesOf,
  polls,
  printsCloudToken,
  printsLittle,
  type Rule,
  retriesWithSameIndex,
  sendsIndex,
  sendsNewestIndex,
  survivesHalfAnswer,
  takesLowerIndex,
} from './verdicts.js'

/** One run of a client within a check. */
export interface Case {
  /** Absent if the check is the case. */
  readonly name?: string
  /** Lets the service misbehave. After that the lab completes the link, unless the client has to give up. */
  run(stage: Stage): Promise<void>
  /** The rules that this case adds to those of all cases. */
  readonly rules: readonly Rule[]
  /** True if the client has to give up, so that the link stays as it is. */
  readonly givesUp?: true
}

/** A check of a client. It is its own case, or has several. */
export type Check = (Case | { readonly cases: readonly Case[] }) & {
  /** The cost of a failure: a lost or wrong effect, a loop, or less. */
  readonly harm: 'loss' | 'loop' | 'manners'
  /** Says what a client did that passed, from the recordings of the cases. */
  passes(recordings: readonly Recording[]): string
}

export function casesOf(check: Check): readonly Case[] {
  return 'cases' in check ? check.cases : [check]
}

/** The times of the check `patience`, in real ms. */
export interface PatienceTimes {
  /** A poll is held for this time. */
  readonly holdMs: number
  /** A client leaves a dead connection within this time. */
  readonly deadMs: number
}

const patienceTimes: PatienceTimes = { holdMs: 42_500, deadMs: 90_000 }

/** The lab watches for a busy loop for this time, in ms. */
const watchMs = 5_000

/** All rules of a case, in the order in which they are judged. */
export function rulesOf({ rules, givesUp: hasToGiveUp }: Case): readonly Rule[] {
  const first = [printsLittle, polls]
  return hasToGiveUp ? [...first, ...rules] : [...first, acceptsNoOtherAnswer, ...rules, endsWell(exitWithinMs)]
}

function afterFirstAnswer(stage: Stage, then: () => void): void {
  stage.onAnswer = () => {
    stage.onAnswer = () => {}
    then()
  }
}

const opaqueIndex = 1_234_567_890_123_456_789n

function answeringAtOnce(name: string, bodyOf: (stage: Stage) => Promise<object>): Case {
  return {
    name,
    async run(stage) {
      const body = { ...(await bodyOf(stage)) } as Record<string, never> // JSON
      stage.fault({ hold: true })
      stage.onPoll = () => stage.release({ answer: { status: 200, body } })
      if (await stage.poll(1)) await stage.watch(watchMs)
    },
    rules: [isNoBusyLoop],
  }
}

/** On a busy machine the first two pauses of a good client may hardly differ. Later ones show that they grow. */
function areUnclear(pauses: readonly number[]): boolean {
  const [first = 0, second = 0] = pauses
  return pauses.length === 2 && second < 1.5 * first
}

function failing(name: string, effect: Parameters<Stage['fault']>[0], times: number, more: Rule): Case {
  return {
    name,
    async run(stage) {
      let last = times + 2
      afterFirstAnswer(stage, () => stage.fault(effect, { times }))
      stage.onPoll = () => {
        if (!areUnclear(pausesOf(stage.recording))) return
        stage.fault(effect, { times: 2 })
        last += 2
      }
      for (let n = 1; n <= last; n++) if (!(await stage.poll(n))) return
    },
    rules: [retriesWithSameIndex, more],
  }
}

function refusing(name: string, error: { readonly status: number; readonly code?: 'TOKEN_EXPIRED' }): Case {
  return {
    name,
    async run(stage) {
      afterFirstAnswer(stage, () => stage.fault({ error }))
      if (!(await stage.poll(2))) return
      await stage.watch(exitWithinMs)
    },
    rules: [givesUp],
    givesUp: true,
  }
}

/** Wakes a poll that waits, `times` times. */
async function wake(stage: Stage, times: number, by: string): Promise<void> {
  for (let i = 0; i < times; i++) {
    const poll = await stage.waitingPoll()
    if (!poll) return
    const count = stage.polls.length
    await stage.advance(by)
    await stage.poll(count + 1)
  }
}

const quickChecks: Readonly<Record<Exclude<LabCheckName, 'patience'>, Check>> = {
  'opaque index': {
    harm: 'loop',
    passes: () => 'it sent indexes of 19 digits back as they were',
    async run(stage) {
      const offset = String(opaqueIndex - BigInt(await stage.index()))
      stage.fault({ index: { offset } })
      await stage.waitingPoll()
    },
    rules: [sendsNewestIndex],
  },
  'newest index': {
    harm: 'loop',
    passes: () => 'each poll had the index of the answer before it',
    async run(stage) {
      const first = BigInt(await stage.index())
      stage.fault({ hold: true })
      stage.onPoll = () => {
        const n = stage.polls.length
        if (n === 1) stage.release()
        else if (n <= 4)
          stage.release({ answer: { status: 200, body: { watch: { index: String(first + BigInt(n)) } } } })
      }
      await stage.poll(5)
    },
    rules: [sendsNewestIndex],
  },
  timeout: {
    harm: 'loss',
    passes: () => 'it asked again after a timeout',
    run: stage => wake(stage, 1, '40s'),
    rules: [asksAgain('moved the clock by 40s', 2_000)],
  },
  'spurious wake': {
    harm: 'loss',
    passes: () => 'it asked on after answers with nothing new',
    async run(stage) {
      stage.fault({ spurious: '1s' })
      await wake(stage, 2, '1s')
    },
    rules: [asksAgain('moved the clock by 1s', pollWithinMs)],
  },
  gap: {
    harm: 'loss',
    passes: recordings =>
      recordings.every(printsCloudToken)
        ? 'it printed the token of a link that was completed between two polls'
        : 'it exited with 0 once the link was complete',
    async run(stage) {
      afterFirstAnswer(stage, () => stage.complete())
      await stage.until(() => stage.recording.completedAt !== undefined, pollWithinMs)
    },
    rules: [endsWell(3_000)],
  },
  'index goes back': {
    harm: 'loop',
    passes: recordings => recordings.map(lowerIndexText).join(', '),
    async run(stage) {
      const index = String(BigInt(await stage.index()) - 1_000n)
      stage.fault({ hold: true })
      stage.onPoll = poll => {
        if (stage.polls.length === 1) stage.release()
        // A poll with the index of the restored world waits.
        else if (poll.index !== index) stage.release({ answer: { status: 200, body: { watch: { index } } } })
      }
      if (await stage.poll(2)) await stage.watch(watchMs)
    },
    rules: [takesLowerIndex, isNoBusyLoop],
  },
  'no busy loop': {
    harm: 'loop',
    passes: () => 'it paused between answers that came at once',
    cases: [
      answeringAtOnce('no index', async () => ({ watch: {} })),
      answeringAtOnce('an empty index', async () => ({ watch: { index: '' } })),
      answeringAtOnce('the index 0', async () => ({ watch: { index: '0' } })),
      answeringAtOnce('answers at once', async stage => ({ watch: { index: await stage.index() } })),
    ],
  },
  retry: {
    harm: 'manners',
    passes: recordings =>
      `it asked again ${recordings.every(sendsIndex) ? 'with the same index ' : ''}after growing pauses, and obeyed retry-after`,
    cases: [
      failing('500', { error: { status: 500 } }, 3, pausesGrow),
      failing('503', { error: { status: 503 } }, 3, pausesGrow),
      failing('429', { error: { code: 'API_RATE_LIMIT', retry_after: 2 } }, 1, obeysRetryAfter(2)),
      failing('a reset', { reset: true }, 3, pausesGrow),
      failing('an empty reply', { empty: true }, 3, pausesGrow),
    ],
  },
  'give up': {
    harm: 'manners',
    passes: () => 'it gave up with a reason when the link was refused',
    cases: [
      refusing('400', { status: 400 }),
      refusing('404', { status: 404 }),
      refusing('TOKEN_EXPIRED', { status: 400, code: 'TOKEN_EXPIRED' }),
    ],
  },
  'one at a time': {
    harm: 'manners',
    passes: () => 'it waited for each slow answer before it asked again',
    async run(stage) {
      for (let n = 1; n <= 3; n++) {
        stage.fault({ hold: true }, { times: 1 })
        if (!(await stage.poll(n))) return
        await stage.watch(2_500)
        stage.clearFaults()
        const poll = stage.polls[n - 1]
        if (poll?.end === undefined) await stage.advance('40s')
      }
    },
    rules: [asksOneAtATime],
  },
  'half an answer': {
    harm: 'loss',
    passes: () => 'it believed no half of an answer, and asked again with the index of before',
    async run(stage) {
      afterFirstAnswer(stage, () => stage.fault({ truncate: true }, { times: 1 }))
      const poll = await stage.waitingPoll()
      stage.complete()
      await stage.until(() => poll?.end !== undefined, pollWithinMs)
    },
    rules: [survivesHalfAnswer, sendsNewestIndex],
  },
}

function patienceCheck({ holdMs, deadMs }: PatienceTimes): Check {
  return {
    harm: 'manners',
    passes: () => 'it waited for a slow answer, and left a dead connection',
    async run(stage) {
      const poll = await stage.waitingPoll()
      if (!poll) return
      await stage.until(() => poll.end !== undefined, holdMs - (stage.now() - poll.at))
      if (poll.end !== undefined) return
      stage.onPoll = () => {
        stage.onPoll = () => {}
        stage.act(deadAct)
        stage.release({ never: true })
      }
      stage.fault({ hold: true }, { times: 1 })
      const count = stage.polls.length
      await stage.advance('40s')
      if (await stage.poll(count + 1)) await stage.until(() => stage.polls.length >= count + 2, deadMs)
    },
    rules: [isPatient({ holdMs, deadMs })],
  }
}

/** Returns the checks by their names. */
export function checksOf(times: PatienceTimes = patienceTimes): Readonly<Record<LabCheckName, Check>> {
  return { ...quickChecks, patience: patienceCheck(times) }
}

/** The names of the checks, in the order of their report. */
export const checkNames: readonly LabCheckName[] = [...(Object.keys(quickChecks) as LabCheckName[]), 'patience'] // its keys

export function isCheckName(word: unknown): word is LabCheckName {
  return checkNames.some(name => name === word)
}
