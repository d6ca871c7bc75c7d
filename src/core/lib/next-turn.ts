import { MessageChannel, real } from './real-globals.js'

/** jsdom has none. */
const Channel: typeof MessageChannel | undefined = MessageChannel

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    if (!Channel) {
      real.setTimeout(resolve, 0)
      return
    }
    const { port1, port2 } = new Channel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
