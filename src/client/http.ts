import type { ChangesOptions, MockEvent } from '../core/control/events.js'
import { signalOf } from '../core/lib/abort-signal.js'
import { rememberCaller } from '../core/lib/caller-stack.js'
import { isJsonObject, parseJson } from '../core/lib/json.js'
import { quoted, UsageError } from '../core/lib/messages.js'
import { real } from '../core/lib/real-globals.js'
import { sayIfSlow } from '../core/lib/slow-wait.js'
import { checkMatch, checkWaitOptions, type WaitOptions } from '../core/pipeline/wait-options.js'
import {
  ClientError,
  call,
  type Input,
  type InputOf,
  misuseError,
  type Output,
  openStream,
  type Remote,
  type Route,
  type StreamEvent,
} from './call.js'

/** Checks arguments as the mock does in-process. Throws `ClientError` if they are wrong. */
export function checked<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof UsageError ? misuseError(error.message) : error
  }
}

/** A world that a user controls. */
export interface ControlledRemote extends Remote {
  /** The waits that the mock does not know yet. Later calls go out after them. */
  readonly beginning: Set<Promise<unknown>>
}

/** Makes a call, and returns its JSON. Rejects with `ClientError`. */
export async function request<Name extends Route>(
  remote: ControlledRemote,
  route: Name,
  ...input: InputOf<Name>
): Promise<Output<Name>> {
  const { query = {} } = (input[0] ?? {}) as { readonly query?: unknown }
  checkObject('argument', query)
  if (remote.beginning.size > 0) await Promise.all(remote.beginning)
  return call(remote, route, ...input)
}

/** Removes the field by which an answer says that it has created the world: a record has no such field. */
export function withoutCreated<Answer extends object>(answer: Answer): Answer {
  const { created: _, ...row } = answer as Answer & { readonly created?: unknown }
  return row as unknown as Answer // records have no other field of that name
}

/** JavaScript callers may pass anything. Throws `ClientError`. */
export function checkObject(name: string, value: unknown): void {
  if (!isJsonObject(value)) throw misuseError(`${name} is ${quoted(value)}: expected an object`)
}

/** Waits for a call, and returns `undefined` if it is refused as 404. */
export function undefinedIfMissing<Value>(call: Promise<Value>): Promise<Value | undefined> {
  return call.catch(error => {
    if (error instanceof ClientError && error.status === 404) return undefined
    throw error
  })
}

/** Waits for a call. `reword` changes the message of its `ClientError`, for users who know its arguments by other names. */
export async function rewordedCall<Value>(call: Promise<Value>, reword: (message: string) => string): Promise<Value> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ClientError ? new ClientError(reword(error.message), error) : error
  }
}

const pauseMs = 100

/**
 * Reads the events of a world from the moment when the promise resolves. Reconnects after a lost connection, and resumes at
 * the last event. The events end with the signal, with the `for await` that reads them, and with the world. Rejects with
 * `ClientError`.
 */
export async function readEvents(
  remote: ControlledRemote,
  options: ChangesOptions = {},
): Promise<AsyncGenerator<MockEvent, undefined>> {
  const signal = checked(() => signalOf('changes', options))
  const { since, lastEventId, answers, newest, with: parts = [] } = options
  const query = { since, answers, newest, with: parts.join() || undefined }
  const open = async (after: string | undefined) => {
    if (remote.beginning.size > 0) await Promise.all(remote.beginning)
    return openStream(remote, 'GET /changes', { query }, { signal, lastEventId: after })
  }

  async function* resume(
    first: AsyncGenerator<StreamEvent>,
    start: string | undefined,
  ): AsyncGenerator<MockEvent, undefined> {
    let last = start
    for (let events: typeof first | null = first; events && !signal?.aborted; ) {
      for await (const { type, id, data } of events) {
        if (type === 'end') return undefined
        last = id ?? last
        // The mock sends no other types of events.
        if (type !== 'begin') yield { type, id, data: parseJson(data) } as MockEvent
      }
      await new Promise(resolve => real.setTimeout(resolve, pauseMs))
      events = await open(last).catch(error => {
        // The signal was aborted, or the mock has ended.
        if (signal?.aborted || (error instanceof ClientError && error.status === 0)) return null
        throw error
      })
    }
    return undefined
  }

  const events = await open(lastEventId)
  // The mock sends `begin` when it starts to collect events.
  const begun = await events.next()
  return resume(events, begun.value?.id ?? lastEventId)
}

/**
 * Starts a call that waits for requests. The mock waits before it gets any later call of the client. Rejects with
 * `ClientError`. An unhandled rejection is not reported, because a test may fail before it awaits the call.
 */
export function waitFor<Value>(
  remote: ControlledRemote,
  route: 'POST /journal/next' | 'POST /journal/blocked',
  { body, options }: { readonly body: Input<typeof route>['body']; readonly options?: WaitOptions | undefined },
): Promise<Value> {
  // The caller may await it only after the rejection.
  const atCaller = rememberCaller()
  const call = route === 'POST /journal/next' ? 'next' : 'blocked'
  const begin = async () => {
    const { signal, timeoutMs: timeout } = checked(() => {
      if ('match' in body) checkMatch(body.match)
      return checkWaitOptions(call, options)
    })
    if (remote.beginning.size > 0) await Promise.all(remote.beginning)
    const events = await openStream(remote, route, { body: { ...body, timeout } }, { signal })
    await events.next()
    // Inside an object, because a promise of a promise would wait for it.
    return { outcome: readOutcome<Value>(remote, events, signal) }
  }
  const beginning = begin()
  const begun = beginning.catch(() => {}).finally(() => remote.beginning.delete(begun))
  remote.beginning.add(begun)
  const ended = beginning.then(({ outcome }) => outcome)
  const hasEnd = options?.timeout !== undefined || options?.signal !== undefined
  const outcome = (
    hasEnd ? ended : sayIfSlow(ended, () => `${call} still waits for a request for ${body.operation ?? '*'}`)
  ).catch(error => {
    throw error instanceof ClientError ? atCaller(error) : error
  })
  outcome.catch(() => {})
  return outcome
}

async function readOutcome<Value>(
  { url }: Remote,
  events: AsyncGenerator<StreamEvent>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  for await (const { type, data } of events) {
    const value = parseJson(data)
    if (type === 'done') return value as Value // a mock sends the value of the call
    const { message, code } = value as { readonly message: string; readonly code: string } // a mock sends an error
    throw new ClientError(message, { status: 0, code })
  }
  signal?.throwIfAborted()
  throw new ClientError(`the connection to the mock at ${url} broke during the wait`, { status: 0, code: 'NO_ANSWER' })
}
