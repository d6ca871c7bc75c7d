import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveJson } from '../support/command.js'
import { sendTo, type TestResponse } from '../support/http.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }
const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }

/** Blocks watches, on connections that their clients would keep. */
async function block(url: string, count: number): Promise<Promise<TestResponse>[]> {
  const { watch } = JSON.parse((await sendTo(url, link)).body)
  const watches = Array.from({ length: count }, () =>
    sendAlone(`${url}${link.path}?${link.query}&watch_index=${watch.index}`),
  )
  await Promise.all(watches.map(({ sent }) => sent))
  // Connections are accepted and read in the order of their coming: an answer on a later one shows that all are blocked.
  await sendAlone(`${url}${list.path}`).answer
  return watches.map(({ answer }) => answer)
}

/** A request on a connection of its own. `sent` when the system has taken all of it. */
function sendAlone(url: string): { readonly sent: Promise<void>; readonly answer: Promise<TestResponse> } {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const outgoing = request(url, { agent })
  const response = new Promise<IncomingMessage>((resolve, reject) =>
    outgoing.on('response', resolve).on('error', reject),
  )
  const sent = new Promise<void>(resolve =>
    outgoing.on('socket', socket => socket.on('connect', () => socket.write('', () => resolve()))),
  )
  outgoing.end()
  return { sent, answer: response.then(read) }
}

async function read(incoming: IncomingMessage): Promise<TestResponse> {
  const body = (await buffer(incoming)).toString()
  // No header of an answer comes twice.
  return { status: incoming.statusCode ?? 0, headers: incoming.headers as Record<string, string>, body }
}

/** A call whose body never ends. */
function hang(url: string): void {
  const outgoing = request(`${url}/cloud/devices/links`, { method: 'POST', headers: { 'content-length': 10 } })
  outgoing.on('error', () => {})
  outgoing.write('{')
  onTestFinished(() => void outgoing.destroy())
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', signal => {
  it('answers 100 blocked watches, and ends it with 0', async () => {
    const command = await serveJson()
    const watches = await block(command.url, 100)

    const before = performance.now()
    command.signal(signal)

    const answers = await Promise.all(watches)
    const { code, stderr } = await command.exited
    expect(new Set(answers.map(({ status, body }) => `${status} ${Object.keys(JSON.parse(body))}`))).toEqual(
      new Set(['200 watch']),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // The watch timeout is 40 s, and a connection is kept for 5 s: it has waited for neither.
    expect(performance.now() - before).toBeLessThan(4_000)
  })

  it('tells the clients of these watches that their connections end', async () => {
    const command = await serveJson()
    const [watch] = await block(command.url, 1)

    command.signal(signal)

    expect((await watch)?.headers.connection).toBe('close')
  })

  it('does not wait for a call whose body never ends', async () => {
    const command = await serveJson()
    hang(command.url)
    await sendTo(command.url, list)

    command.signal(signal)

    expect((await command.exited).code).toBe(0)
  })

  it('ends it where nothing is pending', async () => {
    const command = await serveJson()

    command.signal(signal)

    expect(await command.exited).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('a second SIGINT', () => {
  it('ends it at once with 130, whatever is pending', async () => {
    // The second one follows the first from inside, and so cannot come too late.
    const twice = `process.once('SIGINT', () => setImmediate(() => process.kill(process.pid, 'SIGINT')))`
    const command = await serveJson([], { preload: twice })
    hang(command.url)
    await sendTo(command.url, list)

    command.signal('SIGINT')

    expect((await command.exited).code).toBe(130)
  })
})

describe('a reader that goes away', () => {
  it('does not end it', async () => {
    const command = await serveJson()

    command.stopReading()

    const statuses = [await sendTo(command.url, list), await sendTo(command.url, list)].map(({ status }) => status)
    expect(statuses).toEqual([200, 200])
    expect(command.errors()).toBe('')
  })
})

describe('a bug', () => {
  /** A preload that throws where a query has `bug`, and at SIGUSR2. */
  const buggy = `
    const { getAll } = URLSearchParams.prototype
    URLSearchParams.prototype.getAll = function (name) {
      if (this.has('bug')) throw new TypeError('a bug in a read')
      return getAll.call(this, name)
    }
    process.on('SIGUSR2', () => { throw new TypeError('a bug in a listener') })`

  it('is answered with 500 and its ray id, is told with its stack, and the process goes on', async () => {
    const command = await serveJson([], { preload: buggy })

    const got = await sendTo(command.url, { ...list, query: 'bug' })

    const rayId = got.headers['rvt-ray-id'] ?? 'none'
    expect(got.status).toBe(500)
    expect(JSON.parse(got.body)).toEqual({ code: 'ERROR', message: expect.stringContaining(rayId) })
    await expect.poll(() => command.errors()).toMatch(/TypeError: a bug in a read\n +at /)
    expect(command.errors()).toContain(rayId)
    expect((await sendTo(command.url, list)).status).toBe(200)
  })

  it('that no call has caused is told with its stack, and the process goes on', async () => {
    const command = await serveJson([], { preload: buggy })

    command.signal('SIGUSR2')

    await expect.poll(() => command.errors()).toMatch(/unexpected error\nTypeError: a bug in a listener\n +at /)
    expect((await sendTo(command.url, list)).status).toBe(200)
  })
})
