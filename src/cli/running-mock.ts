import { shortened } from '../contract/issue.js'
import { UsageError } from '../contract/usage-error.js'

/** A call of a control API. */
interface Call {
  /** The URL of the world. */
  readonly url: string
  /** What follows `/__mock`. */
  readonly path: string
  /** A media type. */
  readonly accept: string
}

/** For how long a mock may think, in ms. A snapshot may be long. */
const patienceMs = 60_000

/** The longest message of another server that is shown, in characters. */
const longestMessage = 2_000

/** What a mock that runs somewhere answers. Rejects with `UsageError` where nothing answers there, or not that. */
export async function askRunningMock(call: Call): Promise<string> {
  let text = ''
  for await (const piece of readRunningMock(call)) text += piece
  return text
}

/** The same in pieces, as they come. */
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
  // Only for the beginning: the rest takes as long as its reader.
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

/** The message of a failure; of what is none of ours, how it begins. */
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
