import {
  doPausesGrow,
  earlyMs,
  hotLoop,
  noPauseAfterFailure,
  watchWithoutIndex,
} from '../core/control/warnings/request-rules.js'
import { elapsedText, secondsText } from '../core/lib/time.js'
import { errorLineOf } from '../server/processes/exit-report.js'
import { indexOf, mostRequests, pollsOf, type RecordedRequest, type Recording } from './recording.js'

// The rules for a client of a watch. Each is a function of a recording alone.

/** A mistake of a client, and the requests that prove it. */
export interface Failure {
  readonly sentence: string
  readonly proof: readonly RecordedRequest[]
}

/** Finds what is wrong. `undefined`: nothing is. */
export type Rule = (recording: Recording) => Failure | undefined

export function firstFailure(recording: Recording, rules: readonly Rule[]): Failure | undefined {
  return rules.reduce<Failure | undefined>((found, rule) => found ?? rule(recording), undefined)
}

/** A connection that the client has closed may be noticed this much later than its next request, in ms. */
const closingMs = 150

/** The client polls its link at all. */
export const polls: Rule = recording => {
  if (pollsOf(recording).length > 0) return undefined
  const { end, requests } = recording
  const asked = requests.length === 0 ? 'sent the lab no request' : 'never asked for its link'
  return {
    sentence: end
      ? endText(recording, ` after ${elapsedText(end.at)}, and ${asked}`)
      : (loopText(recording) ?? `it ${asked} within 10 s`),
    proof: requests.slice(0, 2),
  }
}

/** Each poll has the index of the newest answer before it. */
export const sendsNewestIndex: Rule = recording => {
  const all = pollsOf(recording)
  for (const poll of all) {
    const newest = newestBefore(poll, all)
    if (newest === undefined || poll.index === indexOf(newest)) continue
    const sent = poll.index === undefined ? 'no index' : `the index ${poll.index}`
    return { sentence: `it sent ${sent} after an answer with the index ${indexOf(newest)}`, proof: [newest, poll] }
  }
  if (sendsIndex(recording)) return undefined
  const sentence = watchWithoutIndex.sentence({ who: 'it', polls: all.length, old: 0 })
  return { sentence, proof: all.slice(0, 2) }
}

/** Tells whether a poll has an index. */
export function sendsIndex(recording: Recording): boolean {
  return pollsOf(recording).some(({ index }) => index !== undefined)
}

function newestBefore(poll: RecordedRequest, all: readonly RecordedRequest[]): RecordedRequest | undefined {
  return all
    .filter(({ endedAt }) => endedAt !== undefined && endedAt <= poll.at)
    .filter(answer => indexOf(answer) !== undefined)
    .reduce<RecordedRequest | undefined>(
      (newest, one) => (newest && Number(newest.endedAt) > Number(one.endedAt) ? newest : one),
      undefined,
    )
}

/** After an answer with a lower index, each poll has that index, or none. */
export const takesLowerIndex: Rule = recording => {
  const { lower, later } = lowerIndexOf(recording)
  if (!lower) return undefined
  const wrong = later.find(({ index }) => index !== undefined && index !== indexOf(lower))
  if (!wrong || wrong.at > (recording.completedAt ?? Number.POSITIVE_INFINITY)) return undefined
  return {
    sentence: `it sent the index ${wrong.index} after an answer with the lower index ${indexOf(lower)}`,
    proof: [lower, wrong],
  }
}

function lowerIndexOf(recording: Recording): {
  readonly lower: RecordedRequest | undefined
  readonly later: readonly RecordedRequest[]
} {
  const all = pollsOf(recording)
  const at = all.findIndex((answer, i) => {
    const before = i === 0 ? undefined : indexOf(all[i - 1] as RecordedRequest) // there is one
    const index = indexOf(answer)
    return before !== undefined && index !== undefined && BigInt(index) < BigInt(before)
  })
  return { lower: all[at], later: at === -1 ? [] : all.slice(at + 1) }
}

/** Says what a client did after an answer with a lower index. */
export function lowerIndexText(recording: Recording): string {
  if (!sendsIndex(recording)) return 'it sent no index'
  const { lower, later } = lowerIndexOf(recording)
  if (!lower) return 'it got no lower index'
  return later.some(({ index }) => index === indexOf(lower))
    ? 'it took the lower index'
    : 'it sent no index after the lower one'
}

const windowMs = 5_000
const mostInWindow = 10

/** At most 10 requests in 5 s, until the link is complete. */
export const isNoBusyLoop: Rule = recording => {
  const { requests, completedAt = Number.POSITIVE_INFINITY } = recording
  const before = requests.filter(({ at }) => at < completedAt)
  for (const [i, first] of before.entries()) {
    if (before.length - i <= mostInWindow) return undefined
    const inWindow = before.slice(i).filter(({ at }) => at < first.at + windowMs)
    if (inWindow.length <= mostInWindow) continue
    const perSecond = Math.round((inWindow.length * 1_000) / windowMs)
    return {
      sentence: `${hotLoop.sentence({ who: 'it', operation: 'devices.links.get', perSecond })}: ${inWindow.length} requests in 5 s, and ${mostInWindow} are allowed`,
      proof: inWindow.slice(0, 2),
    }
  }
  return undefined
}

