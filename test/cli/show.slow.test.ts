import { readdir, readFile, truncate } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownWorld } from '../../src/cli/key-world.js'
import { writeWorldFile } from '../../src/cli/keys.js'
import { createMock } from '../../src/core/mock/mock.js'
import {
  browserOpener,
  file,
  folder,
  lineLike,
  type Served,
  type StartOptions,
  serveOnTerminal,
  start,
} from '../support/command.js'
import { ask, failure, json, ok, sendTo } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { jsonHeaders } from '../support/served-mock.js'
import { tanks } from '../support/tanks.js'
import { closedAfterTest } from '../support/worlds.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' } as const

/** The world file of a mock that has answered two requests. */
async function exported() {
  const mock = closedAfterTest(
    createMock({ scenario: { ...tanks, title: 'Tanks', clock: 'running', now: '2026-11-20T20:14:15Z' } }),
  )
  mock.default.faults.add({ effect: { error: { status: 503 } }, operation: 'lobbies.find' })
  await ask(mock, list)
  await ask(mock, { method: 'POST', path: '/matchmaker/lobbies/find', body: '{}' })
  await mock.default.clock.set({ mode: 'frozen' })
  const path = await folder()
  await writeWorldFile(ownWorld(mock), path)
  return { mock, path: join(path, 'mockmaker-world.html') }
}

/** Shows a file until the end of the test. */
async function show(path: string, { args = [], ...options }: StartOptions & { args?: readonly string[] } = {}) {
  const command = start(['show', path, ...args], options)
  const line = await lineLike(command, { like: /^ {2}page/ })
  await lineLike(command, { like: /Ctrl\+C ends/ })
  const served: Served = { ...command, url: /http:\S+(?=\/$)/.exec(line)?.[0] ?? '' }
  return served
}

