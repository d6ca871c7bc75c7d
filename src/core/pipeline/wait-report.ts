import type { ExchangeMatch, JournalEntry, OperationPattern, PendingRequest, WaitReason } from '../contract/journal.js'
import { counted } from '../lib/messages.js'
import { nearMissLines } from './journal-mismatch.js'
import { requestText } from './request-text.js'
import { matchText, type NearMiss } from './verify.js'

/** The requests that `next` or `blocked` waits for. */
export interface WantedRequests {
  readonly call: 'next' | 'blocked'
  /** The number of blocked requests. Absent for `next`. */
  readonly count?: number
  /** Absent for any operation. */
  readonly operation?: OperationPattern | undefined
  readonly match?: ExchangeMatch | undefined
}

/** A call of `next` or `blocked` that waits. Tokens are cut to their labels. */
export interface PendingWait extends WantedRequests {
  /** The requests that were answered during the wait, and that differ least. Empty if none was answered. */
  readonly nearest: readonly NearMiss[]
  /** The newest request that `next` would have found, but that was answered before the call. Absent if there is none. */
  readonly missed?: JournalEntry
}

/** The reasons to wait, in the words of a report. The name of the fault comes behind `waits for`. */
export const waitTexts: Readonly<Record<WaitReason, string>> = {
  watch: 'waits for a change of what it watches',
  fault: 'waits for',
  lobby: 'waits until its lobby is ready',
  resolver: 'waits for the resolver of its operation',
  nothing: 'was released without an answer',
}

/** Names the requests: `a request for lobbies.list that matches {"status":200}`, `2 blocked requests`. */
export function wantedText({ call, count = 1, operation = '*', match }: WantedRequests): string {
  const blocked = count === 1 ? 'a blocked request' : counted(count, '', 'blocked requests')
  const subject = operation === '*' ? '' : ` for ${operation}`
  return `${call === 'blocked' ? blocked : 'a request'}${subject}${matchText(match)}`
}

/** Describes the requests that came during a wait: the nearest ones with their differences. */
export function evidenceLines({ nearest, missed }: PendingWait): string[] {
  return [
    ...(nearest.length === 0
      ? ['No request was answered meanwhile.']
      : ['The nearest requests that were answered meanwhile:', ...nearest.flatMap(nearMissLines)]),
    ...(missed === undefined
      ? []
      : [`${requestText(missed)} was answered before the wait: call next before the action that causes the request.`]),
  ]
}

/** Describes a wait that ended without its requests. `pending` has the first requests that wait for their answers. */
export function timeoutText(
  wait: PendingWait,
  after: string,
  pending: readonly PendingRequest[],
  count: number,
): string {
  const others = count - pending.length
  return [
    `${after} passed before ${wantedText(wait)} came`,
    '',
    ...evidenceLines(wait),
    ...(count === 0 ? [] : ['', 'These requests still wait for their answers:']),
    ...pending.map(({ method, path, waits_for: reason, fault }) => {
      const name = reason === 'fault' ? ` fault ${fault}` : ''
      return `  ${method} ${path} ${waitTexts[reason]}${name}`
    }),
    ...(others === 0 ? [] : [`  … and ${others} more`]),
  ].join('\n')
}