/** Never two open polls. */
export const asksOneAtATime: Rule = recording => {
  const all = pollsOf(recording)
  for (const [i, later] of all.entries()) {
    const open = all.slice(0, i).find(({ endedAt = Number.POSITIVE_INFINITY }) => endedAt > later.at + closingMs)
    if (open) return { sentence: 'it sent a poll while another one was open', proof: [open, later] }
  }
  return undefined
}

/** After each act with this name, the client asks again within a time, in ms. */
export function asksAgain(what: string, withinMs: number): Rule {
  return recording => {
    const all = pollsOf(recording)
    for (const act of recording.acts.filter(one => one.what === what)) {
      const woken = all.findLast(({ at, endedAt }) => at < act.at && endedAt !== undefined && endedAt >= act.at)
      if (!woken) return { sentence: 'no poll of it was waiting for a change', proof: all.slice(-2) }
      const { endedAt = act.at } = woken
      const next = all.find(({ at }) => at >= endedAt)
      const within = `within ${withinMs / 1_000} s after an answer with nothing new`
      if (!next) return { sentence: `it did not ask again ${within}${exitClause(recording)}`, proof: [woken] }
      if (next.at - endedAt > withinMs) return { sentence: `it did not ask again ${within}`, proof: [woken, next] }
    }
    return undefined
  }
}

/** Prints nothing and does not exit with 0 before an answer has the cloud token. */
export const acceptsNoOtherAnswer: Rule = recording => {
  const { end, printed } = recording
  const all = pollsOf(recording)
  const complete = all.find(poll => hasCloudToken(poll))
  const from = complete?.at ?? Number.POSITIVE_INFINITY
  const early = printed.find(({ at, text }) => at < from && /cloud\.mock\./.test(text))
  if (early)
    return { sentence: `it printed a cloud token before it had one: ${early.text.trim()}`, proof: all.slice(-2) }
  if (end?.code !== 0 || end.at >= from) return undefined
  return { sentence: 'it exited with code 0 before it had the cloud token', proof: all.slice(-2) }
}

function hasCloudToken({ end, status, answer = '' }: RecordedRequest): boolean {
  return end === 'answered' && status === 200 && answer.includes('"cloud_token"')
}

/** Prints no more than the lab reads. */
export const printsLittle: Rule = recording => {
  const { excess } = recording
  return excess === undefined ? undefined : { sentence: excess, proof: pollsOf(recording).slice(-2) }
}

/** Prints the cloud token of the completed link once, in one piece, and exits with 0 in time. */
export function endsWell(withinMs: number): Rule {
  return recording => {
    const { completedAt, end } = recording
    const proof = pollsOf(recording).slice(-2)
    const within = `within ${withinMs / 1_000} s after the link was complete`
    if (completedAt !== undefined && end && end.at < completedAt)
      return { sentence: `${endText(recording)}, before the link was complete`, proof }
    if (!end) return { sentence: loopText(recording) ?? `it did not exit ${within}`, proof }
    if (end.code !== 0) return { sentence: endText(recording), proof }
    if (end.at - (completedAt ?? end.at) > withinMs) return { sentence: `it did not exit ${within}`, proof }
    const wrong = wrongPrint(recording)
    return wrong === undefined ? undefined : { sentence: wrong, proof }
  }
}

function wrongPrint({ printed, cloudToken = '' }: Recording): string | undefined {
  const text = textOf(printed)
  const times = text.split(cloudToken).length - 1
  if (cloudToken === '' || times === 1) return undefined
  if (times > 1) return `it printed the cloud token ${times} times`
  if (text.replaceAll(/\s/g, '').includes(cloudToken)) return 'it printed the cloud token in pieces'
  return /cloud\.mock\./.test(text) ? `it printed another cloud token: ${text.trim()}` : undefined
}

function textOf(printed: Recording['printed']): string {
  return printed.map(({ text }) => text).join('')
}

/** Tells whether the client has printed the cloud token of the link, in one piece. */
export function printsCloudToken({ printed, cloudToken }: Recording): boolean {
  return cloudToken !== undefined && textOf(printed).includes(cloudToken)
}

/** Polls that fail are sent again with the same index. */
export const retriesWithSameIndex: Rule = recording => {
  for (const { failed, next } of retries(recording)) {
    if (!next) return { sentence: `it did not ask again after a failure${exitClause(recording)}`, proof: [failed] }
    if (next.index !== failed.index)
      return {
        sentence: `it sent ${next.index === undefined ? 'no index' : `the index ${next.index}`} after a failed poll with ${failed.index ?? 'none'}`,
        proof: [failed, next],
      }
  }
  return undefined
}

