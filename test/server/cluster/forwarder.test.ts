import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AgentOptions, type IncomingMessage, request as openRequest, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Forwarder } from '../../../src/server/cluster/forward.js'
import { serveDuringTest } from '../../support/http.js'

/** Forwards each request to an owner, which answers with the listener. Returns the URL. */
async function forwardTo(owner: RequestListener): Promise<string> {
  const address = await serveDuringTest(owner)
  const forwarder = new Forwarder()
  onTestFinished(() => forwarder.close())
  const { signal } = new AbortController()
  return await serveDuringTest((request, response) => {
    const target = request.url ?? ''
    const client = { request, response, target, host: request.headers.host, gone: signal, disconnect() {} }
    void forwarder.forward(client, { address, facts: 'secret e30', signal })
  })
}

async function received(url: string, method = 'GET'): Promise<IncomingMessage> {
  const [response] = await once(openRequest(url, { method }).end(), 'response')
  return response
}

describe('a forwarded request', () => {
  it('keeps the headers of both sides as they are, but those of a connection and of replicas', async () => {
    const seen: string[] = []
    const url = await forwardTo((request, response) => {
      seen.push(...request.rawHeaders)
      const kept = ['Content-Type', 'text/plain', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'content-length', '2']
      response.writeHead(200, [...kept, 'Connection', 'close', 'Upgrade', 'h2c'])
      response.end('ok')
    })
    const { hostname, port } = new URL(url)
    const head = ['GET /a?b HTTP/1.1', 'hOsT: game.example', 'X-Two: 1', 'X-Two: 2', 'TE: trailers']
    const socket = connect(Number(port), hostname)
    socket.write(
      [...head, 'Connection: close', 'Mockmaker-Forwarded: forged', 'MOCKMAKER-FORWARDED: forged', '', ''].join('\r\n'),
    )

    const [, ...lines] = (await text(socket)).split('\r\n')

    expect(seen).toEqual([
      ...['X-Two', '1', 'X-Two', '2', 'mockmaker-forwarded', 'secret e30', 'host', 'game.example'],
      ...['Connection', 'keep-alive'],
    ])
    expect(lines.filter(line => !line.startsWith('Date: '))).toEqual([
      ...['Content-Type: text/plain', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'content-length: 2'],
      ...['Connection: close', '', 'ok'],
    ])
  })

  it('goes over a connection that is closed here before the owner closes it', async () => {
    const agents: { readonly options: AgentOptions }[] = []
    // Every message of this channel has a request with its agent.
    const note = (message: unknown) =>
      void agents.push((message as { request: { agent: (typeof agents)[0] } }).request.agent)
    subscribe('http.client.request.start', note)
    onTestFinished(() => void unsubscribe('http.client.request.start', note))
    const url = await forwardTo((_, response) => response.end('ok'))

    await text(await received(url))

    expect(agents[1]?.options.timeout).toSatisfy((ms = 0) => ms > 0 && ms < 75_000)
  })

  it('breaks off in the middle of its answer if the owner does', async () => {
    const url = await forwardTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"half":', () => response.destroy())
    })

    await expect(received(url).then(text)).rejects.toThrow('aborted')
  })

  it('ends a stream of events if the owner breaks off, so that the client reconnects', async () => {
    const url = await forwardTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n', () => response.destroy())
    })

    expect(await text(await received(url))).toBe('data: 1\n\n')
  })

  it('tells a wait that has begun that it failed, if the owner breaks off', async () => {
    const url = await forwardTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: begin\ndata: {}\n\n', () => response.destroy())
    })

    const events = await text(await received(url, 'POST'))

    const message = /the replica http:\S+ ran the world, and the connection to it broke\. Wait again/
    expect(events).toMatch(/^event: begin\ndata: \{\}\n\nevent: failed\ndata: \{"code":"WORLD_ENDED",.*\}\n\n$/)
    expect(events).toMatch(message)
  })

  it('breaks off a wait if the owner does in the middle of an event', async () => {
    const url = await forwardTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: done\ndata: {"half', () => response.destroy())
    })

    await expect(received(url, 'POST').then(text)).rejects.toThrow('aborted')
  })
})
