import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { StreamWriter } from '../../../src/server/http/stream-writer.js'

/** A response that keeps what is written. Its client is slow while `writableNeedDrain` is set. */
class FakeResponse extends EventEmitter {
  readonly writes: string[] = []
  writableNeedDrain = false
  destroyed = false

  write(text: string): void {
    this.writes.push(text)
    this.emit('write')
  }

  end(): void {
    this.emit('end')
  }
}

function createWriter() {
  const response = new FakeResponse()
  const nextWrite = () => new Promise(resolve => response.once('write', resolve))
  return { response, nextWrite, writer: new StreamWriter(response as unknown as ServerResponse) } // all of it that a writer uses
}

describe('a stream writer', () => {
  it('writes the texts of a turn together, and those of the pause after it together', async () => {
    const { response, nextWrite, writer } = createWriter()

    for (const text of ['a', 'b']) writer.send(text)
    await nextWrite()
    for (const text of ['c', 'd']) writer.send(text)
    await new Promise(setImmediate)
    expect(response.writes).toEqual(['ab'])

    await nextWrite()
    expect(response.writes).toEqual(['ab', 'cd'])
  })

  it('takes all texts until the next write, and lets the sender wait after it', async () => {
    const { response, nextWrite, writer } = createWriter()
    writer.send('a')
    await writer.drained()
    await nextWrite()
    let isDrained = false

    const drained = writer.drained().then(() => (isDrained = true))
    await new Promise(setImmediate)
    expect(isDrained).toBe(false)

    await drained
    expect(response.writes).toEqual(['a'])
  })

  it('lets the sender wait for a slow client, and no longer than its connection', async () => {
    const { response, nextWrite, writer } = createWriter()
    writer.send('a')
    response.writableNeedDrain = true
    await nextWrite()
    const [drained, alsoDrained] = [writer.drained(), writer.drained()]

    response.writableNeedDrain = false
    response.emit('drain')
    await drained
    response.writableNeedDrain = true
    const closed = writer.drained()
    response.destroyed = true
    response.emit('close')

    await Promise.all([alsoDrained, closed])
    writer.send('b')
    await new Promise(setImmediate)
    expect(response.writes).toEqual(['a'])
  })

  it('writes a long text at once', () => {
    const { response, writer } = createWriter()

    writer.send('x'.repeat(1024 ** 2 + 1))

    expect(response.writes.map(text => text.length)).toEqual([1024 ** 2 + 1])
  })

  it('writes what it has before the end', () => {
    const { response, writer } = createWriter()
    const ended = vi.fn()
    response.on('end', ended)

    writer.send('a')
    writer.end()

    expect([response.writes, ended.mock.calls.length]).toEqual([['a'], 1])
  })

  it('goes on under fake timers', async () => {
    vi.useFakeTimers()
    const { response, nextWrite, writer } = createWriter()
    writer.send('a')
    await nextWrite()
    writer.send('b')
    await nextWrite()
    vi.useRealTimers()

    expect(response.writes).toEqual(['a', 'b'])
  })
})