/** Pauses after failures grow. */
export const pausesGrow: Rule = recording => {
  const all = retries(recording)
  const [first, last] = [all[0], all.at(-1)]
  if (!first || !last || first === last) return undefined
  if (doPausesGrow([pauseOf(first), pauseOf(last)])) return undefined
  const proof = new Set(all.flatMap(({ failed, next }) => (next ? [failed, next] : [failed])))
  return { sentence: noPauseAfterFailure.sentence({ who: 'it', pauses: all.map(pauseOf) }), proof: [...proof] }
}

/** The client does not crash on an answer that the lab broke. */
export const survivesHalfAnswer: Rule = recording => {
  const { end } = recording
  const last = pollsOf(recording).at(-1)
  if (!end || end.code === 0 || last?.end !== 'broken') return undefined
  return { sentence: `it crashed on half an answer: ${endText(recording)}`, proof: [last] }
}

/** A pause is as long as `retry-after` says, in seconds. */
export function obeysRetryAfter(seconds: number): Rule {
  return recording => {
    for (const retry of retries(recording)) {
      if (retry.next && pauseOf(retry) < seconds * 1_000 - earlyMs)
        return {
          sentence: noPauseAfterFailure.sentence({ who: 'it', pauses: [pauseOf(retry)], retryAfter: seconds }),
          proof: [retry.failed, retry.next],
        }
    }
    return undefined
  }
}

interface Retry {
  readonly failed: RecordedRequest
  readonly next: RecordedRequest | undefined
}

function retries(recording: Recording): Retry[] {
  const all = pollsOf(recording)
  return all.flatMap((failed, i) => {
    const hasFailed = failed.end === 'broken' || (failed.end === 'answered' && Number(failed.status) >= 400)
    return hasFailed ? [{ failed, next: all[i + 1] }] : []
  })
}

/** The pauses after failures until now, in ms. */
export function pausesOf(recording: Recording): number[] {
  return retries(recording).flatMap(retry => (retry.next ? [pauseOf(retry)] : []))
}

function pauseOf({ failed, next }: Retry): number {
  return (next?.at ?? Number.POSITIVE_INFINITY) - (failed.endedAt ?? failed.at)
}

/** After a refusal the client sends nothing more. Within 5 s it exits with a code other than 0, and a reason. */
export const givesUp: Rule = recording => {
  const { requests, end, stoppedAt } = recording
  const refused = requests.findIndex(({ status }) => Number(status) >= 400)
  const refusal = requests[refused]
  if (!refusal) return { sentence: 'it did not ask again, so nothing could be refused', proof: requests.slice(-2) }
  const next = requests[refused + 1]
  if (next) return { sentence: `it went on after the answer ${refusal.status}`, proof: [refusal, next] }
  if (!end || stoppedAt === undefined)
    return { sentence: `it did not exit within 5 s after the answer ${refusal.status}`, proof: [refusal] }
  if (end.code === 0) return { sentence: `it exited with code 0 after the answer ${refusal.status}`, proof: [refusal] }
  if (end.code === undefined) return { sentence: endText(recording), proof: [refusal] }
  if (end.reason.trim() === '') return { sentence: 'it gave no reason on standard error', proof: [refusal] }
  return undefined
}

/** The client waits for an answer as long as the service may take, and leaves a dead connection. */
export function isPatient({ holdMs, deadMs }: { readonly holdMs: number; readonly deadMs: number }): Rule {
  return recording => {
    const all = pollsOf(recording)
    const { acts } = recording
    const moved = acts.find(({ what }) => what === 'moved the clock by 40s')
    const dead = acts.find(({ what }) => what === deadAct)
    const cut = all.find(({ end, at }) => end === 'left' && (dead === undefined || at < dead.at - 1_000))
    if (cut)
      return {
        sentence: `it cut a poll after ${secondsText(Number(cut.endedAt) - cut.at)}, and an answer may take ${holdMs / 1_000} s`,
        proof: [cut],
      }
    if (!moved || !dead) return { sentence: `no poll of it waited for ${holdMs / 1_000} s`, proof: all.slice(-2) }
    const silent = all.findLast(({ at }) => at <= dead.at)
    const next = all.find(({ at }) => at > dead.at)
    if (next) return undefined
    return {
      sentence: `it did not ask again within ${deadMs / 1_000} s on a dead connection`,
      proof: silent ? [silent] : [],
    }
  }
}

/** The act of a poll that gets no answer. */
export const deadAct = 'let a poll wait for ever'

function loopText({ requests, end }: Recording): string | undefined {
  const last = requests[mostRequests]
  if (!last || end) return undefined
  return `it sent more than ${mostRequests} requests in ${secondsText(last.at)}, so the lab ended it early`
}

function endText({ end }: Recording, clause = ''): string {
  if (!end) return 'it did not exit'
  const how = end.code === undefined ? `it was ended by ${end.signal}` : `it exited with code ${end.code}`
  const error = errorLineOf(end.reason)
  return `${how}${clause}${error === '' ? '' : `: ${error}`}`
}

function exitClause(recording: Recording): string {
  return recording.end ? `: ${endText(recording)}` : ''
}
