import type { MockResponseInit } from '../server/message.js'
import { streamResponse, streamText } from './events.js'

/** Begins to wait, until the signal ends it. */
export type Wait = (signal: AbortSignal) => Promise<object>

/**
 * Answers with Server-Sent Events: `begin` as soon as the mock waits, then `done` with the value, or `failed` with the
 * message of the error. A client that disconnects ends the wait.
 */
export function waitStream(wait: Wait): MockResponseInit {
  return streamResponse(client => {
    const controller = new AbortController()
    const finish = (type: 'done' | 'failed', data: object) => {
      if (controller.signal.aborted) return
      client.send(streamText({ type, data }))
      client.end()
    }
    const waiting = wait(controller.signal)
    client.send(streamText({ type: 'begin', data: {} }))
    waiting.then(
      value => finish('done', value),
      ({ message }: Error) => finish('failed', { message }),
    )
    return () => controller.abort()
  })
}
