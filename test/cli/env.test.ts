import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { freePort, run, serveJson } from './command.js'
import { standIn } from './stand-in.js'

const shell = promisify(execFile)

describe('mockmaker env', () => {
  it('prints the URL and a public token of a running mock, for a shell', async () => {
    const { url } = await serveJson()

    expect(await run(['env', '--url', `${url}/`])).toEqual({
      code: 0,
      stdout: [
        `export MOCKMAKER_URL=${url}`,
        `export RIVET_API_ENDPOINT=${url}`,
        'export RIVET_TOKEN=pub_prod.mock.one',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it.for([
    ['development', 'dev_prod.mock.one'],
    ['cloud', 'cloud.mock.tanks'],
  ] as const)('prints a %s token where it is asked for', async ([kind, token]) => {
    const { url } = await serveJson()

    const { stdout } = await run(['env', '--url', url, '--token', kind])

    expect(stdout).toContain(`export RIVET_TOKEN=${token}\n`)
  })

  it('is of the world that the URL names', async () => {
    const { url } = await serveJson()

    const { stdout } = await run(['env', '--url', `${url}/w/test-42`])

    expect(stdout).toContain(`export RIVET_API_ENDPOINT=${url}/w/test-42\n`)
  })

  it('quotes what a shell would take for something else', async () => {
    const token = "it's $HOME; `echo`"
    const url = await standIn((_, response) => response.end(JSON.stringify({ tokens: [{ kind: 'public', token }] })))
    const { stdout } = await run(['env', '--url', url])

    const evaluated = await shell('sh', ['-c', `${stdout}printf %s "$RIVET_TOKEN"`])

    expect(evaluated.stdout).toBe(token)
  })

  it('ends with 1 where nothing answers there', async () => {
    const url = `http://127.0.0.1:${await freePort()}`

    expect(await run(['env', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `nothing answers at ${url}: start mockmaker there, or name its URL with --url\n`,
    })
  })

  it.for(['<title>A page</title>', '{}', 'null'])('ends with 1 where something else answers: %s', async body => {
    const url = await standIn((_, response) => response.end(body))

    const { code, stdout, stderr } = await run(['env', '--url', url])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`what answers at ${url} is no mockmaker: name the URL of one with --url\n`)
  })

  it('ends with 1 and what the mock says where it refuses', async () => {
    const { url } = await serveJson(['--no-control'])

    const { code, stderr } = await run(['env', '--url', url])

    expect(code).toBe(1)
    expect(stderr.startsWith(`${url} answers 404: `)).toBe(true)
    expect(stderr).toContain('--no-control')
  })
})
