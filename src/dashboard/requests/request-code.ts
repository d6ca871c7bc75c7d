import type { JournalEntry } from '../../core/contract/journal.js'
import { shellWord } from '../../core/lib/messages.js'
import type { SentRequest } from '../../core/pipeline/history.js'
import { errorOf } from '../world/outcome.js'

// A request as code that sends it again.

/** Headers that belong to one connection, or that the sender computes. */
const transportHeaders =
  /^(host|connection|content-length|accept-encoding|user-agent|sec-.*|origin|referer|dnt|priority|cache-control|pragma)$/

/** Lists the headers that a repeated request needs. */
export function headersToSend({ headers }: SentRequest): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    transportHeaders.test(name.toLowerCase()) ? [] : [value].flat().map((one): [string, string] => [name, one]),
  )
}

/** Returns the URL of a request at the world's URL. */
export function urlOf({ path, query }: SentRequest, worldUrl: string): string {
  return `${worldUrl}${path}${query === '' ? '' : `?${query}`}`
}

/** Writes a request as a line of curl, with its whole token. It sends the same bytes, whatever they mean to curl. */
export function curlOf(sent: SentRequest, worldUrl: string): string {
  const { method, path, body, body_base64 } = sent
  const headers = headersToSend(sent)
  const url = urlOf(sent, worldUrl)
  const hasBody = body !== undefined || body_base64 !== undefined
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const parts = [
    ...(!hasBody && Number(sent.headers['content-length'] ?? 0) > 0 ? [": 'the mock has not kept the body';"] : []),
    ...(body_base64 === undefined ? [] : [`printf %s ${body_base64} | base64 --decode |`]),
    'curl',
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' ? [] : ['-X', method]),
    // Otherwise curl removes dots from the path, and takes brackets for patterns.
    ...(/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...headers.flatMap(([name, value]) => ['-H', shellWord(value === '' ? `${name};` : `${name}: ${value}`)]),
    // Otherwise curl says that the body is a form.
    ...(hasBody && !isTyped ? ['-H', 'content-type:'] : []),
    // `--data-binary` would read the file that a body with @ at its beginning names.
    ...(body === undefined ? [] : ['--data-raw', shellWord(body)]),
    ...(body_base64 === undefined ? [] : ['--data-binary', '@-']),
    shellWord(url),
  ]
  return parts.join(' ')
}

/** Writes a request and its status as a test for vitest. */
export function testOf(sent: SentRequest, { operation, status, answer }: JournalEntry): string {
  const headers = headersToSend(sent)
    .filter(([name]) => /^(authorization|content-type|x-coords)$/i.test(name))
    .map(pair => pair.map(part => JSON.stringify(part)).join(': '))
  const init = [
    ...(sent.method === 'GET' ? [] : [`method: ${JSON.stringify(sent.method)}`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(sent.body === undefined ? [] : [`body: ${JSON.stringify(sent.body)}`]),
    ...(sent.body_base64 === undefined ? [] : [`body: Buffer.from(${JSON.stringify(sent.body_base64)}, "base64")`]),
  ]
  const target = JSON.stringify(urlOf(sent, 'https://matchmaker.example'))
  const call = init.length === 0 ? `fetch(${target})` : `fetch(${target}, {\n    ${init.join(',\n    ')},\n  })`
  const { code } = errorOf(answer)
  return `import { mockmaker } from "mockmaker/vitest"
import { expect } from "vitest"

// The world before this request: "Save the world before this" writes the file.
const test = mockmaker({ scenario: "world.yaml" })

test(${JSON.stringify(`${operation ?? `${sent.method} ${sent.path}`} answers ${status}`)}, async () => {
  const response = await ${call}

  expect(response.status).toBe(${status})${
    code === undefined ? '' : `\n  expect(await response.json()).toMatchObject({ code: ${JSON.stringify(code)} })`
  }
})
`
}
