import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** Serves a port whose connections go to each of the servers in turn. */
export async function balance(urls: readonly string[]) {
  let connections = 0
  const balancer = createServer(socket => {
    connections += 1
    const { port, hostname } = new URL(urls[connections % urls.length] ?? '')
    const server = connect(Number(port), hostname)
    socket.pipe(server).pipe(socket)
    // A reset of one side is a reset of the other.
    for (const end of [socket, server]) end.on('error', () => void [socket, server].map(each => each.resetAndDestroy()))
  }).listen(0, '127.0.0.1')
  await once(balancer, 'listening')
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`, // it listens
    connections: () => connections,
    close: () => void balancer.close(),
  }
}
