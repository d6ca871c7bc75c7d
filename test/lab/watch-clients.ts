import { setTimeout as delay } from 'node:timers/promises'
import type { LabClient } from '../../src/lab/lab.js'

interface LinkAnswer {
  readonly cloud_token?: string
  readonly watch?: { readonly index?: string }
}

/** What a client does wrong. */
interface Flaws {
  /** Chooses the next index from that of an answer and the one before it. */
  readonly index?: (index: string | undefined, before: string | undefined) => string | undefined
  /** The pause before the nth poll that follows an answer at once, in ms. Default: it grows. */
  readonly pause?: (n: number) => number
  /** The pause after the nth failure, in ms, unless `retry-after` is longer. Default: it grows. */
  readonly retry?: (n: number) => number
  /** The pause after the first answer, in ms. Default: none. */
  readonly firstPauseMs?: number
  /** The pause after an answer to a poll with an index that came late with nothing new, in ms. Default: none. */
  readonly lateMs?: number
  /** Takes every answer to a poll with an index as the end. */
  readonly believesWakes?: true
  /** Takes a refusal as a failure. */
  readonly neverGivesUp?: true
  /** Reads the token from what has arrived of a body. */
  readonly readsHalves?: true
  /** Sends a second poll if the first one has no answer after this time, in ms. */
  readonly overlapMs?: number
  /** The time after which it cuts a poll, in ms. Default: 60 s. */
  readonly timeoutMs?: number
}

interface Got {
  /** Absent if there was none. */
  readonly response: Response | undefined
  readonly text: string
}

/** Grows so fast that a pause which a busy machine makes longer is not taken for the next one. */
const growing = (n: number) => Math.min(200 * 3 ** n, 4_000)

/** Creates a client of a device link with flaws. Without any, it is right. */
export function watchClient(flaws: Flaws = {}): LabClient {
  const { index: indexOf = index => index, pause = growing, timeoutMs = 60_000 } = flaws
  return async ({ url, token, signal }) => {
    const sleep = (ms: number) => delay(ms, undefined, { signal })
    const askOnce = async (index: string | undefined): Promise<Got> => {
      const query = new URLSearchParams({ device_link_token: token, ...(index ? { watch_index: index } : {}) })
      // Not AbortSignal.any: Node 20 may forget the signals of timers in it.
      const stop = new AbortController()
      const abort = () => stop.abort()
      const timer = setTimeout(abort, timeoutMs)
      signal.addEventListener('abort', abort)
      try {
        const response = await fetch(`${url}/cloud/devices/links?${query}`, { signal: stop.signal })
        return { response, text: await bodyOf(response, flaws.readsHalves) }
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
    }
    const ask = async (index: string | undefined) => {
      const { overlapMs } = flaws
      const first = askOnce(index)
      if (overlapMs === undefined) return first
      return (await Promise.race([first, sleep(overlapMs)])) ?? Promise.any([first, askOnce(index)])
    }
    let index: string | undefined
    let [atOnce, failures] = [0, 0]
    for (let n = 0; ; n++) {
      const askedAt = performance.now()
      const { response, text } = await ask(index).catch((): Got => ({ response: undefined, text: '' }))
      signal.throwIfAborted()
      if (isRefusal(response) && !flaws.neverGivesUp) throw new Error(`refused with ${response?.status}: ${text}`)
      const half = flaws.readsHalves && /"cloud_token":"([^"]*)/.exec(text)?.[1]
      if (half) return half
      const answer = response?.ok ? parsed(text) : undefined
      if (!answer) {
        const ms = Math.max((flaws.retry ?? growing)(failures), retryAfterMs(response))
        failures += 1
        await sleep(ms)
        continue
      }
      failures = 0
      const isWake = index !== undefined && flaws.believesWakes
      if (answer.cloud_token !== undefined || isWake) return answer.cloud_token ?? ''
      index = indexOf(answer.watch?.index, index)
      if (n === 0) await sleep(flaws.firstPauseMs ?? 0)
      // An answer at once has no wait that could slow the loop down. On a busy machine, one of them may be late.
      const isLate = performance.now() - askedAt >= 400
      atOnce = Math.max(0, atOnce + (isLate ? -1 : 1))
      if (isLate && n > 0) await sleep(flaws.lateMs ?? 0)
      if (atOnce > 1 && !isLate) await sleep(pause(atOnce - 2))
    }
  }
}

function isRefusal(response: Response | undefined): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500 && response.status !== 429
}

function retryAfterMs(response: Response | undefined): number {
  return Number(response?.headers.get('retry-after') ?? 0) * 1_000
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
