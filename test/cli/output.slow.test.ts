import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createConsole } from '../../src/cli/output.js'
import { file, folder, freePort, linesAfter, run, serve, serveJson } from '../support/command.js'
import { sendTo, stubServer } from '../support/http.js'

/** Characters that a terminal interprets: controls, bidi controls and line separators. */
const obeyed = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

/** Our own codes: colours and styles. */
const ownCodes = new RegExp(`${String.fromCharCode(27)}\\[\\d{1,2}m`, 'g')

/** A process, and the text that was written to its streams. */
function processWith({ isTTY }: { isTTY: boolean }) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => {
    const through = new PassThrough()
    through.on('data', (chunk: Buffer) => {
      written[name] += chunk.toString()
    })
    return Object.assign(through, { isTTY })
  }
  const process = Object.assign(new EventEmitter(), { stdout: stream('stdout'), stderr: stream('stderr'), env: {} })
  // The console uses no other part of a process.
  return { process: process as unknown as NodeJS.Process, written }
}

/** Texts with many control characters and escape codes, our own among them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0x9f }).map(code => String.fromCharCode(code)),
      fc.constantFrom('\u001b[31m', '\u001b[2J', '\u009b2J', '\u202e', '\u2066', '\u200e', '\u061c', '\r\n', '\u2028'),
    ),
  )
  .map(parts => parts.join(''))

type Channel = (console: ReturnType<typeof createConsole>, text: string) => void

const channels: Readonly<Record<string, Channel>> = {
  print: (console, text) => console.print(text),
  'print, of a function': (console, text) => console.print(() => text),
  'print, styled': (console, text) => console.print(`a ${console.style(['bold', 'red'], text)} z`),
  printJson: (console, text) => console.printJson({ [text]: text }),
  printDocument: (console, text) => console.printDocument(text),
  warn: (console, text) => console.warn(text),
  fail: (console, text) => console.fail(text),
}

describe.each(Object.entries(channels))('%s', (_, write) => {
  property.prop([hostile])('escapes everything that a terminal would obey', text => {
    const { process, written } = processWith({ isTTY: true })

    write(createConsole(process), text)
    process.emit('exit', 0)

    const shown = `${written.stdout}${written.stderr}`.replaceAll(ownCodes, '').replaceAll('\n', '')
    expect(obeyed.exec(shown)).toBeNull()
  })
})

describe('a document in pieces', () => {
  property.prop([fc.array(hostile)])('escapes everything that a terminal would obey', async pieces => {
    const { process, written } = processWith({ isTTY: true })
    const all = async function* () {
      yield* pieces
    }

    await createConsole(process).printStream(all())

    expect(obeyed.exec(written.stdout.replaceAll('\n', ''))).toBeNull()
  })
})

describe('a printed line', () => {
  property.prop([hostile])('stays one line, and keeps only our own codes', text => {
    const { process, written } = processWith({ isTTY: true })
    const console = createConsole(process)

    console.print(console.style('red', text))
    process.emit('exit', 0)

    expect(written.stdout.match(/\n/g)).toHaveLength(1)
    expect(written.stdout.startsWith('\u001b[31m') && written.stdout.endsWith('\u001b[39m\n')).toBe(true)
    expect(written.stdout.match(ownCodes)).toHaveLength(2)
  })

  it('escapes like JSON, and turns a tab into a space', () => {
    const { process, written } = processWith({ isTTY: false })

    createConsole(process).print('a\u001b[2J\u009b\u202e\n\r\tb é 日本 👩‍🚀')
    process.emit('exit', 0)

    expect(written.stdout).toBe(`${String.raw`a\u001b[2J\u009b\u202e\n\r b é 日本 👩‍🚀`}\n`)
  })
})

describe('a line of JSON', () => {
  property.prop([hostile])('keeps its meaning', text => {
    const { process, written } = processWith({ isTTY: false })

    createConsole(process).printJson({ text })
    process.emit('exit', 0)

    expect(JSON.parse(written.stdout)).toEqual({ text })
  })
})

describe('a document', () => {
  property.prop([hostile])('is not changed for a file or a pipe', text => {
    const { process, written } = processWith({ isTTY: false })

    createConsole(process).printDocument(text)

    expect(written.stdout).toBe(`${Buffer.from(text)}\n`)
  })
})

describe('an error', () => {
  it('has a red first line on a terminal', () => {
    const { process, written } = processWith({ isTTY: true })

    createConsole(process).fail('wrong\nhere')

    expect(written.stderr).toBe('\u001b[31mwrong\u001b[39m\nhere\n')
  })
})

const escapeCode = '\u001b['

/** Prints a word in bold, and returns the output. */
function styled({ isTTY, env }: { isTTY: boolean; env: NodeJS.ProcessEnv }): string {
  const stream = Object.assign(new PassThrough(), { isTTY })
  const process = Object.assign(new EventEmitter(), { stdout: stream, stderr: stream, env })
  // The console uses no other part of a process.
  const { print, style } = createConsole(process as unknown as NodeJS.Process)
  print(style('bold', 'GET'))
  process.emit('exit')
  return String(stream.read()).trimEnd()
}

