import type { ServerResponse } from 'node:http'
// Not the global functions: fake timers would stop the stream.
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers'
import type { StreamClient } from '../../core/pipeline/message.js'

const pauseMs = 50

/** A longer text is written at once, in characters. */
const longestText = 1024 ** 2

/** Writes the texts of a stream. Those that come soon after one go out together: a write costs more than most events. */
export class StreamWriter implements StreamClient {
  #text = ''
  #turn: NodeJS.Immediate | undefined
  #pause: NodeJS.Timeout | undefined
  #wakers: (() => void)[] = []

  constructor(private readonly response: ServerResponse) {
    response.on('drain', () => this.#wake())
    response.once('close', () => {
      clearTimeout(this.#pause)
      clearImmediate(this.#turn)
      this.#wake()
    })
  }

  send(text: string): void {
    this.#text += text
    if (this.#text.length > longestText) this.#write()
    else if (this.#pause === undefined) this.#turn ??= setImmediate(() => this.#write())
  }

  end(): void {
    this.#write()
    clearTimeout(this.#pause)
    this.response.end()
  }

  /** Resolves at once until the next write. After one, waits for the pause, and for a slow client. */
  async drained(): Promise<void> {
    const { writableNeedDrain, destroyed } = this.response
    if (destroyed || (this.#pause === undefined && !writableNeedDrain)) return
    await new Promise<void>(resolve => this.#wakers.push(resolve))
    await this.drained()
  }

  #write(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
    if (this.#text === '' || this.response.destroyed) return
    this.response.write(this.#text)
    this.#text = ''
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (this.#text !== '') this.#turn ??= setImmediate(() => this.#write())
      this.#wake()
    }, pauseMs)
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake()
  }
}
