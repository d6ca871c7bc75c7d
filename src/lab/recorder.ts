import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { parseTarget } from '../server/http/node-adapter.js'
import type { RecordedRequest, Recording } from './recording.js'

const linkPath = '/cloud/devices/links'

const mostBytes = 64 * 1024

interface RecorderOptions {
  readonly recording: Recording
  /** Returns the real ms since the start of the client. */
  now(): number
  /** Tells whether the lab breaks the connections of requests that come now. */
  isBreaking(): boolean
  /** Called at each request, once the mock has it, and at each end of one. */
  onChange(request: RecordedRequest): void
}

/** Wraps a listener: records each request that it gets, with its answer. */
export function recordingListener(listener: RequestListener, options: RecorderOptions): RequestListener {
  const { recording, now, isBreaking, onChange } = options
  return (incoming, response) => {
    const { path, query } = parseTarget(incoming.url ?? '/')
    const request: RecordedRequest = {
      at: now(),
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      isPoll: incoming.method === 'GET' && path === linkPath,
      index: new URLSearchParams(query).get('watch_index') ?? undefined,
    }
    recording.requests.push(request)
    const breaks = isBreaking()
    const body = recordBody(response)
    const finish = (end: RecordedRequest['end']) => {
      if (request.end !== undefined) return
      Object.assign(request, { end, endedAt: now() })
      if (end === 'answered') Object.assign(request, { status: response.statusCode, answer: body() })
      onChange(request)
    }
    response.once('finish', () => finish('answered'))
    response.once('close', () => finish(breaks ? 'broken' : 'left'))
    listener(incoming as IncomingMessage, response as ServerResponse<IncomingMessage> & { req: IncomingMessage })
    onChange(request)
  }
}

function recordBody(response: ServerResponse): () => string {
  const chunks: Buffer[] = []
  let length = 0
  const keep = (chunk: unknown, encoding: unknown) => {
    if (length > mostBytes || (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))) return
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8') : Buffer.from(chunk)
    chunks.push(bytes)
    length += bytes.length
  }
  for (const name of ['write', 'end'] as const) {
    const send = response[name] as (...sent: unknown[]) => unknown // TypeScript cannot pass the arguments of an overloaded method on
    const keeping = (...sent: unknown[]) => {
      keep(sent[0], sent[1])
      return send.apply(response, sent)
    }
    Object.assign(response, { [name]: keeping })
  }
  return () => Buffer.concat(chunks).toString()
}
