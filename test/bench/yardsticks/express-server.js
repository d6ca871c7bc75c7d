// @ts-check
// Bare Express 5: `node express-server.js <port> [file with the JSON to answer]`.
import { readFileSync } from 'node:fs'
import express from 'express'

const [, , port, file] = process.argv
const list = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))

const app = express()
app.get('/matchmaker/lobbies/list', (_request, response) => void response.json(list))
app.listen(Number(port), '127.0.0.1')
