import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The URL of a server that stands in for a mock, until the end of the test. */
export async function standIn(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  // A server that listens on a port has an address that is no string and not null.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
