// @ts-check
// Bare node:http: `node http-server.js <port> <file with the JSON to answer>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , port, file = ''] = process.argv
const list = JSON.parse(readFileSync(file, 'utf8'))

createServer((_request, response) => {
  const body = JSON.stringify(list)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}).listen(Number(port), '127.0.0.1')
