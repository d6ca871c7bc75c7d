import { setTimeout as delay } from 'node:timers/promises'
import type { LabClient } from '../../src/mock/lab.js'

interface LinkAnswer {
  readonly cloud_token?: string
  readonly watch?: { readonly index?: string }
}

/** What a client does wrong. */
export interface Flaws {
  /** Changes the index of an answer before it is sent back. */
  readonly index?: (index: string | undefined, before: string | undefined) => string | undefined
  /** The pause before the nth poll that follows an answer at once, in ms. Default: it grows. */
  readonly pause?: (n: number) => number
  /** The pause after the nth failure, in ms. Default: it grows. */
  readonly retry?: (n: number, response: Response | undefined) => number
  /** Tells whether an answer means that the link is complete. */
  readonly isDone?: (answer: LinkAnswer, text: string) => boolean
  /** The time after which it cuts a poll, in ms. Default: 60 s. */
  readonly timeoutMs?: number
  /** Treats a refusal as a failure that passes. */
  readonly neverGivesUp?: boolean
  /** Polls on without waiting for the answer of before, in this interval, in ms. */
  readonly overlapsMs?: number
  /** Reads what has arrived of a body that breaks. */
  readonly readsHalves?: boolean
  /** Waits before it remembers the index of an answer: it asks anew for the index. */
  readonly asksTwice?: boolean
}

const growing = (n: number) => Math.min(250 * 2 ** n, 4_000)

/** Creates a client of a device link with flaws. Without any, it is right. */
export function watchClient(flaws: Flaws = {}): LabClient {
  const { index: indexOf = index => index, pause = growing, retry = growing, timeoutMs = 60_000 } = flaws
  const { isDone = answer => answer.cloud_token !== undefined } = flaws
  return async ({ url, token, signal }) => {
    const ask = async (index: string | undefined) => {
      const query = new URLSearchParams({ device_link_token: token, ...(index ? { watch_index: index } : {}) })
      const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const response = await fetch(`${url}/cloud/devices/links?${query}`, { signal: stop })
      return { response, text: await bodyOf(response, flaws.readsHalves) }
    }
    let index: string | undefined
    let [atOnce, failures] = [0, 0]
    for (;;) {
      const askedAt = performance.now()
      const got = await settled(ask(index))
      signal.throwIfAborted()
      const { response, text } = got ?? {}
      if (response && response.status >= 400 && response.status < 500 && response.status !== 429 && !flaws.neverGivesUp)
        throw new Error(`refused with ${response.status}: ${text}`)
      const answer = response?.ok ? parsed(text ?? '') : undefined
      if (!answer) {
        const seconds = Number(response?.headers.get('retry-after') ?? 0)
        const ms = retry(failures++, response)
        await delay(flaws.retry ? ms : Math.max(ms, seconds * 1_000), undefined, { signal })
        continue
      }
      failures = 0
      if (isDone(answer, text ?? '')) return answer.cloud_token ?? ''
      const before = index
      index = indexOf(answer.watch?.index, before)
      // An answer at once has no wait that could slow the loop down.
      atOnce = performance.now() - askedAt < 400 ? atOnce + 1 : 0
      if (atOnce > 1) await delay(pause(atOnce - 2), undefined, { signal })
    }
  }
}

async function bodyOf(response: Response, readsHalves = false): Promise<string> {
  if (!readsHalves) return await response.text()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk as Uint8Array)
  } catch {
    // As a client that does not look at the end of a body.
  }
  return text
}

function parsed(text: string): LinkAnswer | undefined {
  try {
    return JSON.parse(text) as LinkAnswer
  } catch {
    return undefined
  }
}

async function settled<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch {
    return undefined
  }
}
