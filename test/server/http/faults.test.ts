import { Agent, createServer, request } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { describe, expect } from 'vitest'
import { createMockmaker, type Fault, type Mockmaker } from '../../../src/index.js'
import { mockExpress } from '../../../src/server/http/index.js'
import { listenTanks } from '../../support/entry-points.js'
import { link, list, nowhere, prepare, validate } from '../../support/faults.js'
import { it } from '../../support/fixtures.js'
import { openSocket, parseResponses, sendTo, serveDuringTest, type TestRequest } from '../../support/http.js'
import { contents } from '../../support/small-world.js'
import { bearer, completion, startAt, tanks, tokens } from '../../support/tanks.js'
import { isBusy, live } from '../../support/worlds.js'

/** The end of a connection, and the bytes received on it. */
interface End {
  readonly bytes: string
  /** The code of the error that ended it. Absent if the server closed it. */
  readonly error: string | undefined
}

function endOf(socket: Socket): Promise<End> {
  let bytes = ''
  let error: string | undefined
  return new Promise(resolve => {
    socket
      .setEncoding('latin1')
      .on('data', (chunk: string) => {
        bytes += chunk
      })
      .on('error', (problem: NodeJS.ErrnoException) => {
        error = problem.code
      })
      .on('close', () => resolve({ bytes, error }))
  })
}

/** Writes bytes to a server, and returns how the connection ended. */
async function endAfter(url: string, bytes: string): Promise<End> {
  const socket = await openSocket(url)
  const end = endOf(socket)
  socket.write(bytes)
  return end
}

