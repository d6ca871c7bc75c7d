// @ts-check
// Fetches one call under MSW again and again, and prints how fast that was:
// `node fetch-process.js <subject> <call> <scenario file> <file with the answers>`.
import { readFileSync } from 'node:fs'
import { setupServer } from 'msw/node'
import { cpuMs } from '../cpu.js'
import { calls } from './call.js'

const warmUpMs = 600
const measuredMs = 1_000
const origin = 'https://matchmaker.example'

const [, , subject = '', name = '', scenarioFile = '', answersFile = ''] = process.argv
const call = calls[/** @type {import('./call.js').CallName} */ (name)]
const answers = JSON.parse(readFileSync(answersFile, 'utf8'))
const expected = JSON.stringify(answers[name])
const scenario = JSON.parse(readFileSync(scenarioFile, 'utf8'))

// A yardstick loads nothing of the mock.
const server = subject === 'static' ? await staticServer() : await mockServer()
server.listen()
let index = 0
await callFor(warmUpMs)
process.stdout.write(JSON.stringify(await callFor(measuredMs)))
process.exit()

async function staticServer() {
  const { staticHandler } = await import('../yardsticks/static-handler.js')
  return setupServer(staticHandler(call, answers[name]))
}

async function mockServer() {
  const { setupMockmaker } = await import('../../../dist/msw/node.js')
  const { server, handlers } = setupMockmaker({ scenario })
  return subject === 'reversed' ? setupServer(...[...handlers].reverse()) : server
}

/** @param {number} ms */
async function callFor(ms) {
  const cpuBefore = cpuMs()
  const startedAt = performance.now()
  let count = 0
  while (performance.now() - startedAt < ms) {
    await callOnce()
    count += 1
  }
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: count / seconds, cpuUs: ((cpuMs() - cpuBefore) * 1000) / count }
}

async function callOnce() {
  const { method, path, token, body } = call
  const sent = body && { body: JSON.stringify(body(index++)) }
  const headers = { authorization: `Bearer ${token}`, ...(sent && { 'content-type': 'application/json' }) }
  const response = await fetch(origin + path, { method, headers, ...sent })
  const text = await response.text()
  if (text !== expected) throw new Error(`${subject} answers ${response.status}: ${text}`)
}
