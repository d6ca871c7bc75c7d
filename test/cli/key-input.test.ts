import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { confirmOn, type Key, keyModeOf, listenToKeys, listenToLines, RawTerminal } from '../../src/cli/key-input.js'
import { recordingConsole } from '../support/console.js'

/** Listens to an input, and returns a function that types. */
function listening(mode: 'key' | 'line', keys: readonly Key[]) {
  const { console, lines, errors } = recordingConsole()
  const input = new PassThrough()
  onTestFinished(() => void input.end())
  const [interrupt, suspend] = [vi.fn(), vi.fn()]
  if (mode === 'line') listenToLines(input, keys, console)
  else listenToKeys(input, keys, { console, interrupt, suspend })
  return { type: (text: string) => void input.write(text), lines, errors, interrupt, suspend }
}

/** Keys that note their names. */
function noting(...names: string[]) {
  const pressed: string[] = []
  return { pressed, keys: names.map((key): Key => ({ key, description: key, press: () => void pressed.push(key) })) }
}

const fails: Key = { key: 'x', description: 'fail', press: () => Promise.reject(new Error('it did not work')) }

/** The last line of the help. */
const wrong = '  Something is wrong? Read docs/something-is-wrong.md of the package'

describe('keys that act at once', () => {
  it('are pressed one after the other, without Enter', async () => {
    const { keys, pressed } = noting('a', 'b')
    const { type } = listening('key', keys)

    type('ab')
    type('\ra\n')

    await expect.poll(() => pressed).toEqual(['a', 'b', 'a'])
  })

  it('are listed by h', async () => {
    const { type, lines } = listening('key', [{ key: 'r', description: 'reset the world', press() {} }])

    type('h')

    await expect.poll(() => lines).toEqual(['', '  r  reset the world', '  h  help', wrong, ''])
  })

  it('do not mistake arrows and the Alt key for letters', async () => {
    const { keys, pressed } = noting('A', 'b', 'c')
    const { type, lines } = listening('key', keys)

    type('\u001b[A\u001bb\u0002c')

    await expect.poll(() => pressed).toEqual(['c'])
    expect(lines).toEqual([])
  })

  it('that do not exist say how to list the keys', async () => {
    const { type, lines } = listening('key', [])

    type('ж')

    await expect.poll(() => lines).toEqual(['  there is no key "ж": h lists the keys'])
  })

  it('that fail say why, and do not stop the next one', async () => {
    const { type, lines, errors } = listening('key', [fails])

    type('xh')

    await expect.poll(() => [errors, lines.length]).toEqual([['it did not work'], 5])
  })

  it('do what Ctrl+C and Ctrl+Z do, each time', async () => {
    const { type, interrupt, suspend } = listening('key', [])

    type('\u0003\u0003\u001a')

    await expect.poll(() => [interrupt.mock.calls.length, suspend.mock.calls.length]).toEqual([2, 1])
  })
})

describe('keys with Enter', () => {
  it('are pressed one line after the other', async () => {
    const { keys, pressed } = noting('a', 'b')
    const { type } = listening('line', keys)

    type('a\nb')
    type('\r\n a \n\n')

    await expect.poll(() => pressed).toEqual(['a', 'b', 'a'])
  })

  it('are listed by h', async () => {
    const { type, lines } = listening('line', [{ key: 'r', description: 'reset the world', press() {} }])

    type('h\n')

    await expect.poll(() => lines).toEqual(['', '  r + Enter  reset the world', '  h + Enter  help', wrong, ''])
  })

  it('that do not exist say how to list the keys', async () => {
    const { type, lines } = listening('line', [])

    type('reset\n')

    await expect.poll(() => lines).toEqual(['  there is no key "reset": h + Enter lists the keys'])
  })

  it('that fail say why, and do not stop the next one', async () => {
    const { type, lines, errors } = listening('line', [fails])

    type('x\nh\n')

    await expect.poll(() => [errors, lines.length]).toEqual([['it did not work'], 5])
  })
})

/** A process with a terminal that notes what happens to it. */
function processOn(platform: NodeJS.Platform) {
  const events: string[] = []
  const stdin = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => events.push(`raw ${isRaw}`) })
  const kill = (pid: number, signal: string) => events.push(`${signal} to ${pid}`)
  // `RawTerminal` uses these parts.
  const process = Object.assign(new EventEmitter(), { platform, kill, stdin }) as never as NodeJS.Process
  return { process, terminal: new RawTerminal(process), events }
}

describe('raw mode', () => {
  it('is impossible if the terminal refuses it, however it says so', () => {
    const input = () => new PassThrough()
    const refusing = Object.assign(input(), {
      setRawMode: () => refusing.emit('error', new Error('setRawMode EIO')),
    })
    const throwing = Object.assign(input(), {
      setRawMode() {
        throw new Error('no')
      },
    })
    const willing = Object.assign(input(), { setRawMode() {} })

    expect([input(), refusing, throwing, willing].map(keyModeOf)).toEqual(['line', 'line', 'line', 'key'])
  })

  it('ends with the process', () => {
    const { process, events } = processOn('linux')

    process.emit('exit', 0)

    expect(events).toEqual(['raw false'])
  })

  it('ends before the process and its group are suspended, and begins again after', () => {
    vi.useFakeTimers()
    const { process, terminal, events } = processOn('linux')

    terminal.suspend()
    const before = events.splice(0)
    process.emit('SIGCONT', 'SIGCONT')

    expect(before).toEqual(['raw false', 'SIGTSTP to 0'])
    expect(events).toEqual(['raw false', 'raw true'])
  })

  it('begins again if the process cannot be suspended', () => {
    vi.useFakeTimers()
    const { terminal, events } = processOn('linux')

    terminal.suspend()
    vi.advanceTimersByTime(1_000)

    expect(events.slice(2)).toEqual(['raw false', 'raw true'])
  })

  it('stays on Windows, where nothing can be suspended', () => {
    const { terminal, events } = processOn('win32')

    terminal.suspend()

    expect(events).toEqual([])
  })

  it('makes SIGINT of Ctrl+C without a signal', () => {
    const { process, terminal } = processOn('win32')
    const listener = vi.fn()
    process.on('SIGINT', listener)

    terminal.interrupt()

    expect(listener).toHaveBeenCalledOnce()
  })
})

describe('a question', () => {
  it.for([
    ['\n', true],
    ['y\n', true],
    ['YES\r\n', true],
    ['n\n', false],
    ['4102\n', false],
    ['', false],
  ] as const)('is answered by %j with %j', async ([typed, answer]) => {
    const { console, lines } = recordingConsole()
    const input = new PassThrough()

    const answered = confirmOn(input, 'It is taken.\nUse another? (Y/n)', console)
    if (typed === '') input.end()
    else input.write(typed)

    expect(await answered).toBe(answer)
    expect(lines).toEqual(['It is taken.', 'Use another? (Y/n)'])
  })

  it('leaves the input to the keys', async () => {
    const { console } = recordingConsole()
    const { keys, pressed } = noting('a')
    const input = new PassThrough()
    onTestFinished(() => void input.end())
    const answered = confirmOn(input, 'Use another?', console)
    input.write('y\n')
    await answered

    listenToKeys(input, keys, { console, interrupt() {}, suspend() {} })
    input.write('a')

    await expect.poll(() => pressed).toEqual(['a'])
  })
})
