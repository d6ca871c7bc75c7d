import { execFile } from 'node:child_process'
import { fc } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { curlOf, testOf } from '../../src/dashboard/request-code.js'
import type { SentRequest } from '../../src/server/history.js'
import { it } from '../support/served-mock.js'
import { createVitestProject } from '../support/vitest-project.js'

const find = '/matchmaker/lobbies/find'

/** Runs a line in a POSIX shell. */
const runInShell = (line: string) =>
  new Promise<void>((resolve, reject) => execFile('sh', ['-c', line], error => (error ? reject(error) : resolve())))

/** Asks for a past request as the dashboard does, with whole tokens. */
async function sentRequest(url: string, id: number): Promise<SentRequest> {
  const response = await fetch(`${url}/__mock/journal/${id}/request`, { headers: { 'sec-fetch-site': 'same-origin' } })
  return (await response.json()) as SentRequest
}

describe('the line of curl of a request', () => {
  it('sends the same again, whatever its body, query and headers have', async ({ serve }) => {
    const { mock, url } = await serve()
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const header = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
    const newest = () => {
      const { id = 0, method, path, query, body, headers, status } = mock.journal.find().at(-1) ?? {}
      return { id, facts: [method, path, query, body, headers?.['x-coords'], status] }
    }

    await fc.assert(
      fc.asyncProperty(fc.json(), text, header, async (body, search, value) => {
        const query = new URLSearchParams({ q: search }).toString()
        await fetch(`${url}${find}?${query}`, { method: 'POST', body, headers: { 'x-coords': value } })
        const { id, facts } = newest()

        await runInShell(`${curlOf(await sentRequest(url, id), url)} -s -o /dev/null`)

        const again = newest()
        expect(again.id).toBeGreaterThan(id)
        expect(again.facts).toEqual(facts)
      }),
      { numRuns: 25 },
    )
  })
})

describe('the test of a request', () => {
  it('passes with the world before it', async ({ serve }) => {
    const { mock, url } = await serve()
    const token = mock.tokens.find(({ kind }) => kind === 'public')?.token
    const headers = { authorization: `Bearer ${token}` }
    await fetch(url + find, { method: 'POST', headers, body: '{"game_modes":["it\'s \\"none\\" \u2028"]}' })
    await fetch(url + find, { method: 'POST', headers, body: '{"game_modes":["duel"]}' })
    const sources = await Promise.all(
      mock.journal.find().map(async entry => testOf(await sentRequest(url, entry.id), entry)),
    )
    const [first] = mock.journal.find()
    const world = JSON.stringify(mock.snapshot({ before: first?.id ?? 0, with: ['faults'] }))
    const project = await createVitestProject({
      'world.yaml': world,
      ...Object.fromEntries(sources.map((source, i) => [`test/${i}.test.js`, source])),
    })

    const { states, output } = await project.run()
    project.remove()

    expect(states, output).toEqual({
      'lobbies.find answers 400': 'passed',
      'lobbies.find answers 200': 'passed',
    })
  })
})
