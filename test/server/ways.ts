import { listen } from '../../src/express.js'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { type Got, type Sent, sendTo } from '../doors.js'
import { tanks } from '../tanks.js'
import { ask } from './ask.js'

/** A mock of tanks that can be asked, and be looked into. */
export interface Open {
  readonly mock: Mockmaker
  send(sent: Sent): Promise<Got>
  close(): Promise<void>
}

/** The two ways into a mock that differ most: without a transport, and on a socket. */
export const ways: readonly { readonly name: string; open(): Promise<Open> }[] = [
  {
    name: 'answer',
    async open() {
      const mock = createMockmaker({ scenario: tanks })
      return { mock, send: sent => ask(mock, sent), close: mock.close }
    },
  },
  {
    name: 'the listening server',
    async open() {
      const { mock, url, close } = await listening()
      return { mock, send: sent => sendTo(url, sent), close }
    },
  },
]

/** A mock of tanks on a socket. */
export async function listening(options: { readonly allowedHosts?: readonly string[] } = {}) {
  const mock = createMockmaker({ scenario: tanks })
  const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1', ...options })
  return { mock, url, close }
}
