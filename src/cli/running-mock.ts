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

/** What a mock that runs somewhere answers. Rejects with `UsageError` where nothing answers there, or not that. */
export async function askRunningMock({ url, path, accept }: Call): Promise<string> {
  const response = await fetch(`${url}/__mock${path}`, {
    headers: { accept },
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error: Error) => {
    throw new UsageError(`nothing answers at ${url}: start mockmaker there, or name its URL with --url`, {
      cause: error,
    })
  })
  const text = await response.text()
  if (response.ok) return text
  const message = messageIn(text)
  // Where the control API is there, it says itself what it lacks.
  const hint = message.startsWith('nothing is at') ? '. A mock that was started with --no-control does not tell.' : ''
  throw new UsageError(`${url} answers ${response.status}: ${message}${hint}`)
}

/** The message of a failure; of what is none of ours, how it begins. */
function messageIn(text: string): string {
  try {
    // Whoever listens there may answer anything.
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // It is no JSON, and shown as it is.
  }
  return text.trim().slice(0, 200) || 'nothing else'
}
