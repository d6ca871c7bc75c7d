import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ServeFlags } from '../../src/cli/flags.js'
import type { Console } from '../../src/cli/output.js'
import { startMock } from '../../src/cli/serve.js'
import { readScenario } from '../../src/core/scenario/read.js'
import type { LoadedScenario } from '../../src/server/files/scenario-file.js'
import { freePort, lineLike, run, serveJson, serveOnTerminal } from '../support/command.js'
import { runHere } from '../support/run-here.js'

/** Starts a server until the end of the test, and returns its port. */
async function occupy(server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A stream that has more whenever someone reads. */
const endless = () =>
  new Readable({
    read() {
      this.push('x'.repeat(100_000))
    },
  })

/** A server that closes every connection. */
const closing = () => createServer(socket => void socket.end())

/** Starts a mock in this process until the end of the test. `warnings` has what a command writes to standard error. */
async function startHere(flags: Partial<ServeFlags> = {}, loaded?: LoadedScenario) {
  const warnings: string[] = []
  const console = { warn: (line: string) => void warnings.push(line) } as unknown as Console
  const { url, close } = await startMock(0, { loaded, flags: flags as ServeFlags, console })
  onTestFinished(close)
  return { url, warnings }
}

const status = async (url: string) => (await fetch(`${url}/matchmaker/lobbies/list`)).status

describe('mockmaker --port', () => {
  it('takes precedence over PORT', async () => {
    const [port, other] = await Promise.all([freePort(), freePort()])

    const { url } = await serveJson(['--port', `${port}`], { env: { PORT: `${other}` } })

    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(await status(url)).toBe(200)
  })

  it('picks a free port for 0, each time, on IPv4 and IPv6', async () => {
    const [first, second] = await Promise.all([startHere(), startHere()])

    expect(first.url).not.toBe(second.url)
    expect(await Promise.all([status(first.url), status(second.url)])).toEqual([200, 200])
    expect(await status(first.url.replace('127.0.0.1', '[::1]'))).toBe(200)
  })
})

describe('the flags of game servers', () => {
  const loaded = {
    name: 'started.yaml',
    scenario: readScenario({ servers: { command: 'node server.mjs', watch: ['src'] } }, { commands: 'allowed' }),
  }
  const console = { warn: expect.unreachable } as unknown as Console
  const start = (flags: Partial<ServeFlags>) => startMock(0, { loaded, flags: flags as ServeFlags, console })

  it.for([
    [{ serverWatch: ['package.json'] }, { command: 'node server.mjs', watch: ['package.json'] }],
    [{ serverCommand: 'node other.mjs' }, { command: 'node other.mjs', watch: ['src'] }],
    [{ serverReadyWithin: '10s' }, { command: 'node server.mjs', watch: ['src'] }],
  ] as const)('replace only their own key of the scenario: %j', async ([flags, command]) => {
    const { mock, close } = await start(flags)
    await close()

    expect(mock.commands.all).toEqual(command)
  })

  it('refuse a path that does not exist', async () => {
    await expect(start({ serverWatch: ['nowhere'] })).rejects.toThrow('there is no file or folder nowhere')
  })
})

describe('a port that is taken', () => {
  it('ends the command with an error that says what to do', async () => {
    const port = await occupy(closing())

    const { code, stdout, stderr } = await run(['--port', `${port}`])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `port ${port} on 127.0.0.1 is taken: stop the program that listens there, or add --port 0 to use a free port. More in the package: docs/something-is-wrong.md\n`,
    )
  })

  it('is answered with the next free one on a terminal', async () => {
    const port = await occupy(closing())

    const command = await serveOnTerminal(['--port', `${port}`], {}, { typed: '\n' })
    const used = Number(new URL(command.url).port)
    command.type('u')

    expect(command.lines()).toEqual(
      expect.arrayContaining([`port ${port} on 127.0.0.1 is taken.`, `Use port ${used}? (Y/n)`]),
    )
    expect(used).toBeGreaterThan(port)
    expect(await lineLike(command, { like: /^ {2}http:/ })).toBe(`  ${command.url}`)
    expect(await status(command.url)).toBe(200)
  })

  it('is not a part of the time until the mock is ready', async () => {
    const port = await occupy(closing())
    const now = vi.spyOn(performance, 'now')
    const hour = 3_600_000
    const confirm = async () => {
      const answeredAt = performance.now() + hour
      now.mockImplementation(() => answeredAt)
      return true
    }
    const console = { warn: expect.unreachable } as unknown as Console

    const { readyMs, close } = await startMock(port, { loaded: undefined, flags: {} as ServeFlags, console, confirm })
    await close()

    expect(readyMs).toBeLessThan(hour)
  })

  it('ends the command on a terminal after n', async () => {
    const port = await occupy(closing())

    await expect(serveOnTerminal(['--port', `${port}`], {}, { typed: 'n\n' })).rejects.toThrow('ended with 1')
  })

  it('is reported for PORT, too', async () => {
    const port = await occupy(closing())

    const { code, stderr } = await runHere([], { env: { PORT: `${port}` } })

    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is taken`)
  })

  it('ends the command if only ::1 is taken', async () => {
    const port = await occupy(closing(), '::1', await freePort())

    const { code, stderr } = await runHere(['--port', `${port}`])

    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} on ::1 is taken`)
  })

  it('by another mockmaker is reported with the scenario of that', async () => {
    const { url } = await startHere({}, { name: 'yesterday.yaml', scenario: { title: `Yesterday's "world"` } })

    const { code, stderr } = await runHere(['--port', new URL(url).port])

    expect(code).toBe(1)
    expect(stderr).toMatch(/is taken.*\nAnother mockmaker listens there and serves "Yesterday's \\"world\\""\.\n$/)
  })

  it.for<readonly [string, RequestListener]>([
    ['answers with HTML', (_, response) => response.end('<title>mockmaker</title>')],
    ['answers with null', (_, response) => response.end('null')],
    ['has another name', (_, response) => response.end('{"name": "mock", "scenario": "mockmaker"}')],
    ['redirects', (_, response) => response.writeHead(302, { location: '/' }).end()],
    ['hangs up', request => request.socket.destroy()],
    ['never answers', () => {}],
    ['never ends its answer', (_, response) => response.write('{"name": "mockmaker",')],
    ['streams without an end', (_, response) => void endless().pipe(response)],
  ])('is not reported as mockmaker if its server %s', async ([, listener]) => {
    const server = createHttpServer(listener)
    const port = await occupy(server)
    onTestFinished(() => server.closeAllConnections())

    const { code, stderr } = await runHere(['--port', `${port}`])

    expect(code).toBe(1)
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is taken`)
    expect(stderr).not.toContain('nother mockmaker')
  })
})

describe('mockmaker --host', () => {
  const warning = /everyone who can reach this machine on \S+ can use the mock/

  it.for(['::1', 'localhost'])('does not warn on %s', async host => {
    const { url, warnings } = await startHere({ host })

    expect(await status(url)).toBe(200)
    expect(warnings).toEqual([])
  })

  it.for([
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::', /^http:\/\/\[::1\]:\d+$/],
  ] as const)('warns on %s, and has a URL that works', async ([host, expected]) => {
    const { url, warnings } = await startHere({ host })

    expect(url).toMatch(expected)
    expect(await status(url)).toBe(200)
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  it.for([
    [
      '203.0.113.1',
      'cannot listen on 203.0.113.1: this machine has no such address. Name one of its own, or leave the host out\n',
    ],
    [
      'no-such-host.invalid',
      'cannot listen on no-such-host.invalid: no machine has that name. Name an address, or leave the host out\n',
    ],
  ])('ends with an error if nothing can listen on %s', async ([host = '', message]) => {
    expect(await runHere(['--host', host, '--port', '0'])).toMatchObject({ code: 1, stderr: message })
  })
})
