import { real } from './real-globals.js'

/** Listeners, and the values that they get. */
export class Emitter<Value> {
  readonly #listeners = new Set<(value: Value) => void>()

  /** The number of listeners. */
  get size(): number {
    return this.#listeners.size
  }

  /** Adds a listener. Returns a function that removes it. A function that subscribes twice is called twice. */
  subscribe(listener: (value: Value) => void): () => void {
    const own = (value: Value) => listener(value)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Calls the listeners of this moment, except those that another one removes. */
  emit(value: Value): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) callListener(() => listener(value))
  }

  /** Removes all listeners. */
  clear(): void {
    this.#listeners.clear()
  }
}

/** Calls a listener. Its error reaches neither the caller nor the other listeners: it becomes an uncaught error. */
export function callListener(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    real.queueMicrotask(() => {
      throw error
    })
  }
}
