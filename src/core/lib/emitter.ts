import { real } from './real-globals.js'

/** Listeners, and the values that they get. */
export class Emitter<Value> {
  readonly #listeners = new Set<(value: Value) => void>()
  /** The same as a list. `undefined` after a change, until the next `emit`. */
  #list: readonly ((value: Value) => void)[] | undefined

  /** The number of listeners. */
  get size(): number {
    return this.#listeners.size
  }

  /** Adds a listener. Returns a function that removes it. A function that subscribes twice is called twice. */
  subscribe(listener: (value: Value) => void): () => void {
    const own = (value: Value) => listener(value)
    this.#listeners.add(own)
    this.#list = undefined
    return () => {
      this.#listeners.delete(own)
      this.#list = undefined
    }
  }

  /** Calls the listeners of this moment, except those that another one removes. */
  emit(value: Value): void {
    this.#list ??= [...this.#listeners]
    for (const listener of this.#list) if (this.#listeners.has(listener)) callListener(listener, value)
  }

  /** Removes all listeners. */
  clear(): void {
    this.#listeners.clear()
    this.#list = undefined
  }
}

/** Calls a listener. Its error reaches neither the caller nor the other listeners: it becomes an uncaught error. */
export function callListener<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    real.queueMicrotask(() => {
      throw error
    })
  }
}