describe('mockmaker show', () => {
  it('serves the page and the world as it was exported, refuses every change, and ends with the file as it is', async () => {
    const { path, mock } = await exported()
    const before = await readFile(path, 'utf8')
    const command = await show(path)
    const { url, lines } = command
    const get = async (call: string) => ok(await sendTo(url, { method: 'GET', path: call }))

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(lines().slice(0, 9)).toEqual([
      '',
      `  page     ${url}/`,
      `  file     ${path}`,
      '  world    Tanks: 2 players in 7 lobbies, 6 game modes, 3 regions',
      '  time     2026-11-20 20:14:15 UTC, frozen',
      '  journal  2 requests, 1 failed',
      '',
      '  Read-only: nothing can be changed. Ctrl+C ends.',
      '',
    ])
    expect((await sendTo(url, { method: 'GET', path: '/' })).status).toBe(200)
    expect(await get('/__mock/world')).toMatchObject({ title: 'Tanks', read_only: true })
    expect(await get('/__mock/journal')).toMatchObject({ exchanges: mock.default.journal.find(), dropped: 0 })
    expect(await get('/__mock/clock')).toMatchObject({
      mode: 'frozen',
      now: new Date(mock.default.clock.now()).toISOString(),
    })
    expect(await get('/__mock/lobbies')).toEqual({
      lobbies: JSON.parse(JSON.stringify(mock.default.world.lobbies.all())),
    })

    const control = await sendTo(url, { method: 'POST', path: '/__mock/reset', headers: jsonHeaders, body: '{}' })
    const operation = await sendTo(url, list)
    const message = `this mock only shows ${path}. To use or change its world, run mockmaker ${path}`
    expect([failure(control), json(control)]).toEqual(['403 API_FORBIDDEN', { code: 'API_FORBIDDEN', message }])
    expect([failure(operation), json(operation)]).toEqual(['403 API_FORBIDDEN', { code: 'API_FORBIDDEN', message }])
    await expect.poll(() => lines().join('\n')).toMatch(/ 403 {2}GET {5}\/matchmaker\/lobbies\/list /)

    command.signal('SIGINT')
    expect(await command.exited).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  it('stops a running clock, and keeps its rate', async () => {
    const path = await file('fast.yaml', 'now: 2026-11-20T20:00:00Z\nclock: { mode: running, rate: 60 }\n')
    const { url } = await show(path)

    expect(ok(await sendTo(url, { method: 'GET', path: '/__mock/clock' }))).toEqual({
      mode: 'frozen',
      rate: 60,
      now: '2026-11-20T20:00:00.000Z',
    })
  })

  it('shows a journal of any length', async () => {
    const { mock } = await exported()
    const [entry] = mock.default.journal.find()
    const journal = Array.from({ length: 1_500 }, (_, i) => ({ ...entry, id: 2 * i + 1 }))
    const { url } = await show(await file('long.json', JSON.stringify({ journal })))

    expect(ok(await sendTo(url, { method: 'GET', path: '/__mock/journal' }))).toMatchObject({ exchanges: journal })
  })

  it('starts no game server, and says so', async () => {
    const path = await file(
      'servers.yaml',
      'servers: { command: "touch started" }\ngame_modes: [duel]\nlobbies: [{ game_mode_id: duel, status: starting }]\n',
    )
    const { url, lines } = await show(path, { cwd: dirname(path) })

    expect(lines()).toContain('  servers  none: mockmaker show runs no command of the file')
    expect(ok(await sendTo(url, { method: 'GET', path: '/__mock/servers' }))).toEqual({ servers: [] })
    expect(await readdir(dirname(path))).toEqual(['servers.yaml'])
  })

  it('says that an exported journal is empty', async () => {
    const mock = closedAfterTest(createMock())
    const path = await folder()
    const name = await writeWorldFile(ownWorld(mock), path)

    const { lines } = await show(join(path, name))

    expect(lines()).toContain('  journal  empty: no request had come when it was exported')
  })

  it('says how to get a journal, opens the page with --open, and listens on no port of the environment', async () => {
    const { PATH, opened } = await browserOpener(0)
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const port = String((server.address() as AddressInfo).port)

    const { url, lines } = await show('default', { args: ['--open'], env: { PATH, PORT: port } })
    const { code, stderr } = await runHere(['show', 'default', '--port', port])

    expect(lines()).toContain('  journal  none: mockmaker export --with journal adds it')
    await expect.poll(() => opened().catch(() => '')).toBe(`${url}\n`)
    expect(url).not.toContain(port)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${port} on 127.0.0.1 is taken`)])
  })

  it('has keys for the page, the last failure and the end, and for nothing else', async () => {
    const { path } = await exported()
    const terminal = await serveOnTerminal(['show', path])

    terminal.type('h')
    await lineLike(terminal, { like: /^ {2}h {2}help$/ })
    const keys = terminal.lines().flatMap(line => /^ {2}(\w) {2}\w/.exec(line)?.[1] ?? [])
    terminal.type('x')
    await lineLike(terminal, { like: /POST {2}\/matchmaker\/lobbies\/find {2}503/ })
    terminal.type('r')
    await lineLike(terminal, { like: /there is no key "r"/ })
    terminal.type('q')

    expect(keys).toEqual(['x', 'o', 'c', 'q', 'h'])
    expect((await terminal.exited).code).toBe(0)
  })
})

describe('mockmaker show refuses', () => {
  it.for([
    [[], 2, "error: missing required argument 'file'"],
    [['one.yaml', 'two.yaml'], 2, "error: too many arguments for 'show'"],
    [['nowhere.yaml'], 1, 'there is no scenario file nowhere.yaml'],
    [['.'], 1, '. is a folder: name a scenario file in it'],
  ] as const)('%j', async ([args, code, message]) => {
    const result = await runHere(['show', ...args])

    expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringContaining(message)])
  })

  it.for([
    ['', ' is empty, so it has no world to show: mockmaker export prints one\n'],
    ['# nothing yet\n', ' is empty, so it has no world to show: mockmaker export prints one\n'],
    ['title: Mine\nlobbys: []\n', ':2:1: lobbys is an unknown key'],
    ['title: "cut', ':1:12: '],
    ['<h1>Not here</h1>', ':1:1: '],
  ] as const)('a file with %j', async ([text, message]) => {
    const path = await file('world.yaml', text)

    const { code, stdout, stderr } = await runHere(['show', path])

    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${path}${message}`)])
  })

  it('a file that is too large', async () => {
    const path = await file('world.yaml', '')
    await truncate(path, 3 * 1024 ** 3)

    const { code, stderr } = await runHere(['show', path])

    expect([code, stderr.split('\n')]).toEqual([1, [expect.stringContaining(`${path} is too large to read`), '']])
  })
})
