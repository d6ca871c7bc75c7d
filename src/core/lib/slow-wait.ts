import { real, unref } from './real-globals.js'

/** The time after which a wait says what it waits for, in ms. Test runners end a test after 5 s. */
export const slowMs = 4_000

/** Calls a function after a while, unless the returned one is called first. It keeps no process alive. */
export function whenSlow(say: () => void): () => void {
  const timer = unref(real.setTimeout(say, slowMs))
  return () => real.clearTimeout(timer)
}

/** The texts that the console has, and whose waits go on. Many waits may have one reason. */
const said = new Set<string>()

/** Waits for a promise. If that takes long, the console says what it waits for. */
export async function sayIfSlow<T>(promise: Promise<T>, textOf: () => string): Promise<T> {
  let text: string | undefined
  const stop = whenSlow(() => {
    text = `mockmaker: ${textOf()}`
    // biome-ignore lint/suspicious/noConsole: whoever waits sees nothing else
    if (!said.has(text)) console.warn(text)
    said.add(text)
  })
  try {
    return await promise
  } finally {
    stop()
    if (text !== undefined) said.delete(text)
  }
}
