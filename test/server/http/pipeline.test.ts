import type { Socket } from 'node:net'
import { it as base, describe, expect } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { createApp } from '../../../src/server/http/index.js'
import { openSocket, parseResponses, sendBytes, serveListener } from '../../support/http.js'
import { tanks, tokens } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'

/** A mock behind a server that counts the requests that Node has parsed. */
interface Served {
  readonly mock: Mockmaker
  readonly url: string
  /** The number of requests that Node has parsed. */
  read(): number
}

const it = base.extend<{ served: Served }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  served: async ({}, use) => {
    const mock = createMockmaker({ scenario: tanks })
    const app = createApp(mock)
    let read = 0
    const { url, close } = await serveListener((request, response) => {
      read += 1
      app(request, response)
    })
    await use({ mock, url, read: () => read })
    await close()
    await mock.close()
  },
})

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n`
const watch = ({ world }: Mockmaker) =>
  get(`/cloud/devices/links?device_link_token=${tokens.pending}&watch_index=${world.revision}`)

/** The limits of pending requests, the bytes that Node reads at once, and the shortest request. */
const [inHand, waiting, chunk] = [33, 256, 64 * 1024]

describe('pipelined requests', () => {
  it('have their bodies read to the end', async ({ served }) => {
    const body = JSON.stringify({ game_modes: ['nobody'], more: 'x'.repeat(20_000) })
    const head = `POST /matchmaker/lobbies/find HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n`
    const requests = Array.from(
      { length: 50 },
      (_, i) => `${head}${i === 49 ? 'connection: close\r\n' : ''}\r\n${body}`,
    )

    const written = await sendBytes(served.url, requests.join(''))

    expect([...written.matchAll(/MATCHMAKER_GAME_MODE_NOT_FOUND/g)]).toHaveLength(50)
  })

  it('are neither all parsed nor all read at once', async ({ served }) => {
    const { mock, url, read } = served
    const socket = await openSocket(url)
    const one = watch(mock)

    socket.write(one.repeat(5_000))
    await expect.poll(() => read()).toBeGreaterThan(waiting)

    // Waits one more turn of the event loop, in which more would be read without a limit.
    for (let i = 0; i < 20; i += 1) await answerOnOtherConnection(url)
    expect(mock.world.waiters).toBe(inHand)
    expect(read()).toBeLessThanOrEqual(inHand + waiting + Math.ceil(chunk / one.length))
    socket.destroy()
  })

  it('stop waiting when their client disconnects', async ({ served: { mock, url, read } }) => {
    const socket = await openSocket(url)
    socket.write(watch(mock).repeat(200))
    await expect.poll(() => [mock.world.waiters, read()]).toEqual([inHand, 200])

    socket.destroy()
    await expect.poll(() => mock.world.waiters).toBe(0)

    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('do not start if their client disconnects before their turn', async ({ served: { mock, url, read } }) => {
    const socket = await openSocket(url)
    const list = get('/matchmaker/lobbies/list')
    const answers = answersOn(socket)
    // When the first one is answered, the next response gets the socket, and learns that it closes.
    socket.write(list + watch(mock).repeat(inHand - 1) + list.repeat(100))
    await expect.poll(() => [answers(), mock.world.waiters, read()]).toEqual([1, inHand - 1, inHand + 100])

    socket.destroy()
    await expect.poll(() => mock.world.waiters).toBe(0)

    await answerOnOtherConnection(url)
    expect(mock.journal.find({ operation: 'lobbies.list' })).toHaveLength(2)
  })

  it('continue when the earlier ones are answered', async ({ served: { mock, url } }) => {
    const socket = await openSocket(url)
    const first = watch(mock)
    const answers = answersOn(socket)
    socket.write(first.repeat(500))
    await expect.poll(() => mock.world.waiters).toBe(inHand)

    await mock.completeDeviceLink(tokens.pending, { game: 'tanks' })

    await expect.poll(() => answers()).toBe(500)
    expect(mock.world.waiters).toBe(0)
    socket.destroy()
  })

  it('do not delay requests of other connections', async ({ served: { url } }) => {
    const socket = await openSocket(url)
    const answers = answersOn(socket)
    socket.write(get('/').repeat(3_000))

    await answerOnOtherConnection(url)
    const before = answers()

    expect(before).toBeLessThan(3_000)
    socket.destroy()
  })
})

/** Waits for an answer on another connection. */
async function answerOnOtherConnection(url: string): Promise<void> {
  const written = await sendBytes(url, get('/matchmaker/lobbies/list', 'connection: close\r\n'))
  expect(parseResponses(written)).toMatchObject([{ status: 200 }])
}

/** Counts the answers on a connection. */
function answersOn(socket: Socket): () => number {
  let text = ''
  socket.setEncoding('latin1').on('data', data => {
    text += data
  })
  return () => text.split('HTTP/1.1 200 OK').length - 1
}
