import { describe, expect, it } from 'vitest'
import { file, run, serve } from '../support/command.js'
import { sendTo } from '../support/http.js'
import { jsonHeaders } from '../support/served-mock.js'

describe('mockmaker <snapshot>', () => {
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
