import { describe, expect, it } from 'vitest'
import { listen } from '../../src/express.js'
import { createMockmaker } from '../../src/index.js'
import { run } from './command.js'
import { standIn } from './stand-in.js'

const snapshot = 'title: "Ünter uns"\nlobbies:\n  - lobby_id: one\n'

/** A stand-in that answers with a snapshot, and what it has been asked. */
async function answering() {
  const asked: unknown[] = []
  const url = await standIn(({ method, url, headers }, response) => {
    asked.push([method, url, headers.accept])
    response.setHeader('content-type', 'application/yaml').end(snapshot)
  })
  return { url, asked }
}

describe('mockmaker export', () => {
  it('prints the snapshot of a running mock, as YAML', async () => {
    const { url, asked } = await answering()

    expect(await run(['export', '--url', url])).toEqual({ code: 0, stdout: snapshot, stderr: '' })
    expect(asked).toEqual([['GET', '/__mock/snapshot', 'application/yaml']])
  })

  it('asks for what else shall be in it, in the world that the URL names', async () => {
    const { url, asked } = await answering()

    await run(['export', '--url', `${url}/w/test-42`, '--with', 'journal,faults'])

    expect(asked).toEqual([
      ['GET', '/__mock/worlds/test-42', 'application/json'],
      ['GET', '/w/test-42/__mock/snapshot?with=journal%2Cfaults', 'application/yaml'],
    ])
  })

  it('makes no world by a slip in its name', async () => {
    const mock = createMockmaker()
    const { url, close } = await listen(mock, { port: 0, host: '127.0.0.1' })
    await mock.worlds.put('test-42')

    const { code, stdout, stderr } = await run(['export', '--url', `${url}/w/test-24`])
    const worlds = mock.worlds.list().map(({ id }) => id)
    await close()

    expect({ code, stdout, worlds }).toEqual({ code: 1, stdout: '', worlds: ['default', 'test-42'] })
    expect(stderr).toContain('there is no world "test-24"')
  })

  it('prints one that is long to its end', async () => {
    const long = `title: ${'x'.repeat(4_000_000)}\n`
    const url = await standIn((_, response) => response.end(long))

    const { stdout } = await run(['export', '--url', url])

    expect(stdout === long).toBe(true)
  })

  it.for([
    ['{"code":"API_BAD_QUERY","message":"with is \\"jurnal\\""}', 'with is "jurnal"'],
    ['<h1>Not here</h1>', '<h1>Not here</h1>'],
    ['', 'nothing else'],
  ] as const)('ends with 1 and what the server says: %s', async ([body, message]) => {
    const url = await standIn((_, response) => response.writeHead(400).end(body))

    expect(await run(['export', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${url} answers 400: ${message}\n`,
    })
  })
})
