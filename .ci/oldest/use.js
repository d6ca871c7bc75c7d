// Uses the entry points that no test runner is for.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createMockmaker } from 'mockmaker'
import { answer, request, scenario } from 'mockmaker/arbitraries'
import { mockmaker } from 'mockmaker/vite'
import { createServer } from 'vite'

for (const arbitrary of [scenario(), request('lobbies.find'), answer('lobbies.list')]) fc.sample(arbitrary, 10)
const [generated] = fc.sample(scenario(), 1)
await createMockmaker({ scenario: generated }).close()

const vite = await createServer({ configFile: false, logLevel: 'silent', plugins: [mockmaker()], server: { port: 0 } })
await vite.listen()
const url = `http://localhost:${vite.httpServer.address().port}/mm`
const list = () => fetch(`${url}/matchmaker/lobbies/list`)
const { lobbies } = await (await list()).json()
assert.equal(lobbies.length, 7)
const fault = JSON.stringify({ operation: 'lobbies.list', effect: { hold: true } })
await fetch(`${url}/__mock/faults`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: fault })
const held = list()
const isHeld = async () => (await (await fetch(`${url}/__mock/journal`)).json()).pending.length > 0
while (!(await isHeld()));
await vite.close()
assert.equal((await held).status, 200, 'the mock closes with its server')
