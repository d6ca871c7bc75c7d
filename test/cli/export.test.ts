import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runAtOnce } from '../../src/core/lib/steps.js'
import { mockOf } from '../../src/core/mock/facade.js'
import { createMockmaker } from '../../src/index.js'
import { capsuleHtml, capsuleJson } from '../../src/server/files/capsule-html.js'
import { loadScenario } from '../../src/server/files/scenario-file.js'
import { folder } from '../support/command.js'
import { serveDuringTest } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'
import { closedAfterTest } from '../support/worlds.js'

const snapshot = { title: 'Ünter uns', lobbies: [{ lobby_id: 'one' }] }
const yaml = 'title: Ünter uns\nlobbies:\n  - lobby_id: one\n'

/** A server that answers with a snapshot, and the requests that it gets. */
async function answering() {
  const asked: unknown[] = []
  const url = await serveDuringTest(({ method, url, headers }, response) => {
    asked.push([method, url, headers.accept])
    response.setHeader('content-type', 'application/json').end(JSON.stringify(snapshot))
  })
  return { url, asked }
}

describe('mockmaker export', () => {
  it('prints the snapshot of a running mock, as YAML', async () => {
    const { url, asked } = await answering()

    expect(await runHere(['export', '--url', url])).toEqual({ code: 0, stdout: yaml, stderr: '' })
    expect(asked).toEqual([['GET', '/__mock/snapshot', 'application/json']])
  })

  it('asks for more parts with --with, of the world in the URL', async () => {
    const { url, asked } = await answering()

    await runHere(['export', '--url', `${url}/w/test-42`, '--with', 'journal,faults'])

    expect(asked).toEqual([
      ['GET', '/__mock/worlds/test-42', 'application/json'],
      ['GET', '/w/test-42/__mock/snapshot?with=journal%2Cfaults', 'application/json'],
    ])
  })

  it('asks for a revision with --revision', async () => {
    const { url, asked } = await answering()

    await runHere(['export', '--url', url, '--revision', '1795353726460', '--with', 'faults'])

    expect(asked).toEqual([['GET', '/__mock/snapshot?with=faults&revision=1795353726460', 'application/json']])
  })

  it('says which revisions are kept if that one is not', async () => {
    const url = await serveMock(createMockmaker())

    const { code, stdout, stderr } = await runHere(['export', '--url', url, '--revision', '3'])

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('revision 3 is no longer kept: the oldest one is')
  })

  it('creates no world if its name is mistyped', async () => {
    const mock = createMockmaker()
    const url = await serveMock(mock)
    await mock.worlds.put('test-42')

    const { code, stdout, stderr } = await runHere(['export', '--url', `${url}/w/test-24`])
    const worlds = mock.worlds.list().map(({ id }) => id)

    expect({ code, stdout, worlds }).toEqual({ code: 1, stdout: '', worlds: ['default', 'test-42'] })
    expect(stderr).toContain('there is no world "test-24"')
  })

  it('prints a long snapshot whole, as JSON', async () => {
    const json = JSON.stringify({ title: 'x'.repeat(4_000_000) })
    const url = await serveDuringTest((_, response) => response.end(json))

    for (const output of [[], ['-o', '-']]) {
      const { stdout } = await runHere(['export', '--url', url, ...output])

      expect(stdout === `${json}\n`).toBe(true)
    }
  })

  it.for(['{"title": "cut', '<h1>Not here</h1>', 'title: yes'])(
    'ends with 1 if the response is not a snapshot: %s',
    async answer => {
      const url = await serveDuringTest((_, response) => response.end(answer))

      const { code, stderr } = await runHere(['export', '--url', url])

      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `the response of ${url} is not a snapshot: pass the URL of a mock with --url\n`,
      })
    },
  )

  it('ends with 1 if the connection closes early', async () => {
    const url = await serveDuringTest((_, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"title":')
      setImmediate(() => response.destroy())
    })

    const { code, stderr } = await runHere(['export', '--url', url])

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${url} closed the connection before the end of its response: try again\n`,
    })
  })

  it.for([
    ['{"code":"API_BAD_QUERY","message":"with is \\"jurnal\\""}', '%url answers 400: with is "jurnal"'],
    ['<h1>Not here</h1>', 'the server at %url/__mock/snapshot is not a mock: it answered 400 <h1>Not here</h1>'],
    ['', 'the server at %url/__mock/snapshot is not a mock: it answered 400'],
  ] as const)('ends with 1 and the message of the server: %s', async ([body, message]) => {
    const url = await serveDuringTest((_, response) => response.writeHead(400).end(body))

    expect(await runHere(['export', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${message.replace('%url', url)}\n`,
    })
  })
})

