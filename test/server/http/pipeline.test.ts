import type { Socket } from 'node:net'
import { it as base, describe, expect } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { createApp } from '../../../src/server/http/index.js'
import { openSocket, sendBytes, serveListener } from '../../support/http.js'
import { tanks, tokens } from '../../support/tanks.js'
import { live } from '../../support/worlds.js'

const it = base.extend<{ served: { readonly mock: Mockmaker; readonly url: string } }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  served: async ({}, use) => {
    const mock = createMockmaker({ scenario: tanks })
    const { url, close } = await serveListener(createApp(mock))
    await use({ mock, url })
    await close()
    await mock.close()
  },
})

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n`
const watch = ({ world }: Mockmaker) =>
  get(`/cloud/devices/links?device_link_token=${tokens.pending}&watch_index=${world.revision}`)

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

  it('stop waiting when their client disconnects', async ({ served: { mock, url } }) => {
    const socket = await openSocket(url)
    socket.write(watch(mock).repeat(200))
    await expect.poll(() => mock.world.waiters).toBe(200)

    socket.destroy()
    await expect.poll(() => mock.world.waiters).toBe(0)

    expect(live(mock.world).clock.pending).toBe(0)
  })

  it('continue when the earlier ones are answered', async ({ served: { mock, url } }) => {
    const socket = await openSocket(url)
    const first = watch(mock)
    const answers = answersOn(socket)
    socket.write(first.repeat(500))
    await expect.poll(() => mock.world.waiters).toBe(500)

    await mock.completeDeviceLink(tokens.pending, { game: 'tanks' })

    await expect.poll(() => answers()).toBe(500)
    expect(mock.world.waiters).toBe(0)
    socket.destroy()
  })
})

/** Counts the answers on a connection. */
function answersOn(socket: Socket): () => number {
  let text = ''
  socket.setEncoding('latin1').on('data', data => {
    text += data
  })
  return () => text.split('HTTP/1.1 200 OK').length - 1
}
