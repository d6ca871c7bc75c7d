// @ts-check
// The mock in a user's Express app, as README shows it: `node user-app.js <port> <scenario file>`.
import { readFileSync } from 'node:fs'
import express from 'express'
import { mockExpress } from '../../dist/express.js'
import { createMockmaker } from '../../dist/index.js'

const [, , port, file = ''] = process.argv
const mock = createMockmaker({ scenario: JSON.parse(readFileSync(file, 'utf8')) })

const app = express()
app.use(mockExpress(mock.handlers))
app.listen(Number(port), '127.0.0.1')
