import { describe, expect, it } from 'vitest'
import { lineLike, run, serveJson, start } from '../support/command.js'
import { sendTo, serveDuringTest } from '../support/http.js'

describe('mockmaker serve', () => {
  it.for([
    [['serve', 'tokens-only', '--json', '--port', '0']],
    [['--json', '--port', '0', 'serve', 'tokens-only']],
    [['--json', '--port', '1', 'serve', '--port', '0', 'tokens-only']],
  ])('serves like mockmaker without a command: %j', async ([args = []]) => {
    const command = start(args)

    const line = await lineLike(command, { like: /"listening"/ })

    const { scenario, url } = JSON.parse(line)
    expect(scenario).toBe('Tokens only')
    expect((await sendTo(url, { method: 'GET', path: '/__mock/health' })).status).toBe(200)
  })
})

// The other tests of these commands run them in the process of the test.
describe('mockmaker', () => {
  it('prints an error on standard error, and ends with its code', async () => {
    const [{ code, stdout, stderr }, { code: failed }] = await Promise.all([run(['--prot', '1']), run(['exce'])])

    expect({ code, stdout, failed }).toEqual({ code: 2, stdout: '', failed: 1 })
    expect(stderr).toContain('Did you mean --port?')
  })
})

describe('mockmaker env', () => {
  it('prints the variables of a running mock', async () => {
    const { url } = await serveJson()

    const { code, stdout, stderr } = await run(['env', '--url', url])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`export MOCKMAKER_URL=${url}\n`)
  })
})

describe('mockmaker export', () => {
  it('prints a long snapshot whole before it ends', async () => {
    const json = JSON.stringify({ title: 'x'.repeat(20_000_000) })
    const url = await serveDuringTest((_, response) => response.end(json))

    const { code, stdout } = await run(['export', '--url', url])

    expect([code, stdout === `${json}\n`]).toEqual([0, true])
  })
})