/** The printing part of a console, and the chunks that it has written. */
function printing() {
  const stream = new PassThrough()
  const process = Object.assign(new EventEmitter(), { stdout: stream, stderr: stream, env: {} })
  // The console uses no other part of a process.
  const { print } = createConsole(process as unknown as NodeJS.Process)
  const written: string[] = []
  stream.on('data', (chunk: Buffer) => written.push(chunk.toString()))
  return { print, process, written }
}

describe('lines', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))

  it('are written at once if nothing was printed lately', async () => {
    const { print, written } = printing()

    print('one')
    print('two')
    await vi.advanceTimersByTimeAsync(0)

    expect(written).toEqual(['one\ntwo\n'])
  })

  it('that follow are collected for 10 ms', async () => {
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

  it('are written even after one that throws', async () => {
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

describe('colours', () => {
  it('are left out in a pipe', async () => {
    const command = await serve()
    const from = command.lines().length
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    await linesAfter(command, { from, count: 1 })

    expect(command.lines().filter(line => line.includes(escapeCode))).toEqual([])
  })

  it.each([
    ['are used on a terminal', { isTTY: true, env: {} }, `${escapeCode}1mGET${escapeCode}22m`],
    ['are left out on a terminal with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }, 'GET'],
    [
      'are used on a terminal with an empty NO_COLOR',
      { isTTY: true, env: { NO_COLOR: '' } },
      `${escapeCode}1mGET${escapeCode}22m`,
    ],
    ['are left out anywhere else', { isTTY: false, env: {} }, 'GET'],
  ])('%s', (_, terminal, text) => {
    expect(styled(terminal)).toBe(text)
  })
})

/** A console whose standard output accepts nothing more until `read` is called. */
function stalled() {
  const chunks: string[] = []
  let resume: (() => void) | undefined
  const stdout = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      chunks.push(String(chunk))
      resume = done
    },
  })
  const process = Object.assign(new EventEmitter(), { stdout, stderr: new PassThrough(), env: {} })
  const read = async () => {
    resume?.()
    await vi.advanceTimersByTimeAsync(20)
  }
  // The console uses no other part of a process.
  return { console: createConsole(process as unknown as NodeJS.Process), stdout, chunks, read }
}

describe('a reader that does not read', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))

  /** Prints lines of 1,000 characters while the reader does not read. */
  async function flood(console: ReturnType<typeof createConsole>, print: (text: string) => void, lines: number) {
    console.print('first')
    await vi.advanceTimersByTimeAsync(20)
    for (let i = 0; i < lines; i += 1) {
      print(String(i).padEnd(1000, '.'))
      if (i % 100 === 0) await vi.advanceTimersByTimeAsync(20)
    }
    await vi.advanceTimersByTimeAsync(20)
  }

  it('gets the newest MiB when it reads again, and the number of dropped lines', async () => {
    const { console, chunks, read } = stalled()
    await flood(console, console.print, 3000)

    await read()

    const [first, rest = ''] = chunks
    const [dropped, oldest, ...others] = rest.trimEnd().split('\n')
    expect(first).toBe('first\n')
    expect(rest.length).toBeLessThan(1.1 * 1024 * 1024)
    expect(dropped).toBe('… 1,952 lines dropped')
    expect(oldest?.startsWith('1952.')).toBe(true)
    expect(others.at(-1)?.startsWith('2999.')).toBe(true)
  })

  it('leaves nothing in the buffer of the stream', async () => {
    const { console, stdout } = stalled()

    await flood(console, console.print, 3000)

    expect(stdout.writableLength).toBeLessThan(100)
  })

  it('gets the number of dropped JSON lines as JSON', async () => {
    const { console, chunks, read } = stalled()
    await flood(console, text => console.printJson({ text }), 3000)

    await read()

    const [notice = '', oldest = ''] = chunks[1]?.split('\n') ?? []
    const { event, lines } = JSON.parse(notice)
    expect(event).toBe('dropped')
    expect(JSON.parse(oldest).text.startsWith(`${lines}.`)).toBe(true)
  })

  it('gets a whole document', async () => {
    const { console, chunks, read } = stalled()
    console.printDocument('first')

    console.printDocument('x'.repeat(3_000_000))
    await read()

    expect(chunks.join('')).toHaveLength(3_000_007)
  })
})

