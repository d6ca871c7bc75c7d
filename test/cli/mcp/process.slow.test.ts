import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort, type OpenCommand, openCommand } from '../../support/command.js'
import { toolsOf } from './mcp-session.js'

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** Starts `mockmaker mcp` as an agent does, with the client of the protocol's own package. */
async function connect(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', chunk => said.push(String(chunk)))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, pid: transport.pid ?? 0, said, ...toolsOf(client) }
}

async function worldsOf(url: string): Promise<string[]> {
  const response = await fetch(`${url}/__mock/worlds`)
  return ((await response.json()) as { worlds: { id: string }[] }).worlds.map(({ id }) => id)
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** Starts `mockmaker mcp`, and speaks the protocol line by line. */
function speak(url: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [cli, 'mcp', '--url', url])
  onTestFinished(() => void child.kill('SIGKILL'))
  const written: string[] = []
  const errors: string[] = []
  child.stderr.on('data', chunk => errors.push(String(chunk)))
  const answers = createInterface({ input: child.stdout })
  answers.on('line', line => written.push(line))
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const send = (message: object | string) =>
    void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const answerTo = (id: number) =>
    expect
      .poll(() => written.map(line => JSON.parse(line) as { id?: number }).find(answer => answer.id === id))
      .toBeDefined()
  /** Calls a tool, so that the session has its world. */
  const begin = async () => {
    send(initialize)
    send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_world', arguments: {} } })
    await answerTo(2)
  }
  return { child, written, errors, exited, send, answerTo, begin }
}

describe('the process of mockmaker mcp', () => {
  let url: string
  let mock: OpenCommand
  beforeAll(async () => {
    mock = await openCommand()
    url = mock.url
  })
  afterAll(() => mock.end())

  it('lists its tools without a mock, and says in a call that none answers', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const { client, fail, said } = await connect(['--url', nowhere])

    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(8)
    expect(await fail('list_requests')).toBe(
      `no mock answers at ${nowhere}: is npx mockmaker running there? More in the package: docs/something-is-wrong.md`,
    )
    expect(said).toEqual([])
  })

  it('gives two agents a world each, and deletes it when the agent has ended', async () => {
    const [one, other] = [await connect(['--url', url]), await connect([], { MOCKMAKER_URL: url })]

    await one.use('load_scenario', { text: 'title: Mine\ngame_modes: [race]\n' })
    expect((await other.use('get_world')).world.title).not.toBe('Mine')
    expect(await worldsOf(url)).toHaveLength(3)
    await one.client.close()
    await expect.poll(() => worldsOf(url)).toHaveLength(2)
    await other.client.close()

    await expect.poll(() => worldsOf(url)).toEqual(['default'])
    expect([...one.said, ...other.said]).toEqual([])
  })

  it.for([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('deletes its world on %s, and exits with %s', async ([signal, code]) => {
    const { child, begin, exited, errors } = speak(url)
    await begin()
    expect(await worldsOf(url)).toHaveLength(2)

    child.kill(signal)

    expect(await exited).toEqual({ code, signal: null })
    expect(await worldsOf(url)).toEqual(['default'])
    expect(errors).toEqual([])
  })

  it('writes nothing but the protocol, whatever it reads, and exits with 0 at the end of its input', async () => {
    const session = speak(url)
    session.send('this is not JSON')
    session.send('{"jsonrpc": "2.0"')
    await session.begin()
    session.send('[]')
    session.send({ jsonrpc: '2.0', id: 3, method: 'no/such/method' })
    session.send({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'rm', arguments: {} } })
    await session.answerTo(4)

    session.child.stdin.end()

    expect(await session.exited).toEqual({ code: 0, signal: null })
    expect(session.written.map(line => JSON.parse(line).jsonrpc)).toEqual(session.written.map(() => '2.0'))
    expect(session.errors).toEqual([])
    expect(await worldsOf(url)).toEqual(['default'])
  })

  it('deletes its world if the agent crashes and reads no more', async () => {
    const session = speak(url)
    await session.begin()
    expect(await worldsOf(url)).toHaveLength(2)

    session.child.stdout.destroy()
    session.send({ jsonrpc: '2.0', id: 5, method: 'tools/list' })
    await session.exited

    expect(await worldsOf(url)).toEqual(['default'])
  })
})
