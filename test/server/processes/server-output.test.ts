import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { ServerOutput } from '../../../src/server/processes/server-output.js'
import { startProcess } from '../../../src/server/processes/server-process.js'
import { fakeRealTimers } from '../../support/fake-real-timers.js'
import { deferred } from '../../support/worlds.js'

/** A pipe that only notes whether it is read. */
class Pipe extends EventEmitter {
  isPaused = false

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  write(text: string | Buffer): void {
    this.emit('data', Buffer.from(text))
  }
}

/** Reads the two pipes of a process, at the start of a second. */
function read() {
  vi.useFakeTimers({ now: 0 })
  fakeRealTimers()
  const [out, err] = [new Pipe(), new Pipe()]
  const lines: string[] = []
  const output = new ServerOutput([out, err], line => void lines.push(line))
  return { out, err, lines, output }
}

/** A chunk as the system hands it over. */
const chunk = 'spam\n'.repeat(13_107)

describe('the output of a game server', () => {
  it('is passed on line by line, however it is cut', () => {
    const { out, lines } = read()

    for (const byte of Buffer.from('one\r\nzwölf\n\nlast')) out.write(Buffer.of(byte))
    out.emit('end')

    expect(lines).toEqual(['one', 'zwölf', '', 'last'])
  })

  it('is cut in a long line', () => {
    const { out, lines } = read()

    for (let i = 0; i < 50; i += 1) out.write('x'.repeat(100_000))
    out.write('\nnext\n')

    expect(lines).toEqual([`${'x'.repeat(2_000)}…`, 'next'])
  })

  it('of more than 100 lines a second is counted, and read on', () => {
    const { out, lines } = read()

    out.write(chunk)
    vi.advanceTimersByTime(1_000)
    out.write('after\n')

    expect(out.isPaused).toBe(false)
    expect(lines).toEqual([...Array(100).fill('spam'), '… 13,007 lines dropped', 'after'])
  })

  it('is not read for the rest of a second in which it was too much', () => {
    const { out, err, lines } = read()
    for (let i = 0; i < 7; i += 1) out.write(chunk)
    const before = out.isPaused

    for (let i = 0; i < 2; i += 1) out.write(chunk)
    const during = [out.isPaused, err.isPaused]
    vi.advanceTimersByTime(999)
    const still = out.isPaused
    vi.advanceTimersByTime(2)
    out.write('after\n')

    expect([before, during, still, out.isPaused]).toEqual([false, [true, true], true, false])
    expect(lines.slice(100)).toEqual(['… 117,863 lines dropped', 'after'])
  })

  it('comes at once from a program that would buffer it', { tags: ['slow'] }, async () => {
    const { promise, resolve } = deferred<string>()

    // `tr` is in C, and would write only at its end.
    const process = startProcess('(echo last words; sleep 60) | tr a-z A-Z', {}, resolve)

    expect(await promise).toBe('LAST WORDS')
    process.stop()
    await process.gone
  })

  it('ends with the last words of a process, although another one still holds the pipe', () => {
    const { out, lines, output } = read()
    out.write('cannot open map')

    output.end()

    expect([lines, output.lastLines]).toEqual([['cannot open map'], ['cannot open map']])
  })

  it('ends with the last lines of a process, although they were dropped', () => {
    const { out, err, lines, output } = read()
    for (let i = 0; i < 10; i += 1) out.write(chunk)

    output.readRest()
    const isRead = !err.isPaused
    err.write('Error: null pointer\n')
    output.end()

    expect([isRead, output.lastLines.at(-1)]).toEqual([true, 'Error: null pointer'])
    expect(lines.at(-1)).toBe('… 130,971 lines dropped')
  })
})
