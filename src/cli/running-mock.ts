import { shortened } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

/** The mock must begin its response within this time, in ms. */
const timeoutMs = 60_000

/** The longest error message that is shown, in characters. */
const maxMessage = 2_000

/** The longest part of an unknown error page that is shown, in characters. */
const maxPage = 200

/** Calls the control API of a running mock, or of the world that the URL names. Rejects with `UsageError` if that fails. */
export async function askRunningMock(url: string, path: string): Promise<string> {
  let text = ''
  for await (const piece of readRunningMock(url, path)) text += piece
  return text
}

/** Works like `askRunningMock`, and yields the response in pieces as they arrive. */
export async function* readRunningMock(url: string, path: string): AsyncGenerator<string, void> {
  const response = await request(url, path)
  if (!response.ok) throw refusal(url, response.status, await response.text())
  try {
    yield* response.body?.pipeThrough(new TextDecoderStream()) ?? []
  } catch (cause) {
    throw new UsageError(`${url} closed the connection before the end of its response: try again`, { cause })
  }
}

async function request(url: string, path: string): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const headers = { accept: 'application/json' }
    return await fetch(`${url}/__mock${path}`, { headers, redirect: 'error', signal: abort.signal })
  } catch (cause) {
    throw new UsageError(`nothing answers at ${url}: start mockmaker there, or pass its URL with --url`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

function refusal(url: string, status: number, text: string): UsageError {
  const message = messageIn(text)
  // The server cannot know that the caller wanted the control API.
  const hint = message.startsWith('nothing is at') ? '. A mock started with --no-control has no control API.' : ''
  return new UsageError(`${url} answers ${status}: ${message}${hint}`)
}

/** The message of an error, or the beginning of the text if another server answered. */
function messageIn(text: string): string {
  try {
    // Another server may answer anything.
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    if (typeof message === 'string') return shortened(message, maxMessage)
  } catch {
    // The text is not JSON.
  }
  return shortened(text.trim(), maxPage) || 'the response is empty'
}
