import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import express from 'express'
import { HttpResponse, http } from 'msw'
import { describe, expect, vi } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { mockExpress } from '../../../src/server/http/index.js'
import { listenTanks } from '../../support/entry-points.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { it } from '../../support/fixtures.js'
import { openSocket, sendTo, serveDuringTest, serveListener } from '../../support/http.js'
import { completion, tanks, tokens } from '../../support/tanks.js'
import { deferred, live, watchIndexOf } from '../../support/worlds.js'

const path = '/cloud/devices/links'
const query = ({ world }: Mockmaker) =>
  `device_link_token=${tokens.pending}&watch_index=${watchIndexOf(world, tokens.pending)}`
const watching = (mock: Mockmaker) => `GET ${path}?${query(mock)} HTTP/1.1\r\nhost: localhost\r\n\r\n`

/** An Express app of a user, with handlers of its own before the mock. */
async function userApp(mock: Mockmaker) {
  const theirs = http.get('*/nothing', () => HttpResponse.json(null))
  return serveListener(express().use(mockExpress([theirs, ...mock.handlers])))
}

const until = (mock: Mockmaker, waiters: number) => expect.poll(() => mock.world.waiters, { interval: 5 }).toBe(waiters)

async function blockedSockets(mock: Mockmaker, { url, count }: { url: string; count: number }): Promise<Socket[]> {
  const sockets: Socket[] = []
  // The system drops connections that wait to be accepted if they are too many.
  while (sockets.length < count) {
    const length = Math.min(100, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length }, () => openSocket(url)))))
  }
  for (const socket of sockets) socket.write(watching(mock))
  await until(mock, count)
  return sockets
}

it('a connection that never had a request does not hold up the close', async () => {
  const { url, close } = await listenTanks()
  const socket = await openSocket(url)
  // The server accepts connections in their order.
  await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })
  const ended = once(socket.resume(), 'close')
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  fakeRealTimers()

  await close()

  await ended
})

describe('a client with a blocked watch', () => {
  it('removes its waiter and its deadline when it disconnects: 50 clients leave none', async ({
    server: { mock, url },
  }) => {
    const sockets = await blockedSockets(mock, { url, count: 50 })

    for (const socket of sockets) socket.destroy()
    await until(mock, 0)

    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('is answered at its deadline while other clients disconnect', async ({ server: { mock, url } }) => {
    const patient = sendTo(url, { method: 'GET', path, query: query(mock) })
    await until(mock, 1)
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(url)))
    for (const socket of sockets) socket.write(watching(mock))
    await until(mock, 21)

    for (const socket of sockets) socket.destroy()
    await until(mock, 1)
    await sendTo(url, completion)

    expect((await patient).body).toContain('cloud_token')
    expect([mock.world.waiters, live(mock.world).clock.pending]).toEqual([0, 0])
  })

  it('removes all waiters of its connection when it disconnects', async ({ server: { mock, url } }) => {
    const warned = vi.fn()
    process.on('warning', warned)
    const socket = await openSocket(url)
    socket.write(watching(mock).repeat(20))
    await until(mock, 20)

    socket.destroy()
    await until(mock, 0)

    expect([live(mock.world).clock.pending, warned.mock.calls]).toEqual([0, []])
    process.off('warning', warned)
  })

  it('removes its waiter and ends when it half-closes the connection', async ({ server: { mock, url } }) => {
    const [socket] = await blockedSockets(mock, { url, count: 1 })

    socket?.end()
    await until(mock, 0)

    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('removes its waiter when it disconnects after a long, meaningless body', async ({ server: { mock, url } }) => {
    const socket = await openSocket(url)
    const body = 'x'.repeat(300_000)
    socket.write(watching(mock).replace('\r\n\r\n', `\r\ncontent-length: ${body.length}\r\n\r\n${body}`))
    await until(mock, 1)

    socket.destroy()
    await until(mock, 0)

    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('removes its waiter in an Express app of the user', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { url, close } = await userApp(mock)
    const sockets = await blockedSockets(mock, { url, count: 50 })

    for (const socket of sockets) socket.destroy()
    await until(mock, 0)

    expect(live(mock.world).clock.pending).toBe(0)
    await close()
  })

  it('does not block if it disconnects before its turn', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const [gone, asked] = [deferred(), deferred()]
    const app = express()
    app.use(async (request, _response, next) => {
      request.socket.once('close', gone.resolve)
      asked.resolve()
      await gone.promise
      next()
    })
    app.use(mockExpress(mock.handlers))
    const answered = vi.fn()
    mock.log.subscribe(answered)
    const url = await serveDuringTest(app)
    const client = httpRequest(`${url}${path}?${query(mock)}`).on('error', () => {})
    client.end()
    await asked.promise

    client.destroy()
    await expect.poll(() => answered).toHaveBeenCalled()

    expect([mock.world.waiters, live(mock.world).clock.pending]).toEqual([0, 0])
  })

  it('is answered at once when the server closes, and the connection ends', async () => {
    const { mock, url, close } = await listenTanks()
    const answers = Array.from({ length: 20 }, () => sendTo(url, { method: 'GET', path, query: query(mock) }))
    await until(mock, 20)

    await close()

    expect((await Promise.all(answers)).map(answer => answer.status)).toEqual(Array(20).fill(200))
    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('leaves no listener on a keep-alive connection', async ({ server: { mock, url } }) => {
    const warned = vi.fn()
    process.on('warning', warned)
    const socket = await openSocket(url)
    socket.resume()
    for (let i = 0; i < 30; i++) {
      socket.write(watching(mock))
      await until(mock, 1)
      await live(mock.world).clock.advance(40_000)
    }

    expect([mock.world.waiters, live(mock.world).clock.pending, warned.mock.calls]).toEqual([0, 0, []])
    process.off('warning', warned)
    socket.destroy()
  })
})