describe('mockmaker export --capsule', () => {
  it('writes the world with its past to a file, which validate and a mock read', async () => {
    const url = await serveMock(createMockmaker({ scenario: { title: 'Mine', game_modes: ['duel'] } }))
    await fetch(`${url}/matchmaker/lobbies/find`, { method: 'POST', body: '{"game_modes":["duel"]}' })
    const path = join(await folder(), 'bug.html')

    const { code, stdout } = await runHere(['export', '--url', url, '--capsule', path])
    const printed = await runHere(['export', '--url', url, '--capsule', '-'])
    const validated = await runHere(['validate', path])

    expect([code, validated.code]).toEqual([0, 0])
    expect(JSON.parse(capsuleJson(printed.stdout) ?? '')).toHaveProperty('past.exchanges.length', 1)
    expect(stdout).toMatch(
      /bug\.html has the world with its past, \d+ KB\. Open it in a browser, or serve it: mockmaker /,
    )
    expect(validated.stdout).toMatch(
      /bug\.html: ok, a capsule of mockmaker \d\S+, made 20\S+: 1 change, 1 request, 1 player\n/,
    )
    const opened = closedAfterTest(createMockmaker({ scenario: (await loadScenario(path)).scenario }))
    expect([opened.world.title, opened.stories.list().total, opened.journal.find()[0]?.operation]).toEqual([
      'Mine',
      1,
      'lobbies.find',
    ])
  })

  it('is not ok for validate if its past is damaged', async () => {
    const path = join(await folder(), 'bug.html')
    const json = runAtOnce(mockOf(createMockmaker(), 'test').default.capsule())
    await writeFile(path, await capsuleHtml(json.replace('"base":"{', '"base":"{{')))

    const { code, stderr } = await runHere(['validate', path])

    expect([code, stderr]).toEqual([1, expect.stringContaining('the past in the capsule is damaged')])
  })

  it('leaves an older file as it was if the new one cannot be written', async () => {
    const { url } = await answering()
    const path = join(await folder(), 'world.yaml')
    await writeFile(path, 'older')
    // The place of the new file is taken.
    await writeFile(`${path}.${process.pid}.tmp`, '')

    const { code } = await runHere(['export', '--url', url, '--output', path])

    expect([code, await readFile(path, 'utf8')]).toEqual([1, 'older'])
  })

  it('asks for the newest part with --last', async () => {
    const { url, asked } = await answering()
    const path = join(await folder(), 'bug.html')

    const { code, stderr } = await runHere(['export', '--url', url, '--capsule', path, '--last', '10m'])

    expect(asked).toEqual([['GET', '/__mock/capsule?last=10m', 'text/html']])
    // Another server has answered.
    expect([code, stderr]).toEqual([1, `the response of ${url} is no capsule: pass the URL of a mock with --url\n`])
    expect(existsSync(path)).toBe(false)
  })

  it('says where it cannot write', async () => {
    const url = await serveMock(createMockmaker())

    const { code, stderr } = await runHere(['export', '--url', url, '--capsule', '/no/such/folder/bug.html'])

    expect([code, stderr]).toEqual([1, 'cannot write /no/such/folder/bug.html: its folder does not exist\n'])
  })

  it.for([
    [['-o', 'bug.html'], 'a page is a capsule: write --capsule bug.html in place of --output'],
    [['--last', '10m'], '--last cuts a capsule: add --capsule <file>'],
    [['--capsule', 'bug.html', '--har'], '--capsule writes the whole world to its file: remove --har'],
    [['--capsule', 'bug.html', '-o', 'x'], '--capsule writes the whole world to its file: remove --output'],
  ] as const)('refuses %j', async ([args, message]) => {
    const { code, stderr } = await runHere(['export', ...args])

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
