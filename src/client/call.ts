/** Why a mock did not do what it was asked. */
export interface ClientErrorParts {
  /** The HTTP status; 0 where no answer came. */
  readonly status: number
  /** The code of the answer, as `API_BAD_BODY`. */
  readonly code: string
  readonly cause?: unknown
}

/** What a mock refused, or that none answers. The message says why, and how to mend it. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly status: number
  readonly code: string

  constructor(message: string, { status, code, cause }: ClientErrorParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
  }
}

/** A call of the control API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** What follows `/__mock`, its parameters encoded. */
  readonly path: string
  /** What is absent or undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  /** Sent as JSON. Default of a write: `{}`. */
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Where a world answers, and how it is asked. */
export interface Remote {
  /** Without a slash at its end: `http://127.0.0.1:4100/w/test-42`. */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

/** Calls, and answers what came as JSON. Rejects with `ClientError`. */
export async function call(remote: Remote, asked: Call): Promise<unknown> {
  const response = await respond(remote, asked)
  const text = await response.text()
  const value = parsed(text)
  if (value === undefined) throw noMock(response, text)
  return value
}

/** Calls, and answers the response of a success. Rejects with `ClientError`. */
export async function respond(
  { url, fetch }: Remote,
  { method, path, query = {}, body = {}, headers, signal }: Call,
): Promise<Response> {
  const there = new URL(`${url}/__mock${path}`)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) there.searchParams.set(name, String(value))
  const write = method === 'GET' ? {} : { body: JSON.stringify(body) }
  const sent = method === 'GET' ? headers : { 'content-type': 'application/json', ...headers }
  const init = { method, ...write, ...(sent ? { headers: sent } : {}), ...(signal ? { signal } : {}) }
  const response = await fetch(there, init).catch(cause => {
    if (signal?.aborted) throw cause
    throw new ClientError(`no mock answers at ${url}: is npx mockmaker running there?`, {
      status: 0,
      code: 'NO_ANSWER',
      cause,
    })
  })
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<ClientError> {
  const { status } = response
  const text = await response.text()
  // Whoever answers there may be no mock, and say anything.
  const { code, message } = Object(parsed(text)) as { readonly code?: unknown; readonly message?: unknown }
  return typeof code === 'string' ? new ClientError(String(message), { status, code }) : noMock(response, text)
}

function noMock({ url, status }: Response, text: string): ClientError {
  const said = `what answers at ${url} is no mock: ${status} ${text.slice(0, 200)}`
  return new ClientError(said, { status, code: 'NO_MOCK' })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