/** A process whose standard output fails with a code. */
function failing(code: string) {
  const fails = () =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: it failed, write`), { code })),
    })
  const { process, written } = processWith({ isTTY: false })
  return { fails, written, process: Object.assign(process, { stdout: fails() }) }
}

describe('output that cannot be written', () => {
  it.each([
    ['ENOSPC', 'no space is left on the device'],
    ['EIO', 'the device or the terminal does not respond'],
    ['EFOO', 'it failed, write'],
  ])('is reported once on standard error: %s', async (code, reason) => {
    const { process, written } = failing(code)
    const console = createConsole(process)

    for (const text of ['one', 'two', 'three']) console.printDocument(text)
    await new Promise(resolve => setImmediate(resolve))
    console.printDocument('four')
    await new Promise(resolve => setImmediate(resolve))

    expect(written.stderr).toBe(`cannot write to standard output: ${reason}. mockmaker prints nothing more there.\n`)
    expect(process.exitCode).toBe(1)
  })

  it('gets no more writes, and its lines are not made', async () => {
    const { process, written } = failing('ENOSPC')
    const write = vi.fn(() => {
      queueMicrotask(() => stdout.emit('error', Object.assign(new Error('no'), { code: 'ENOSPC' })))
      return true
    })
    const stdout = Object.assign(new EventEmitter(), { write, writableNeedDrain: false })
    Object.assign(process, { stdout })
    const console = createConsole(process)
    console.printDocument('one')
    await new Promise(resolve => setImmediate(resolve))

    const makeLine = vi.fn(() => 'four')
    stdout.writableNeedDrain = true
    console.printDocument('two')
    await console.printStream(
      (async function* () {
        yield 'three'
      })(),
    )
    console.print(makeLine)
    process.emit('exit', 0)
    stdout.emit('error', Object.assign(new Error('no'), { code: 'EIO' }))

    expect([write.mock.calls, makeLine.mock.calls.length]).toEqual([[['one\n']], 0])
    expect(written.stderr.match(/cannot write to standard output/g)).toHaveLength(1)
  })

  it('ends a document that waits for its reader', async () => {
    const { process } = failing('EIO')
    const error = Object.assign(new Error('it failed'), { code: 'EIO' })
    Object.assign(process, {
      stdout: new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done, error) }),
    })
    const pieces = async function* () {
      yield 'x'.repeat(100_000)
      yield 'y'
    }

    await createConsole(process).printStream(pieces())

    expect(process.exitCode).toBe(1)
  })

  it('is reported if writing throws', () => {
    const { process, written } = failing('ENOSPC')
    process.stdout.write = () => {
      throw Object.assign(new Error('no'), { code: 'ENOSPC' })
    }

    createConsole(process).printDocument('one')

    expect(written.stderr).toContain('no space is left on the device')
  })

  it('is not reported if the reader has left', async () => {
    const { process, written } = failing('EPIPE')

    createConsole(process).printDocument('one')
    await new Promise(resolve => setImmediate(resolve))

    expect([written.stderr, process.exitCode]).toEqual(['', undefined])
  })

  it('does not throw if standard error fails too', async () => {
    const { process, fails } = failing('EIO')
    Object.assign(process, { stderr: fails() })
    const console = createConsole(process)

    console.printDocument('one')
    console.warn('two')
    await new Promise(resolve => setImmediate(resolve))
    console.warn('three')

    expect(process.exitCode).toBe(1)
  })
})

describe('the command', () => {
  // A control character of each kind: C0, C1, bidi, and a newline that would start a line.
  const bad = 'a\u001b[2Jb\u009b2Jc\u202ed\nFAKE'

  it.each([[[]], [['--json']]])('logs a decoded path in one line: %j', async args => {
    const command = args.length === 0 ? await serve() : await serveJson()
    const from = command.lines().length

    // The log decodes this segment to cut the token in it.
    await fetch(`${command.url}/x/${encodeURIComponent(`${bad} pub.mock.1`)}`)

    const [line = ''] = await linesAfter(command, { from, count: 1 })
    expect(line).toContain('FAKE')
    expect(obeyed.exec(line)).toBeNull()
  })

  it('escapes the unknown keys of a scenario file', async () => {
    const path = await file('scenario.json', JSON.stringify({ [bad]: 1, games: [{ [bad]: 1 }], title: 5 }))

    const { stderr } = await run(['validate', path])

    expect(stderr).toMatch(/FAKE/)
    expect(obeyed.exec(stderr.replaceAll('\n', ''))).toBeNull()
  })

  it.each([
    ['env', JSON.stringify({ message: bad })],
    ['env', bad],
    ['export', JSON.stringify({ message: bad })],
  ])('%s escapes the body of an error', async (name, body) => {
    const url = await stubServer((_, response) => response.writeHead(500).end(body))

    const { stderr } = await run([name, '--url', url])

    expect(stderr).toContain(String.raw`a\u001b[2Jb\u009b2Jc\u202ed`)
    expect(obeyed.exec(stderr.replaceAll('\n', ''))).toBeNull()
  })

  it('escapes the title of a world', async () => {
    const { lines } = await serve([await file('scenario.json', JSON.stringify({ title: bad }))])

    expect(lines()[3]).toMatch(/a\\u001b\[2Jb\\u009b2J.*…: 0 players/)
    expect(lines().filter(line => obeyed.test(line))).toEqual([])
  })

  it('escapes the name of an unknown command, and of a missing file', async () => {
    const { stderr: ofCommand } = await run(['exec', '--', 'no\u009b2J'])
    const { stderr: ofFile } = await run(['no\u009b2J'])

    expect([ofCommand, ofFile].map(text => text.includes(String.raw`no\u009b2J`))).toEqual([true, true])
  })

  it('escapes the stack of a bug', async () => {
    const preload = `
      const { getAll } = URLSearchParams.prototype
      URLSearchParams.prototype.getAll = function () { throw new TypeError('a bug ' + this.get('bug')) }`
    const command = await serveJson([], { preload })

    await fetch(`${command.url}${listPath}?bug=${encodeURIComponent('\u009b2J\u001b[2J')}`)

    await expect.poll(() => command.errors()).toContain(String.raw`a bug \u009b2J\u001b[2J`)
  })
})

const listPath = '/matchmaker/lobbies/list'

/** Starts the built command with its output in files. Kills it at the end of the test. */
function startInto(args: readonly string[], { stdout, stderr }: { stdout: string; stderr?: string }) {
  const files = [stdout, stderr].map(path => (path === undefined ? undefined : openSync(path, 'w')))
  const [out, err = 'pipe' as const] = files
  const child = spawn(process.execPath, ['dist/cli.js', ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', out, err],
  })
  for (const file of files) if (file !== undefined) closeSync(file)
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended, errors: () => errors }
}

/** Waits until a mock answers at a URL, and returns the status. */
function statusOnceThere(url: string): Promise<number> {
  const ask = async () => (await fetch(`${url}${listPath}`)).status
  return vi.waitFor(ask, { timeout: 30_000, interval: 50 })
}

describe('a full disk', () => {
  const report =
    'cannot write to standard output: no space is left on the device. mockmaker prints nothing more there.\n'

  it('ends a short command with 1 and one sentence', async () => {
    const { ended, errors } = startInto(['routes'], { stdout: '/dev/full' })

    expect([await ended, errors()]).toEqual([1, report])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('does not end a mock, which ends on %s', async signal => {
    const port = await freePort()
    const { child, ended, errors } = startInto(['--port', `${port}`], { stdout: '/dev/full' })
    const url = `http://127.0.0.1:${port}`
    const first = await statusOnceThere(url)
    await expect.poll(() => errors()).not.toBe('')

    const second = await statusOnceThere(url)
    child.kill(signal)

    expect([first, second, await ended, errors()]).toEqual([200, 200, 0, report])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('for both outputs does not end a mock, which ends on %s', async signal => {
    const port = await freePort()
    const { child, ended } = startInto(['--port', `${port}`], { stdout: '/dev/full', stderr: '/dev/full' })
    const url = `http://127.0.0.1:${port}`

    const statuses = [await statusOnceThere(url), await statusOnceThere(url)]
    child.kill(signal)

    expect([statuses, await ended]).toEqual([[200, 200], 0])
  })
})

describe('a terminal that is gone', () => {
  it('does not end a mock, which ends on SIGTERM', async () => {
    const [port, path] = [await freePort(), await folder()]
    const pidFile = join(path, 'pid')
    // In its own session: otherwise the system would end the command with its terminal.
    const command = `'${process.execPath}' dist/cli.js --port ${port}`
    const line = `setsid sh -c "echo \\$\\$ > '${pidFile}'; exec ${command}" & wait`
    const terminal = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env.PATH, SHELL: '/bin/sh' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    await statusOnceThere(url)
    const pid = Number(await readFile(pidFile, 'utf8'))
    const isThere = () => isRunning(pid)
    onTestFinished(() => void (isThere() && process.kill(pid, 'SIGKILL')))

    terminal.kill('SIGKILL')
    const statuses = [await statusOnceThere(url), await statusOnceThere(url), await statusOnceThere(url)]
    process.kill(pid, 'SIGTERM')

    expect(statuses).toEqual([200, 200, 200])
    await expect.poll(() => isThere()).toBe(false)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
