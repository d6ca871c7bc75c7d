import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { folder, lineLike, linesAfter, serveJson, serveOnTerminal } from '../support/command.js'
import { post, sendTo, type TestResponse } from '../support/http.js'
import { bearer } from '../support/tanks.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }
const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }

/** Blocks watches, each on a keep-alive connection. */
async function block(url: string, count: number): Promise<Promise<TestResponse>[]> {
  const { watch } = JSON.parse((await sendTo(url, link)).body)
  const watches = Array.from({ length: count }, () =>
    sendAlone(`${url}${link.path}?${link.query}&watch_index=${watch.index}`),
  )
  await Promise.all(watches.map(({ sent }) => sent))
  // The server accepts and reads connections in order: a response on a later one shows that all watches are blocked.
  await sendAlone(`${url}${list.path}`).answer
  return watches.map(({ answer }) => answer)
}

/** Sends a request on its own connection. `sent` resolves when the system has taken all of it. */
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
  // No header of a response comes twice.
  return { status: incoming.statusCode ?? 0, headers: incoming.headers as Record<string, string>, body }
}

/** A preload that keeps connections without requests open for an hour, also at the end. Node keeps them for 5 s. */
const longKeepAlive = `
  import http from 'node:http'
  import { syncBuiltinESMExports } from 'node:module'
  const { createServer } = http
  const patience = { keepAliveTimeout: 3_600_000, closeAllConnections() {} }
  http.createServer = (...args) => Object.assign(createServer(...args), patience)
  syncBuiltinESMExports()`

/** Starts a request whose body never ends. */
function hang(url: string): void {
  const outgoing = request(`${url}/cloud/devices/links`, { method: 'POST', headers: { 'content-length': 10 } })
  outgoing.on('error', () => {})
  outgoing.write('{')
  onTestFinished(() => void outgoing.destroy())
}

/** Runs before the command: holds back each sync of a file, until SIGUSR2 ends one. Tells standard error. */
const heldSyncs = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const held = []
  fs.fdatasync = (fd, done) => {
    held.push(done)
    fs.writeSync(2, 'sync begins\\n')
  }
  process.on('SIGUSR2', () => {
    fs.writeSync(2, 'sync ends\\n')
    held.shift()?.(null)
  })
  syncBuiltinESMExports()