const head = ({ method, path, query }: { method: string; path: string; query?: string }, ...headers: string[]) =>
  [`${method} ${path}${query === undefined ? '' : `?${query}`} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join(
    '\r\n',
  )
const post = (body: string) =>
  head(validate, `authorization: Bearer ${tokens.cloud}`, `content-length: ${body.length}`) + body

const reset: Fault = { effect: { reset: true } }
const empty: Fault = { effect: { empty: true } }
const gone = { reset: { bytes: '', error: 'ECONNRESET' }, empty: { bytes: '', error: undefined } }
const holding = (mock: Mockmaker, count: number) =>
  expect.poll(() => mock.faults.list().reduce((sum, one) => sum + one.holding, 0), { interval: 2 }).toBe(count)

describe.each([
  ['reset', reset],
  ['empty', empty],
] as const)('the fault %s on a socket', (how, fault) => {
  it.for([
    ['a read', head(list)],
    ['a HEAD', head({ ...list, method: 'HEAD' })],
    ['a read with a body', `${head(list, 'content-length: 300000')}${'x'.repeat(300_000)}`],
    ['a write', head(prepare, 'content-length: 0')],
    ['a call with a body', post(validate.body)],
    ['an unknown path', head(nowhere)],
    ['a request with connection: close', head(list, 'connection: close')],
    ['a request of HTTP/1.0', head(list).replace('HTTP/1.1', 'HTTP/1.0')],
  ] as const)('closes the connection without a byte, for %s', async ([, bytes], { server }) => {
    server.mock.faults.add(fault)
    const before = contents(live(server.mock.world))

    expect(await endAfter(server.url, bytes)).toEqual(gone[how])
    expect(contents(live(server.mock.world))).toBe(before)
  })

  it('sends the earlier answers of the connection, and no later ones', async ({ server }) => {
    server.mock.faults.add({ ...fault, after: 2, times: 1 })

    const { bytes } = await endAfter(server.url, head(list) + head(nowhere) + head(list) + head(list))

    expect(parseResponses(bytes).map(({ status }) => status)).toEqual([200, 404])
  })

  it('closes a connection that has had answers, and answers nothing after that', async ({ server }) => {
    server.mock.faults.add({ ...fault, after: 1, times: 1 })
    const socket = await openSocket(server.url)
    const end = endOf(socket)
    socket.write(head({ ...nowhere, method: 'HEAD' }))
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)

    socket.write(head(list) + head(list))

    const { bytes, error } = await end
    expect([parseResponses(bytes).map(({ status }) => status), error]).toEqual([[404], gone[how].error])
  })

  it('waits for an earlier answer on the connection that is held', async ({ server }) => {
    const { mock, url } = server
    mock.faults.add({ operation: 'lobbies.list', effect: { hold: true } })
    mock.faults.add(fault)
    const socket = await openSocket(url)
    const end = endOf(socket)
    socket.write(head(list) + head(link))
    await expect.poll(() => mock.faults.list()[1]?.struck).toBe(1)

    mock.faults.release('1')

    expect(parseResponses((await end).bytes).map(({ status }) => status)).toEqual([200])
  })

  it('closes a keep-alive connection after answers', async ({ server }) => {
    server.mock.faults.add({ ...fault, after: 1 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = () =>
      new Promise((resolve, reject) => {
        request(`${server.url}${list.path}`, { agent }, answer =>
          answer.resume().on('end', () => resolve(answer.statusCode)),
        )
          .on('error', reject)
          .end()
      })

    const first = await send()

    await expect(send()).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(first).toBe(200)
    agent.destroy()
  })

  it('is a network error of fetch', async ({ server }) => {
    server.mock.faults.add(fault)

    await expect(fetch(server.url + list.path)).rejects.toThrow(TypeError)
  })

  it('works in an Express app of the user', async () => {
    const mock = createMockmaker({ scenario: tanks })
    mock.faults.add(fault)
    const url = await serveDuringTest(express().use(mockExpress(mock.handlers)))

    expect(await endAfter(url, head(list))).toEqual(gone[how])
  })

  it('works on a socket without TCP, which has no reset', async () => {
    const mock = createMockmaker({ scenario: tanks })
    mock.faults.add(fault)
    const socketPath = join(tmpdir(), `mockmaker-${process.pid}-${how}.sock`)
    const server = createServer(express().use(mockExpress(mock.handlers)))
    await new Promise<void>(resolve => server.listen(socketPath, resolve))

    const sent = new Promise((resolve, reject) => {
      request({ socketPath, path: list.path }, resolve).on('error', reject).end()
    })

    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' })
    await new Promise(resolve => server.close(resolve))
  })
})

describe('the fault truncate on a socket', () => {
  it.for([
    ['a read', head(list)],
    ['a refused call', head({ ...validate, method: 'POST' }, 'content-length: 0')],
    ['a request of HTTP/1.0', head(list).replace('HTTP/1.1', 'HTTP/1.0')],
  ] as const)('sends the head, half of the body, and closes, for %s', async ([, bytes], { server }) => {
    const whole = await endAfter(server.url, bytes.replace('host:', 'connection: close\r\nhost:'))
    const [, body = ''] = whole.bytes.split('\r\n\r\n')
    server.mock.faults.add({ effect: { truncate: true } })

    const cut = await endAfter(server.url, bytes)

    const [top, half] = cut.bytes.split('\r\n\r\n')
    expect(half).toBe(body.slice(0, Math.ceil(body.length / 2)))
    expect(top).toContain(`content-length: ${body.length}`)
    expect(cut.error).toBeUndefined()
  })

  it.for([
    ['a HEAD', head({ ...list, method: 'HEAD' }, 'connection: close')],
    ['an empty body', head({ ...list, method: 'OPTIONS' }, 'connection: close')],
  ] as const)('leaves an answer without a body whole: %s', async ([, bytes], { server }) => {
    server.mock.faults.add({ effect: { truncate: true } })

    expect(parseResponses((await endAfter(server.url, bytes)).bytes)).toHaveLength(1)
  })

  it('sends the earlier answers of the connection', async ({ server }) => {
    server.mock.faults.add({ effect: { truncate: true }, after: 1 })

    const { bytes } = await endAfter(server.url, head(nowhere) + head(list) + head(list))

    expect(bytes.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200'])
  })
})

describe('the fault empty on a socket', () => {
  it('does not keep the server from closing if the client does not end', async () => {
    const { mock, url, close } = await listenTanks()
    mock.faults.add(empty)
    const socket = await openSocket(url)
    socket.allowHalfOpen = true
    const ended = new Promise(resolve => socket.resume().once('end', resolve))
    socket.write(head(list))
    await ended

    await expect(close()).resolves.toBeUndefined()

    socket.destroy()
  })
})

describe('a fault with an error on a socket', () => {
  it('does not apply to a preflight', async ({ server }) => {
    server.mock.faults.add(reset)

    expect((await sendTo(server.url, { ...list, method: 'OPTIONS' })).status).toBe(204)
  })
})

describe('a held or delayed request on a socket', () => {
  it('is dropped when its client disconnects: 60 requests leave none', async ({ server }) => {
    const { mock, url } = server
    mock.faults.add({ operation: 'lobbies.*', effect: { hold: true } })
    mock.faults.add({ effect: { delay: '1h' } })
    const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(url)))
    for (const socket of sockets) socket.write(head(list) + head(link))
    await holding(mock, 60)

    for (const socket of sockets) socket.destroy()
    await holding(mock, 0)

    expect([isBusy(mock), live(mock.world).clock.pending]).toEqual([false, 0])
  })

  it('is answered when the server closes', async () => {
    const { mock, url, close } = await listenTanks()
    mock.faults.add({ operation: 'lobbies.*', effect: { hold: true } })
    mock.faults.add({ effect: { delay: '1h' } })
    const answers = [sendTo(url, list), sendTo(url, completion)]
    await holding(mock, 2)

    await close()

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    expect(live(mock.world).clock.pending).toBe(0)
  })
})

it('a fault does not apply to the pages of the server', async ({ server }) => {
  server.mock.faults.add(reset)

  expect((await sendTo(server.url, { method: 'GET', path: '/', headers: bearer('x') })).status).toBe(200)
})

describe('the header date on a socket', () => {
  it('shows the time of the world for operations, and real time for all else', async ({ server }) => {
    const dateOf = async (sent: TestRequest) => Date.parse((await sendTo(server.url, sent)).headers.date ?? '')
    const before = Date.now() - 1000

    const ofWorld = [await dateOf(list), await dateOf(nowhere), await dateOf({ ...list, method: 'HEAD' })]
    const others = [
      await dateOf({ method: 'GET', path: '/__mock/clock' }),
      await dateOf({ method: 'GET', path: '/', headers: { accept: 'text/html' } }),
      await dateOf({ method: 'GET', path: '/healthz' }),
    ]

    expect(ofWorld).toEqual([startAt, startAt, startAt])
    expect(Math.min(...others)).toBeGreaterThan(before)
  })
})
