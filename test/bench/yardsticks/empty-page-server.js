// @ts-check
// Bare node:http with a static page of one word: `node empty-page-server.js <port>`. A page without content has no first paint.
import { createServer } from 'node:http'

const [, , port] = process.argv
const page = '<!doctype html><html lang="en"><title>page</title><link rel="icon" href="data:,"><p>page</p></html>'

createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(page)
}).listen(Number(port), '127.0.0.1')
