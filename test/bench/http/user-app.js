// @ts-check
// The mock in a user's Express app, as docs/guides/express.md shows it, and before it a route of the app's own that answers the same list:
// `node user-app.js <port> <scenario file> <path> <file with the JSON to answer>`.
import { readFileSync } from 'node:fs'
import express from 'express'
import { createMockmaker } from '../../../dist/index.js'
import { mockExpress } from '../../../dist/server/http/index.js'

const [, , port, scenario = '', path = '', file = ''] = process.argv
const mock = createMockmaker({ scenario: JSON.parse(readFileSync(scenario, 'utf8')) })
const list = JSON.parse(readFileSync(file, 'utf8'))

const app = express()
app.get(path, (_request, response) => void response.json(list))
app.use(mockExpress(mock.handlers))
app.listen(Number(port), '127.0.0.1')
