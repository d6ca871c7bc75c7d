import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { file, folder, freePort, linesAfter, run, serve, serveJson } from '../support/command.js'
import { isAlive } from '../support/game-server-programs.js'

/** Characters that a terminal interprets: controls, bidi controls and line separators. */
const obeyed = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

const listPath = '/matchmaker/lobbies/list'

describe('the command', () => {
  // A control character of each kind: C0, C1, bidi, and a newline that would start a line.
  const bad = 'a\u001b[2Jb\u009b2Jc\u202ed\nFAKE'

  it.each([[[]], [['--json']]])('logs a decoded path in one line, without colours in a pipe: %j', async args => {
    const command = args.length === 0 ? await serve() : await serveJson()
    const from = command.lines().length

    // The log decodes this segment to cut the token in it.
    await fetch(`${command.url}/x/${encodeURIComponent(`${bad} pub.mock.1`)}`)

    const [line = ''] = await linesAfter(command, { from, count: 1 })
    expect(line).toContain('FAKE')
    expect(command.lines().filter(line => obeyed.test(line))).toEqual([])
  })

  it('escapes the title of a world', async () => {
    const { lines } = await serve([await file('scenario.json', JSON.stringify({ title: bad }))])

    expect(lines()[3]).toMatch(/a\\u001b\[2Jb\\u009b2J.*…: 0 players/)
    expect(lines().filter(line => obeyed.test(line))).toEqual([])
  })

  it('escapes the name of a command that is not there', async () => {
    const { stderr } = await run(['exec', '--', 'no\u009b2J'])

    expect(stderr).toContain(String.raw`no\u009b2J`)
  })

  it('escapes the stack of a bug', async () => {
    const preload = `
      const { getAll } = URLSearchParams.prototype
      URLSearchParams.prototype.getAll = function () { throw new TypeError('a bug ' + this.get('bug')) }`
    const command = await serveJson([], { preload })

    await fetch(`${command.url}${listPath}?bug=${encodeURIComponent('\u009b2J\u001b[2J')}`)

    await expect.poll(() => command.errors()).toContain(String.raw`a bug \u009b2J\u001b[2J`)
  })
})

/** Starts the built command with its output in files. Kills it at the end of the test. */
function startInto(args: readonly string[], { stdout, stderr }: { stdout: string; stderr?: string }) {
  const files = [stdout, stderr].map(path => (path === undefined ? undefined : openSync(path, 'w')))
  const [out, err = 'pipe' as const] = files
  const child = spawn(process.execPath, ['dist/cli.js', ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', out, err],
  })
  for (const file of files) if (file !== undefined) closeSync(file)
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended, errors: () => errors }
}

/** Waits until a mock answers at a URL, and returns the status. */
function statusOnceThere(url: string): Promise<number> {
  const ask = async () => (await fetch(`${url}${listPath}`)).status
  return vi.waitFor(ask, { timeout: 30_000, interval: 50 })
}

describe('a full disk', () => {
  const report =
    'cannot write to standard output: no space is left on the device. mockmaker prints nothing more there.\n'

  it('ends a short command with 1 and one sentence', async () => {
    const { ended, errors } = startInto(['routes'], { stdout: '/dev/full' })

    expect([await ended, errors()]).toEqual([1, report])
  })

  it('does not end a mock, which ends on SIGTERM', async () => {
    const port = await freePort()
    const { child, ended, errors } = startInto(['--port', `${port}`], { stdout: '/dev/full' })
    const url = `http://127.0.0.1:${port}`
    const first = await statusOnceThere(url)
    await expect.poll(() => errors()).not.toBe('')

    const second = await statusOnceThere(url)
    child.kill('SIGTERM')

    expect([first, second, await ended, errors()]).toEqual([200, 200, 0, report])
  })

  it('for both outputs does not end a mock, which ends on SIGINT', async () => {
    const port = await freePort()
    const { child, ended } = startInto(['--port', `${port}`], { stdout: '/dev/full', stderr: '/dev/full' })
    const url = `http://127.0.0.1:${port}`

    const statuses = [await statusOnceThere(url), await statusOnceThere(url)]
    child.kill('SIGINT')

    expect([statuses, await ended]).toEqual([[200, 200], 0])
  })
})

describe('a terminal that is gone', () => {
  it('does not end a mock, which ends on SIGTERM', async () => {
    const [port, path] = [await freePort(), await folder()]
    const pidFile = join(path, 'pid')
    // In its own session: otherwise the system would end the command with its terminal.
    const command = `'${process.execPath}' dist/cli.js --port ${port}`
    const line = `setsid sh -c "echo \\$\\$ > '${pidFile}'; exec ${command}" & wait`
    const terminal = spawn('script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env.PATH, SHELL: '/bin/sh' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    onTestFinished(() => void terminal.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}`
    await statusOnceThere(url)
    const pid = Number(await readFile(pidFile, 'utf8'))
    const isThere = () => isAlive(pid)
    onTestFinished(() => void (isThere() && process.kill(pid, 'SIGKILL')))

    terminal.kill('SIGKILL')
    const statuses = [await statusOnceThere(url), await statusOnceThere(url), await statusOnceThere(url)]
    process.kill(pid, 'SIGTERM')

    expect(statuses).toEqual([200, 200, 200])
    await expect.poll(() => isThere()).toBe(false)
  })
})
