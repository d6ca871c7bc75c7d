import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../src/contract/operations.js'
import { sendTo } from '../doors.js'
import { linesAfter, run, serve, serveJson } from './command.js'

const escape = '\u001b['

describe('mockmaker routes', () => {
  it('prints a line for each operation: method, path, auth, name', async () => {
    const { code, stdout } = await run(['routes'])

    const rows = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(rows.map(row => row.split(/ +/))).toEqual(
      operationIds.map(id => [operations[id].method, operations[id].path, operations[id].auth, id]),
    )
  })
})

describe('mockmaker openapi', () => {
  it('prints the document of GET /openapi.json, which also has the server', async () => {
    const { url } = await serveJson()
    const { body } = await sendTo(url, { method: 'GET', path: '/openapi.json' })

    const { code, stdout } = await run(['openapi'])

    const { servers, ...document } = JSON.parse(body)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(document)
    expect(servers).toEqual([{ url }])
  })
})

describe('colours', () => {
  it('are not for a pipe', async () => {
    const command = await serve()
    const from = command.lines().length
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    await linesAfter(command, { from, count: 1 })

    expect(command.lines().filter(line => line.includes(escape))).toEqual([])
  })

  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
  const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false
  const onTerminal = (env: Readonly<Record<string, string>>) => {
    const { PATH = '', HOME = '' } = process.env
    const line = `${process.execPath} ${cli} routes`
    return spawnSync('script', ['-qec', line, '/dev/null'], { env: { PATH, HOME, TERM: 'xterm', ...env } }).stdout + ''
  }

  it.runIf(hasScript)('are for a terminal', () => {
    expect(onTerminal({})).toContain(`${escape}1mGET`)
  })

  it.runIf(hasScript)('are not for a terminal with NO_COLOR', () => {
    const printed = onTerminal({ NO_COLOR: '1' })

    expect(printed).toContain('GET')
    expect(printed).not.toContain(escape)
  })
})
