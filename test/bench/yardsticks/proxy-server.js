// @ts-check
// A bare proxy on node:http: `node proxy-server.js <port> <url behind it>`. As little as forwarding can cost with node:http.
import { Agent, createServer, request as openRequest } from 'node:http'

const [, , port, behind = ''] = process.argv
const { hostname, port: portBehind } = new URL(behind)
const agent = new Agent({ keepAlive: true, scheduling: 'lifo' })

createServer((request, response) => {
  const { method, url: path, headers } = request
  const sent = openRequest({ agent, host: hostname, port: portBehind, method, path, headers }, received => {
    response.writeHead(received.statusCode ?? 0, received.headers)
    received.pipe(response)
  })
  sent.on('error', () => response.destroy())
  if (method === 'GET') sent.end()
  else request.pipe(sent)
}).listen(Number(port), '127.0.0.1')
