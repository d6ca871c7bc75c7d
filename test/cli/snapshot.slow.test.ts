import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createMockmaker } from '../../src/index.js'
import { file, run, serve } from '../support/command.js'
import { callsTo } from '../support/example-calls.js'
import { ask, comparable, sendTo, type TestRequest, type TestResponse } from '../support/http.js'
import { jsonHeaders } from '../support/served-mock.js'
import { tanks } from '../support/tanks.js'
import { closedAfterTest, live } from '../support/worlds.js'

/** A response without its watch index, and with the links of the test. */
function plain(got: TestResponse, url: string): TestResponse {
  const { body, ...others } = comparable(got)
  return { ...others, body: body.replace(/("watch":\{"index":)"\d+"/, '$1""').replaceAll(url, 'http://links.test') }
}

describe('mockmaker <snapshot>', () => {
  // A test in-process compares the answers of any worlds.
  it('answers every request as the world did, except for the watch index', async () => {
    const mock = closedAfterTest(createMockmaker({ scenario: tanks, publicUrl: 'http://links.test' }))
    await mock.world.clock.advance('5s')
    mock.lobby({ players: 2 })
    const snapshot = stringify(mock.snapshot())

    const { url } = await serve([await file('bug.yaml', snapshot)])
    for (const sent of callsTo(live(mock.world))) {
      const [there, here] = [await sendTo(url, sent), await ask(mock, withHost(sent))]
      expect(plain(there, url)).toEqual(plain(here, url))
    }
  })

  it('is what `mockmaker export` prints, with its journal and its faults', async () => {
    const { url } = await serve()
    await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list' })
    const fault = JSON.stringify({ operation: 'lobbies.list', effect: { error: { status: 503 } } })
    await sendTo(url, { method: 'POST', path: '/__mock/faults', headers: jsonHeaders, body: fault })

    const { stdout } = await run(['export', '--url', url, '--with', 'journal,faults'])

    const other = await serve([await file('bug.yaml', stdout)])
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

/** Adds the host that every request on a socket has. */
function withHost(sent: TestRequest): TestRequest {
  return { ...sent, headers: { host: 'localhost', ...sent.headers } }
}
