import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A listener on a port of its own. */
export async function serving(listener: RequestListener): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}
