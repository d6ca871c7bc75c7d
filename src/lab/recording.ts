import { secondsText } from '../core/lib/time.js'

/** A request of the client, and the answer that it got. Times are in real ms since the start of the client. */
export interface RecordedRequest {
  readonly at: number
  readonly method: string
  /** The path and the query. */
  readonly target: string
  /** True if it asks for the device link of the check. */
  readonly isPoll: boolean
  readonly index?: string | undefined
  /** The time at which the whole answer was out, or the connection was closed. Absent while the request waits. */
  endedAt?: number
  /** The end of the request. `broken`: the lab broke the connection. `left`: the client closed it. */
  end?: 'answered' | 'broken' | 'left'
  status?: number
  answer?: string
}

export interface ClientEnd {
  readonly at: number
  /** The exit code. `undefined` if a signal ended it. */
  readonly code: number | undefined
  readonly signal?: string | undefined
  /** The text of the client on standard error, or the message of its error. */
  readonly reason: string
  readonly startFailure?: string
}

/** After so many requests the lab ends a client: it is in a loop. */
export const mostRequests = 300

/** All that happened to one client in one case of a check. The verdicts read nothing else. */
export interface Recording {
  readonly requests: RecordedRequest[]
  /** The actions of the lab, in the order of their times: `completed the link`, `moved the clock by 40s`. */
  readonly acts: { readonly at: number; readonly what: string }[]
  readonly printed: { readonly at: number; readonly text: string }[]
  /** Absent if the lab had to end the client. */
  end?: ClientEnd
  /** The time at which the lab has completed the link. */
  completedAt?: number
  cloudToken?: string
  /** The time at which the lab stopped watching. */
  stoppedAt?: number
  /** A sentence about the limit that the client exceeded: `it printed more than 1 MB`. */
  excess?: string
}

/** Returns the requests for the device link, the oldest first. */
export function pollsOf({ requests }: Recording): RecordedRequest[] {
  return requests.filter(request => request.isPoll)
}

/** Returns the watch index that an answer has. `undefined` if the answer is not whole, or no success, or has none. */
export function indexOf({ end, status, answer = '' }: RecordedRequest): string | undefined {
  if (end !== 'answered' || status !== 200) return undefined
  try {
    const { watch } = JSON.parse(answer) as { readonly watch?: { readonly index?: unknown } }
    return typeof watch?.index === 'string' ? watch.index : undefined
  } catch {
    return undefined
  }
}

const longestAnswer = 120 // characters

/** Writes a request as one line: `+1.204 s GET /cloud/devices/links?… → 200 {…}, after 0.503 s`. */
export function requestLine(request: RecordedRequest): string {
  const { at, method, target, end, endedAt = at, status, answer = '' } = request
  const ends = {
    answered: `→ ${status} ${answer.length > longestAnswer ? `${answer.slice(0, longestAnswer)}…` : answer}`,
    broken: '→ the lab broke the connection',
    left: '→ the client closed the connection',
    open: '→ no answer yet',
  }
  const after = end === undefined ? '' : `, after ${secondsText(endedAt - at)}`
  return `+${secondsText(at)} ${method} ${target} ${ends[end ?? 'open']}${after}`
}
