import { describe, expect, it } from 'vitest'
import { mockOf } from '../../src/core/mock/facade.js'
import { createMockmaker } from '../../src/index.js'
import { serveDuringTest } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'

async function served() {
  const mock = createMockmaker()
  return { url: await serveMock(mock), notReady: mockOf(mock, 'test').notReady }
}

describe('mockmaker health', () => {
  it('exits with 0, and prints a line, if the mock is ready', async () => {
    const { url } = await served()

    expect(await runHere(['health', '--url', url])).toEqual({ code: 0, stdout: `${url} is ready\n`, stderr: '' })
  })

  it('asks the server of a world', async () => {
    const { url } = await served()

    expect((await runHere(['health', '--url', `${url}/w/test-42`])).stdout).toBe(`${url} is ready\n`)
  })

  it('asks the port in PORT, as a mock in the same container listens there', async () => {
    const { url } = await served()

    const got = await runHere(['health'], { env: { PORT: new URL(url).port } })

    expect(got).toEqual({ code: 0, stdout: `${url} is ready\n`, stderr: '' })
  })

  it('exits with 1, and prints the reason, if the mock is not ready', async () => {
    const { url, notReady } = await served()
    notReady.add('the storage\nis away')

    const got = await runHere(['health', '--url', url])

    expect(got).toEqual({ code: 1, stdout: '', stderr: `${url} is not ready: the storage\\nis away\n` })
  })

  it('exits with 1 if nothing answers', async () => {
    const { code, stderr } = await runHere(['health', '--url', 'http://127.0.0.1:1'])

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'nothing answers at http://127.0.0.1:1. More in the package: docs/something-is-wrong.md\n',
    })
  })

  it.for(['<h1>ok</h1>', '{"status":"fine"}', '"ok"', 'null', ''])(
    'exits with 1 if another program answers %j',
    async body => {
      const url = await serveDuringTest((_, response) => void response.end(body))

      const { code, stderr } = await runHere(['health', '--url', url])

      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `the server at ${url} is not mockmaker: pass the URL of a mock with --url\n`,
      })
    },
  )
})
