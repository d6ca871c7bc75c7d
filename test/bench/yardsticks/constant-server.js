// @ts-check
// Bare node:http that writes the same bytes each time: `node constant-server.js <port> <file with the JSON to answer>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , port, file = ''] = process.argv
const body = readFileSync(file)
const head = { 'content-type': 'application/json', 'content-length': body.length }

createServer((_request, response) => {
  response.writeHead(200, head)
  response.end(body)
}).listen(Number(port), '127.0.0.1')
