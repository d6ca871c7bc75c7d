// @ts-check
// Fetches the list under MSW again and again, and prints the cost of a call: `node msw-process.js mockmaker|static <scenario file>`.
import { readFileSync } from 'node:fs'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { setupMockmaker } from '../../dist/msw/node.js'
import { cpuMs } from './figures.js'
import { initOf, list } from './requests.js'

const [, , subject, file = ''] = process.argv
const mock = setupMockmaker({ scenario: JSON.parse(readFileSync(file, 'utf8')) })
const { body } = await mock.answer({ method: 'GET', path: list.path, headers: initOf(list).headers })
const text = new TextDecoder().decode(body)
const value = JSON.parse(text)
const server =
  subject === 'static' ? setupServer(http.get(`*${list.path}`, () => HttpResponse.json(value))) : mock.server
server.listen()
await callFor(600)
process.stdout.write(JSON.stringify(await callFor(1_000)))
process.exit()

/** @param {number} ms */
async function callFor(ms) {
  const before = cpuMs()
  const startedAt = performance.now()
  let count = 0
  while (performance.now() - startedAt < ms) {
    const answer = await (await fetch(`https://matchmaker.example${list.path}`, initOf(list))).text()
    if (answer !== text) throw new Error(`${subject} answers ${answer}`)
    count += 1
  }
  return { 'CPU µs': ((cpuMs() - before) * 1000) / count }
}
