import { shortened } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'

/** A call of a control API. */
interface Call {
  /** The URL of the world. */
  readonly url: string
  /** What follows `/__mock`. */
  readonly path: string
  /** A media type. */
  readonly accept: string
}

/** How long to wait for a response to begin, in ms. */
const patienceMs = 60_000

/** The longest message of another server that is shown, in characters. */
const longestMessage = 2_000

/** Calls the control API of a running mock. Rejects with `UsageError` where nothing answers, or something refuses. */
export async function askRunningMock(call: Call): Promise<string> {
  let text = ''
  for await (const piece of readRunningMock(call)) text += piece
  return text
}

/** Does the same, and yields the response in pieces as they arrive. */
export async function* readRunningMock(call: Call): AsyncGenerator<string, void> {
  const { url } = call
  const response = await responseOf(call)
  if (!response.ok) throw refusal(url, { status: response.status, text: await response.text() })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const broken = (error: unknown) => {
    throw new UsageError(`${url} broke off in the middle of its answer: ask again`, { cause: error })
  }
  for (;;) {
    const { value, done } = (await reader?.read().catch(broken)) ?? { done: true }
    if (done) return
    yield value ?? ''
  }
}

async function responseOf({ url, path, accept }: Call): Promise<Response> {
  const patience = new AbortController()
  // Only until the response begins: the rest takes as long as its reader.
  const timer = setTimeout(() => patience.abort(), patienceMs)
  try {
    const headers = { accept }
    return await fetch(`${url}/__mock${path}`, { headers, redirect: 'error', signal: patience.signal })
  } catch (error) {
    throw new UsageError(`nothing answers at ${url}: start mockmaker there, or name its URL with --url`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

function refusal(url: string, { status, text }: { readonly status: number; readonly text: string }): UsageError {
  const message = messageIn(text)
  // Where the control API is there, it says itself what it lacks.
  const hint = message.startsWith('nothing is at') ? '. A mock started with --no-control has no control API.' : ''
  return new UsageError(`${url} answers ${status}: ${message}${hint}`)
}

/** The message of a failure; where another server answers, the beginning of its text. */
function messageIn(text: string): string {
  try {
    // Whoever listens there may answer anything.
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    if (typeof message === 'string') return shortened(message, longestMessage)
  } catch {
    // It is no JSON, and shown as it is.
  }
  return shortened(text.trim(), 200) || 'nothing else'
}
