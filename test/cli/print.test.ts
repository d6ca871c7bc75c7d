import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../src/contract/operations.js'
import { sendTo } from '../doors.js'
import { linesAfter, run, serve, serveJson } from './command.js'

const escapeCode = '\u001b['

const shell = promisify(execFile)

/** Whether `script` of util-linux is there, which runs a command on a pseudo-terminal. */
const terminalIsThere = await shell('script', ['--version']).then(
  ({ stdout }) => stdout.includes('util-linux'),
  () => false,
)

/** What `mockmaker routes` prints on a terminal. */
async function onTerminal(more: Readonly<Record<string, string>>): Promise<string> {
  const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, TERM: 'xterm', ...more }
  return (await shell('script', ['-qec', `${process.execPath} ${cli} routes`, '/dev/null'], { env })).stdout
}

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

    expect(command.lines().filter(line => line.includes(escapeCode))).toEqual([])
  })

  it.runIf(terminalIsThere)('are for a terminal', async () => {
    expect(await onTerminal({})).toContain(`${escapeCode}1mGET`)
  })

  it.runIf(terminalIsThere)('are not for a terminal with NO_COLOR', async () => {
    const printed = await onTerminal({ NO_COLOR: '1' })

    expect(printed).toContain('GET')
    expect(printed).not.toContain(escapeCode)
  })
})
