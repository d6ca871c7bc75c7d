import { buffer } from 'node:stream/consumers'
import { fc } from '@fast-check/vitest'
import { describe, expect, inject, onTestFinished } from 'vitest'
import type { MockRequest } from '../../../src/core/pipeline/message.js'
import { createForwarder, type Forwarder } from '../../../src/testing/playwright/forward.js'
import { serveListener } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, tokens } from '../../support/tanks.js'

const list: MockRequest = { method: 'GET', path: '/matchmaker/lobbies/list', headers: {} }

function forwardTo(url: string): Forwarder {
  const forwarder = createForwarder(url)
  onTestFinished(() => forwarder.close())
  return forwarder
}

const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a forwarder', () => {
  it('answers as the server does', async ({ serve }) => {
    const { url, mock } = await serve()
    const { handle } = forwardTo(url)

    const got = await handle({ ...list, query: 'include_state=true', headers: { origin: 'http://localhost' } })

    const expected = await mock.answer({ ...list, query: 'include_state=true', headers: {} })
    expect(got.status).toBe(200)
    expect(textOf(got.body)).toBe(textOf(expected.body))
    expect(got.headers).toMatchObject({ 'access-control-allow-origin': 'http://localhost' })
    expect(got.headers).not.toHaveProperty('connection')
  })

  it.for(['POST', 'PUT', 'DELETE'])('sends the bytes of a body with %s', async method => {
    const { url, close } = await serveListener(async (request, response) => void response.end(await buffer(request)))
    onTestFinished(() => void close())

    const { body } = await forwardTo(url).handle({ ...list, method, body: Uint8Array.of(0xff, 0, 0xfe) })

    expect(body).toEqual(Uint8Array.of(0xff, 0, 0xfe))
  })

  it.for([
    ['reset', { reset: true }],
    ['empty', { empty: true }],
  ] as const)('tells a %s connection', async ([disconnect, effect], { serve }) => {
    const { url, mock } = await serve()
    mock.faults.add({ effect })

    expect(await forwardTo(url).handle(list)).toMatchObject({ status: 0, disconnect })
  })

  it('frees a request that its signal aborts', async ({ serve }) => {
    const { url, mock } = await serve()
    const held = mock.hold('lobbies.list')
    const controller = new AbortController()
    const blocked = mock.blocked()
    const answer = forwardTo(url).handle({ ...list, signal: () => controller.signal })
    await blocked

    controller.abort()

    expect(await answer).toMatchObject({ status: 0 })
    expect(mock.faults.list()).toMatchObject([{ id: held.id, holding: 0 }])
  })

  it('has nothing on its way when its requests have ended', async ({ serve }) => {
    const { url, mock } = await serve()
    const { handle } = forwardTo(`${url}/w/late`)
    // The number of turns of the event loop until the page aborts each request.
    const turns = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 8 })

    await fc.assert(
      fc.asyncProperty(turns, async turns => {
        const answers = turns.map(async count => {
          const controller = new AbortController()
          const answer = handle({ ...list, headers: bearer(tokens.public), signal: () => controller.signal })
          for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
          controller.abort()
          await answer
        })
        await Promise.all(answers)
        await mock.worlds.delete('late')

        // Another connection, so that the server has read everything of before.
        for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
        expect(mock.worlds.list()).toHaveLength(1)
      }),
      { numRuns: 3 * inject('runs') },
    )
  })
})
