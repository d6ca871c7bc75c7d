import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createMockmaker } from '../../src/index.js'
import { run, serve } from '../support/command.js'
import { callsTo } from '../support/example-calls.js'
import { ask, comparable, sendTo, type TestRequest, type TestResponse } from '../support/http.js'
import { tanks } from '../support/tanks.js'
import { live } from '../support/worlds.js'

/** A response without its watch index, and with the links of the test. */
function plain(got: TestResponse, url: string): TestResponse {
  const { body, ...others } = comparable(got)
  return { ...others, body: body.replace(/("watch":\{"index":)"\d+"/, '$1""').replaceAll(url, 'http://links.test') }
}

async function inFolder<T>(files: Readonly<Record<string, string>>, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mockmaker-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('mockmaker <snapshot>', () => {
  // A test in-process compares the answers of any worlds.
  it('answers every request as the world did, except for the watch index', async () => {
    const mock = createMockmaker({ scenario: { ...tanks, clock: 'frozen' }, publicUrl: 'http://links.test' })
    await mock.world.clock.advance('5s')
    mock.lobby({ players: 2 })
    const snapshot = stringify(mock.snapshot())

    await inFolder({ 'bug.yaml': snapshot }, async folder => {
      const { url } = await serve([join(folder, 'bug.yaml')])
      for (const sent of callsTo(live(mock.world))) {
        const [there, here] = [await sendTo(url, sent), await ask(mock, withHost(sent))]
        expect(plain(there, url)).toEqual(plain(here, url))
      }
    })
    await mock.close()
  })

  it('is what `mockmaker export` prints, with its journal and its faults', async () => {
    const { url } = await serve()
    await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })
    const fault = JSON.stringify({ operation: 'lobbies.list', effect: { error: { status: 503 } } })
    await sendTo(url, {
      method: 'POST',
      path: '/__mock/faults',
      headers: { 'content-type': 'application/json' },
      body: fault,
    })

    const { stdout } = await run(['export', '--url', url, '--with', 'journal,faults'])

    await inFolder({ 'bug.yaml': stdout }, async folder => {
      const other = await serve([join(folder, 'bug.yaml')])
      const listed = await sendTo(other.url, { method: 'GET', path: '/matchmaker/lobbies/list' })
      const journal = JSON.parse((await sendTo(other.url, { method: 'GET', path: '/__mock/journal' })).body)
      expect(listed.status).toBe(503)
      expect(journal.exchanges).toMatchObject([
        { id: 1, status: 200 },
        // Number 2 is the change set with the counter of the fault.
        { id: 3, status: 503, fault: '1' },
      ])
    })
  })
})

/** Adds the host that every request on a socket has. */
function withHost(sent: TestRequest): TestRequest {
  return { ...sent, headers: { host: 'localhost', ...sent.headers } }
}
