import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fc } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import type { SentRequest } from '../../src/core/pipeline/history.js'
import { curlOf, testOf } from '../../src/dashboard/requests/request-code.js'
import { sendTo, serveDuringTest } from '../support/http.js'
import { it } from '../support/served-mock.js'
import { createVitestProject } from '../support/vitest-project.js'

const find = '/matchmaker/lobbies/find'

/** Runs a line in a POSIX shell. */
const runInShell = (line: string) =>
  new Promise<void>((resolve, reject) => execFile('sh', ['-c', line], error => (error ? reject(error) : resolve())))

/** Asks for a past request as the dashboard does, with whole tokens. */
async function sentRequest(url: string, id: number): Promise<SentRequest> {
  const response = await fetch(`${url}/__mock/journal/${id}/request`, { headers: { 'sec-fetch-site': 'same-origin' } })
  return (await response.json()) as SentRequest
}

/** A request as it arrives. */
interface Arrived {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly type: string | undefined
  readonly coords: string | undefined
  readonly body: string
}

/** Sends a request with its path as it is. A URL would resolve the dots. */
async function sendRaw(
  url: string,
  {
    body,
    ...options
  }: { readonly method: string; readonly path: string; readonly headers: object; readonly body: Buffer },
): Promise<void> {
  const length = body.length === 0 ? {} : { 'content-length': body.length }
  const outgoing = request(url, { ...options, headers: { ...options.headers, ...length } }).end(body)
  const [response] = await once(outgoing, 'response')
  await buffer(response)
}

/** Serves what arrives last, with its body in hexadecimal digits. */
async function serveEcho() {
  const arrived: Arrived[] = []
  const url = await serveDuringTest(async (request, response) => {
    const body = (await buffer(request)).toString('hex')
    const { 'content-type': type, 'x-coords': coords } = request.headers
    arrived.push({ method: request.method, url: request.url, type, coords: coords as string | undefined, body })
    response.end()
  })
  return { url, newest: () => arrived.at(-1) }
}

describe('the line of curl of a request', () => {
  it('sends the same again, whatever its method, path, query, headers and body have', async ({ serve }) => {
    const { mock, url } = await serve()
    const echo = await serveEcho()
    const segment = fc.constantFrom('a', '..', '.', '%2e%2E', '[1-3]', '{a,b}', "it's", '@', '$HOME', '%20', '')
    const body = fc.oneof(
      fc.json().map(text => Buffer.from(text)),
      fc.string({ unit: 'binary', maxLength: 20 }).map(text => Buffer.from(`@${text}`)),
      fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
    )
    const anyRequest = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'),
      path: fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => `/${parts.join('/')}`),
      query: fc.string({ unit: 'binary', maxLength: 20 }).map(q => new URLSearchParams({ q, list: '[]{}' }).toString()),
      coords: fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/),
      type: fc.constantFrom(undefined, 'application/json', 'text/plain;charset=utf-8'),
      body,
    })

    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ method, path, query, coords, type, body }) => {
        const hasBody = method !== 'GET' && method !== 'HEAD'
        const headers = { 'x-coords': coords, ...(type === undefined ? {} : { 'content-type': type }) }
        await sendRaw(url, { method, path: `/x${path}?${query}`, headers, body: hasBody ? body : Buffer.of() })
        const { id = 0 } = mock.journal.find().at(-1) ?? {}

        await runInShell(`${curlOf(await sentRequest(url, id), echo.url)} -s -o /dev/null`)

        expect(echo.newest()).toEqual({
          method,
          url: `/x${path}?${query}`,
          type,
          coords,
          body: hasBody ? body.toString('hex') : '',
        })
      }),
      // Each run starts a shell and curl.
      { numRuns: Math.ceil(inject('runs') / 3) },
    )
  })

  it('says that the mock has not kept a long body', async ({ serve }) => {
    const { mock, url } = await serve()
    await sendTo(url, { method: 'POST', path: find, headers: {}, body: ' '.repeat(300_000) })
    const { id = 0 } = mock.journal.find().at(-1) ?? {}

    const line = curlOf(await sentRequest(url, id), url)

    expect(line).toMatch(/^: 'the mock has not kept the body'; curl -X POST /)
  })
})

describe('the test of a request', () => {
  it('passes with the world before it', async ({ serve }) => {
    const { mock, url } = await serve()
    const token = mock.tokens.find(({ kind }) => kind === 'public')?.token
    const headers = { authorization: `Bearer ${token}` }
    await fetch(url + find, { method: 'POST', headers, body: '{"game_modes":["it\'s \\"none\\" \u2028"]}' })
    await fetch(url + find, { method: 'POST', headers, body: '{"game_modes":["duel"]}' })
    const sources = await Promise.all(
      mock.journal.find().map(async entry => testOf(await sentRequest(url, entry.id), entry)),
    )
    const [first] = mock.journal.find()
    const world = JSON.stringify(mock.snapshot({ before: first?.id ?? 0, with: ['faults'] }))
    const project = await createVitestProject({
      'world.yaml': world,
      ...Object.fromEntries(sources.map((source, i) => [`test/${i}.test.js`, source])),
    })

    const { states, output } = await project.run(['--no-isolate', '--maxWorkers=1'])
    project.remove()

    expect(states, output).toEqual({
      'lobbies.find answers 400': 'passed',
      'lobbies.find answers 200': 'passed',
    })
  })
})
