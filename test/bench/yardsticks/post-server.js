// @ts-check
// Bare node:http that reads a body, parses it, and answers JSON: `node post-server.js <port> <file with the JSON to answer>`.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [, , port, file = ''] = process.argv
const value = JSON.parse(readFileSync(file, 'utf8'))

createServer((request, response) => {
  if (request.method !== 'POST') return void response.end()
  /** @type {Buffer[]} */
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    const body = JSON.stringify(value)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}).listen(Number(port), '127.0.0.1')