`

describe('--data-sync always', () => {
  it('lets nothing out before its change is on the disk: no answer, no event, no log line', async () => {
    const data = join(await folder(), 'worlds')
    const command = await serveJson(['--data', data, '--data-sync', 'always'], { preload: heldSyncs })
    const told = (what: string) => expect.poll(() => command.errors()).toMatch(new RegExp(`${what}\\n$`))
    // The log of the world says that this process has opened it.
    const opened = createClient(command.url).changes()
    await told('sync begins')
    command.signal('SIGUSR2')
    const events = await opened
    const seen: string[] = []
    const note = (what: string) => () => void seen.push(what)

    const answer = sendTo(command.url, find).then(note('answer'))
    const event = events.next().then(note('event'))
    const logged = lineLike(command, { like: /lobbies\/find/ }).then(note('log line'))
    await told('sync begins')
    // It looks at no world, so it waits for none.
    const ready = await sendTo(command.url, { method: 'GET', path: '/healthz' })
    const before = [...seen, ...command.lines().filter(line => line.includes('lobbies/find'))]
    command.signal('SIGUSR2')
    await Promise.all([answer, event, logged])
    await events.return(undefined)

    expect([ready.status, before]).toEqual([200, []])
    expect(command.errors()).toBe('sync begins\nsync ends\n'.repeat(2))
  })
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', signal => {
  it('answers 100 blocked watches, tells their clients to close, and ends the command with 0', async () => {
    const command = await serveJson(['--watch-timeout', '1h'], { preload: longKeepAlive })
    const watches = await block(command.url, 100)

    command.signal(signal)

    const answers = await Promise.all(watches)
    const { code, stderr } = await command.exited
    expect(
      new Set(
        answers.map(({ status, headers, body }) =>
          [status, headers.connection, Object.keys(JSON.parse(body))].join(' '),
        ),
      ),
    ).toEqual(new Set(['200 close watch']))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // It waited neither for the watch timeout nor for the keep-alive timeout: each is an hour.
  })
})

describe('a request whose body never ends', () => {
  it('does not keep the command from ending', async () => {
    const command = await serveJson()
    hang(command.url)
    await sendTo(command.url, list)

    command.signal('SIGTERM')

    expect((await command.exited).code).toBe(0)
  })
})

describe('a second SIGINT', () => {
  it('ends the command at once with 130, whatever is pending', async () => {
    // The process sends the second one to itself, so that it cannot come too late.
    const twice = `process.once('SIGINT', () => setImmediate(() => process.kill(process.pid, 'SIGINT')))`
    const command = await serveJson([], { preload: twice })
    hang(command.url)
    await sendTo(command.url, list)

    command.signal('SIGINT')

    expect((await command.exited).code).toBe(130)
  })
})

describe('a reader that leaves', () => {
  it('does not end the command', async () => {
    const command = await serveJson()

    command.stopReading()

    const statuses = [await sendTo(command.url, list), await sendTo(command.url, list)].map(({ status }) => status)
    expect(statuses).toEqual([200, 200])
    expect(command.errors()).toBe('')
  })
})

describe('a bug', () => {
  /** A preload that throws if a query has `bug`, and on SIGUSR2. */
  const buggy = `
    const { getAll } = URLSearchParams.prototype
    URLSearchParams.prototype.getAll = function (name) {
      if (this.has('bug')) throw new TypeError('a bug in a read')
      return getAll.call(this, name)
    }
    process.on('SIGUSR2', () => { throw new TypeError('a bug in a listener') })`

  it('is answered with 500 and its ray id, is reported with its stack, and does not end the process', async () => {
    const command = await serveJson([], { preload: buggy })

    const got = await sendTo(command.url, { ...list, query: 'bug' })

    const rayId = got.headers['rvt-ray-id'] ?? 'none'
    expect(got.status).toBe(500)
    expect(JSON.parse(got.body)).toEqual({ code: 'ERROR', message: expect.stringContaining(rayId) })
    await expect.poll(() => command.errors()).toMatch(/TypeError: a bug in a read\n +at /)
    expect(command.errors()).toContain(rayId)
    expect((await sendTo(command.url, list)).status).toBe(200)
  })

  it('outside of a request is reported with its stack, and does not end the process', async () => {
    const command = await serveJson([], { preload: buggy })

    command.signal('SIGUSR2')

    await expect.poll(() => command.errors()).toMatch(/unexpected error\nTypeError: a bug in a listener\n +at /)
    expect((await sendTo(command.url, list)).status).toBe(200)
  })
})

describe('mockmaker --json', () => {
  it('prints the URL, the scenario and the tokens first', async () => {
    const { lines, url } = await serveJson()

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(lines()[0]).toBe(
      JSON.stringify({
        event: 'listening',
        url,
        scenario: 'A quiet evening',
        tokens: [
          { kind: 'development', namespace: 'tanks/prod', token: 'dev_prod.mock.one' },
          { kind: 'public', namespace: 'tanks/prod', token: 'pub_prod.mock.one' },
          { kind: 'cloud', game: 'tanks', token: 'cloud.mock.tanks' },
        ],
      }),
    )
  })

  it('has the folder of the worlds in the first object', async () => {
    const { lines } = await serveJson(['--data', 'worlds'], { cwd: await folder() })

    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({
      event: 'listening',
      data: { place: 'worlds', worlds: 1, bytes: expect.any(Number) },
    })
  })

  it('then prints an object for each request, with its code, its refused origin and its world, and no token', async () => {
    const command = await serveJson()
    const { headers } = await sendTo(command.url, { ...list, headers: bearer('pub_prod.mock.one') })
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })
    await sendTo(command.url, { ...list, headers: { origin: 'https://evil.example' } })
    await sendTo(command.url, { method: 'GET', path: `/w/test-42${list.path}` })

    const lines = await linesAfter(command, { from: 1, count: 5 })

    const [{ ms, ...exchange }, unknown, warning, foreign, inWorld] = lines.map(line => JSON.parse(line))
    expect(ms).toBeGreaterThanOrEqual(0)
    expect(exchange).toEqual({
      event: 'exchange',
      method: 'GET',
      path: list.path,
      operation: 'lobbies.list',
      caller: 'public',
      status: 200,
      rayId: headers['rvt-ray-id'],
      blocked: false,
      authorizationIgnored: false,
      outcome: '7 lobbies',
    })
    expect(unknown).toMatchObject({
      path: '/nowhere',
      status: 404,
      code: 'API_NOT_FOUND',
      message: expect.stringContaining('/nowhere'),
    })
    expect(unknown).not.toHaveProperty('operation')
    expect(warning).toMatchObject({ event: 'warning', rule: 'no such call', count: 1 })
    expect(foreign).toMatchObject({ status: 200, refusedOrigin: 'https://evil.example' })
    expect(inWorld).toMatchObject({ world: 'test-42', path: list.path })

    const tokens = [...command.tokens.map(({ token }) => token), 'device.mock.sofa']
    const sent = tokens.flatMap(token => [
      { ...list, headers: bearer(token) },
      { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` },
      { method: 'GET', path: `/devices/link/${token}` },
      { method: 'GET', path: `/nowhere/${token}`, headers: { authorization: token } },
      { method: 'POST', path: '/cloud/devices/links/complete', body: JSON.stringify({ device_link_token: token }) },
    ])
    await Promise.all(sent.map(one => sendTo(command.url, one)))

    const printed = (await linesAfter(command, { from: 1, count: 4 + sent.length })).join('\n')
    expect(tokens.filter(token => printed.includes(token))).toEqual([])
  })
})

describe('mockmaker', () => {
  it('prints with the key t the same tokens as with --json', async () => {
    const [terminal, { tokens }] = await Promise.all([serveOnTerminal(['friday-night']), serveJson(['friday-night'])])

    terminal.type('t')
    await lineLike(terminal, { like: /# with a cloud token/ })

    const missing = tokens.filter(({ token }) => !terminal.lines().some(line => line.endsWith(` ${token}`)))

    expect(missing).toEqual([])
  })
})
