import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createConsole } from '../../src/cli/output.js'
import { anyCharacter } from '../support/any-character.js'
import { file } from '../support/command.js'
import { processWith } from '../support/console.js'
import { serveDuringTest } from '../support/http.js'
import { runHere } from '../support/run-here.js'

/** Characters that a terminal interprets: controls, bidi controls and line separators. */
const obeyed = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

/** Our own codes: colours and styles. */
const ownCodes = new RegExp(`${String.fromCharCode(27)}\\[\\d{1,2}m`, 'g')

/** Texts with many control characters and escape codes, our own among them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.integer({ min: 0, max: 0x9f }).map(code => String.fromCharCode(code)),
      fc.constantFrom('\u001b[31m', '\u001b[2J', '\u009b2J', '\u202e', '\u2066', '\u200e', '\u061c', '\r\n', '\u2028'),
    ),
  )
  .map(parts => parts.join(''))

type Channel = (console: ReturnType<typeof createConsole>, text: string) => void

const channels: Readonly<Record<string, Channel>> = {
  print: (console, text) => console.print(text),
  printCounted: (console, text) => console.printCounted({ repeats: () => false, text: () => text }),
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
function styled(terminal: { isTTY: boolean; env: NodeJS.ProcessEnv }): string {
  const { process, written } = processWith(terminal)
  const { print, style } = createConsole(process)
  print(style('bold', 'GET'))
  process.emit('exit', 0)
  return written.stdout.trimEnd()
}

/** The printing part of a console, and the chunks that it has written. */
function printing() {
  const { process } = processWith()
  const { print, printJson } = createConsole(process)
  const written: string[] = []
  process.stdout.on('data', (chunk: Buffer) => written.push(chunk.toString()))
  return { print, printJson, process, written }
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
    const { print, printJson, written } = printing()
    printJson(() => {
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

    process.emit('exit', 0)
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
  let isReading = false
  const stdout = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk))
      if (isReading) done()
      else resume = done
    },
  })
  const process = Object.assign(new EventEmitter(), { stdout, stderr: new PassThrough(), env: {} })
  const read = async () => {
    isReading = true
    resume?.()
    resume = undefined
    await vi.advanceTimersByTimeAsync(20)
  }
  // The console uses no other part of a process.
  return { console: createConsole(process as unknown as NodeJS.Process), chunks, read }
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

  it('gets one MiB when it reads again, and the number of dropped lines', async () => {
    const { console, chunks, read } = stalled()
    await flood(console, console.print, 3000)

    await read()

    console.print('next')
    await read()

    const output = chunks.join('')
    const lines = output.trimEnd().split('\n')
    const kept = lines.filter(line => line.length === 1000)
    const dropped = 3000 - kept.length
    expect(output.length).toBeLessThan(1.2 * 1024 * 1024)
    expect(output.length).toBeGreaterThan(1024 * 1024)
    expect(lines).toEqual(['first', ...kept, `… ${dropped.toLocaleString('en')} lines dropped`, 'next'])
  })

  it('gets the number of dropped JSON lines as JSON', async () => {
    const { console, chunks, read } = stalled()
    await flood(console, text => console.printJson({ text }), 3000)

    await read()

    const [, ...printed] = chunks.join('').trimEnd().split('\n')
    expect(JSON.parse(printed.pop() ?? '')).toEqual({ event: 'dropped', lines: 3000 - printed.length })
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
    ['EIO', 'the disk or the terminal reports an error'],
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

    const makeLine = vi.fn(() => ({ four: 4 }))
    stdout.writableNeedDrain = true
    console.printDocument('two')
    console.printJson(makeLine)
    process.emit('exit', 0)
    stdout.emit('error', Object.assign(new Error('no'), { code: 'EIO' }))

    expect([write.mock.calls, makeLine.mock.calls.length]).toEqual([[['one\n']], 0])
    expect(written.stderr.match(/cannot write to standard output/g)).toHaveLength(1)
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

  it('escapes the unknown keys of a scenario file', async () => {
    const path = await file('scenario.json', JSON.stringify({ [bad]: 1, games: [{ [bad]: 1 }], title: 5 }))

    const { stderr } = await runHere(['validate', path])

    expect(stderr).toMatch(/FAKE/)
    expect(obeyed.exec(stderr.replaceAll('\n', ''))).toBeNull()
  })

  it.each([
    ['env', JSON.stringify({ message: bad })],
    ['env', bad],
    ['export', JSON.stringify({ message: bad })],
  ])('%s escapes the body of an error', async (name, body) => {
    const url = await serveDuringTest((_, response) => response.writeHead(500).end(body))

    const { stderr } = await runHere([name, '--url', url])

    expect(stderr).toContain(String.raw`a\u001b[2Jb\u009b2Jc\u202ed`)
    expect(obeyed.exec(stderr.replaceAll('\n', ''))).toBeNull()
  })

  it('escapes the name of a missing file', async () => {
    const { stderr } = await runHere(['no\u009b2J'])

    expect(stderr).toContain(String.raw`no\u009b2J`)
  })
})
