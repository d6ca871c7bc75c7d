// @ts-check
// Express over MSW's handlers, each request made and each response written by hand: `node msw-express-server.js <port> <file with the JSON to answer>`.
import { readFileSync } from 'node:fs'
import express from 'express'
import { getResponse, HttpResponse, http } from 'msw'

const [, , port, file = ''] = process.argv
const list = JSON.parse(readFileSync(file, 'utf8'))
const handlers = [http.get('*/matchmaker/lobbies/list', () => HttpResponse.json(list))]

const app = express()
app.use(async (request, response, next) => {
  const headers = new Headers(/** @type {Record<string, string>} */ (request.headers))
  const url = `http://${request.headers.host}${request.originalUrl}`
  const answer = await getResponse(handlers, new Request(url, { method: request.method, headers }))
  if (!answer) return next()
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
})
app.listen(Number(port), '127.0.0.1')
