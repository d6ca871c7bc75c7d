import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createConsole } from '../../src/cli/console.js'
import { operationIds, operations } from '../../src/contract/operations.js'
import { linesAfter, run, serve, serveJson } from '../support/command.js'
import { sendTo } from '../support/http.js'

const escapeCode = '\u001b['

/** What a console prints in bold on a process whose standard output is, or is no, terminal. */
function styled({ isTTY, env }: { isTTY: boolean; env: NodeJS.ProcessEnv }): string {
  const stream = Object.assign(new PassThrough(), { isTTY })
  const process = Object.assign(new EventEmitter(), { stdout: stream, stderr: stream, env })
  // A console uses nothing else of a process.
  const { print, style } = createConsole(process as unknown as NodeJS.Process)
  print(style('bold', 'GET'))
  process.emit('exit')
  return String(stream.read()).trimEnd()
}

/** A console, and what it has written so far. */
function printing() {
  const stream = new PassThrough()
  const process = Object.assign(new EventEmitter(), { stdout: stream, stderr: stream, env: {} })
  // A console uses nothing else of a process.
  const { print } = createConsole(process as unknown as NodeJS.Process)
  const written: string[] = []
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString()))
  return { print, process, written }
}

describe('lines', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))
  afterEach(() => void vi.useRealTimers())

  it('are written at once where nothing was printed lately', async () => {
    const { print, written } = printing()

    print('one')
    print('two')
    await vi.advanceTimersByTimeAsync(0)

    expect(written).toEqual(['one\ntwo\n'])
  })

  it('that follow are gathered for 10 ms', async () => {
    const { print, written } = printing()
    print('one')
    await vi.advanceTimersByTimeAsync(0)

    print('two')
    await vi.advanceTimersByTimeAsync(5)
    print('three')
    await vi.advanceTimersByTimeAsync(4)
    const early = [...written]
    await vi.advanceTimersByTimeAsync(1)

    expect(early).toEqual(['one\n'])
    expect(written).toEqual(['one\n', 'two\nthree\n'])
  })

  it('go on after one that could not be made', async () => {
    const { print, written } = printing()
    print(() => {
      throw new Error('no line')
    })
    expect(() => vi.advanceTimersByTime(0)).toThrow('no line')

    print('two')
    await vi.advanceTimersByTimeAsync(10)

    expect(written).toEqual(['two\n'])
  })

  it('are written when the process ends', async () => {
    const { print, process, written } = printing()
    print('one')
    await vi.advanceTimersByTimeAsync(0)
    print('two')

    process.emit('exit')
    await vi.advanceTimersByTimeAsync(0)

    expect(written).toEqual(['one\n', 'two\n'])
  })

  it('are written at once again after a pause', async () => {
    const { print, written } = printing()
    print('one')
    await vi.advanceTimersByTimeAsync(10)

    print('two')
    await vi.advanceTimersByTimeAsync(0)

    expect(written).toEqual(['one\n', 'two\n'])
  })
})

describe('mockmaker routes', () => {
  it('prints a line for each operation: method, path, auth, name', async () => {
    const { code, stdout } = await run(['routes'])

    const rows = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(rows.map(row => row.split(/ +/))).toEqual(
      operationIds.map(id => [operations[id].method, operations[id].path, operations[id].auth, id]),
    )
  })
})

describe('mockmaker openapi', () => {
  it('prints the document of GET /openapi.json, which also has the server', async () => {
    const { url } = await serveJson()
    const { body } = await sendTo(url, { method: 'GET', path: '/openapi.json' })

    const { code, stdout } = await run(['openapi'])

    const { servers, ...document } = JSON.parse(body)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(document)
    expect(servers).toEqual([{ url }])
  })
})

describe('colours', () => {
  it('are not for a pipe', async () => {
    const command = await serve()
    const from = command.lines().length
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    await linesAfter(command, { from, count: 1 })

    expect(command.lines().filter(line => line.includes(escapeCode))).toEqual([])
  })

  it.each([
    ['are for a terminal', { isTTY: true, env: {} }, `${escapeCode}1mGET${escapeCode}22m`],
    ['are not for a terminal with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }, 'GET'],
    [
      'are for a terminal with an empty NO_COLOR',
      { isTTY: true, env: { NO_COLOR: '' } },
      `${escapeCode}1mGET${escapeCode}22m`,
    ],
    ['are not for anything else', { isTTY: false, env: {} }, 'GET'],
  ])('%s', (_, terminal, text) => {
    expect(styled(terminal)).toBe(text)
  })
})
