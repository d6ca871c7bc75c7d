import { bind, defaultPort } from './express/bind.js'
import { type AppOptions, createListener, type ServedMock } from './express/listener.js'
import type { Mock } from './mock.js'
import { checkListenOptions } from './mock-options.js'

/** Where, and to whom, a server answers. */
export interface ListenOptions extends AppOptions {
  /** Default 4100; 0 picks a free one. */
  readonly port?: number | undefined
  /** Default: 127.0.0.1 and ::1. */
  readonly host?: string | undefined
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:4100`, without a slash at its end. */
  readonly url: string
  /** Answers every waiter, ends the mock and frees the port. */
  close(): Promise<void>
}

/** Serves a mock on this machine. Rejects where the port is taken. */
export async function listen(mock: ServedMock & Pick<Mock, 'close'>, options: ListenOptions = {}): Promise<Listening> {
  checkListenOptions(options)
  const { port = defaultPort, host, ...app } = options
  const { url, serve, close } = await bind({ port, host })
  serve(createListener(mock, app))
  return { url, close: () => close(mock) }
}

export { createApp } from './express/app.js'
export type { AppOptions, ServedMock } from './express/listener.js'
export { type MockExpressOptions, mockExpress } from './express/mock-express.js'
