import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ownWorld } from '../../src/cli/key-world.js'
import { browserCommand, openInBrowser, servingKeys } from '../../src/cli/keys.js'
import { createMock } from '../../src/core/mock/mock.js'
import { scenarios } from '../../src/core/scenario/index.js'
import { readScenario } from '../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../src/index.js'
import { loadScenario } from '../../src/server/files/scenario-file.js'
import { browserOpener, folder, lineLike, serve, serveJson, serveOnTerminal } from '../support/command.js'
import { recordingConsole } from '../support/console.js'
import { ask, sendTo, type TestRequest } from '../support/http.js'
import { dataPath } from '../support/kept-worlds.js'
import { closedAfterTest } from '../support/worlds.js'

const url = 'http://127.0.0.1:4100'

/** The keys of a command that serves a scenario. */
function serving(scenario?: ScenarioInput, folder?: string) {
  const { console, lines } = recordingConsole()
  const onExport = vi.fn()
  const mock = closedAfterTest(createMock({ scenario }, { scenarios, scenarioName: scenario && 'mine.yaml' }))
  const quit = vi.fn()
  const opened: string[] = []
  const open = async (page: string) => void opened.push(page)
  const keys = servingKeys({
    mock,
    url,
    world: ownWorld(mock),
    console,
    quit,
    open,
    onExport,
    ...(folder === undefined ? {} : { folder }),
  })
  const press = (pressed: string) => keys.find(({ key }) => key === pressed)?.press()
  return { mock, lines, quit, press, keys, opened, onExport }
}

describe('the keys of a command that serves', () => {
  it('r resets the world', async () => {
    const { mock, press, lines } = serving()
    const before = mock.default.world.lobbies.count()
    await mock.default.world.lobbies.create({})

    await press('r')

    expect([mock.default.world.lobbies.count(), lines]).toEqual([before, ['  reset']])
  })

  it('s loads the next scenario each time, then the first again, and prints its namespaces', async () => {
    const { mock, press, lines } = serving({ title: 'Mine', game_modes: ['duel'] })
    const titles: string[] = []
    for (const _ of mock.scenarios) {
      await press('s')
      titles.push(mock.default.world.title)
    }

    expect(mock.scenarios.slice(0, 2).map(({ name }) => name)).toEqual(['mine.yaml', 'default'])
    expect(new Set(titles).size).toBe(mock.scenarios.length)
    expect([titles[0], titles.at(-1)]).toEqual(['A quiet evening', 'Mine'])
    expect(lines.slice(0, 4)).toEqual([
      '',
      '  default: A quiet evening',
      '  tanks/prod  39 players in 7 lobbies, 3 game modes, needs no token',
      '',
    ])
  })

  it('d completes the newest pending device link for the only game, and names both', async () => {
    const { mock, press, lines } = serving({
      games: [{ name_id: 'tanks' }],
      device_links: [{ token: 'old' }, { token: 'new', device_link_id: 'newest' }, { status: 'complete' }],
    })

    await press('d')

    expect(mock.default.world.deviceLinks.all().map(({ status }) => status)).toEqual([
      'pending',
      'complete',
      'complete',
    ])
    expect(lines).toEqual(['  completed newest for tanks'])
  })

  it('d completes it for the first of several games', async () => {
    const { press, lines } = serving({
      games: [{ name_id: 'tanks' }, { name_id: 'boats' }],
      device_links: [{ device_link_id: 'sofa' }],
    })

    await press('d')

    expect(lines).toEqual(['  completed sofa for tanks'])
  })

  it('d says if no link is pending, or only an expired one', async () => {
    const { mock, press, lines } = serving({ clock: 'frozen', device_links: [{ expires_after: '5s' }] })
    await mock.default.world.clock.advance('5s')

    await press('d')

    expect(lines).toEqual(['  there is no pending device link'])
  })

  it('o opens the page in a browser', async () => {
    const { press, opened } = serving()

    await press('o')

    expect(opened).toEqual([url])
  })

  it('u prints the URLs of all worlds', async () => {
    const { mock, press, lines } = serving()
    await mock.worlds.put('test-42')

    await press('u')

    expect(lines).toEqual(['', `  ${url}`, `  ${url}/w/test-42`, ''])
  })

  const evening = { now: '2026-11-20T20:14:15Z', clock: { mode: 'frozen', rate: 60 } } as const

  it('p lets a frozen clock run at its rate, and freezes it again', async () => {
    const { mock, press, lines } = serving(evening)

    await press('p')
    const modes = [mock.default.clock.mode]
    await press('p')
    modes.push(mock.default.clock.mode)

    expect(modes).toEqual(['running', 'frozen'])
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}20:14:\d\d, running at ×60$/),
      expect.stringMatching(/^ {2}20:1\d:\d\d, frozen$/),
    ])
  })

  it('l lets the clock run at ×1', async () => {
    const { mock, press, lines } = serving(evening)

    await press('l')

    expect([mock.default.clock.mode, mock.default.clock.rate]).toEqual(['running', 1])
    expect(lines).toEqual([expect.stringMatching(/^ {2}20:14:1\d, running at ×1$/)])
  })

  it('m moves the clock forward by a minute', async () => {
    const { press, lines } = serving(evening)

    await press('m')

    expect(lines).toEqual(['  20:15:15, frozen'])
  })

  it('x prints the last failed request with its body and its answer, and no token', async () => {
    const { mock, press, lines } = serving({ game_modes: ['duel'], ...evening })
    await ask(mock, {
      method: 'POST',
      path: '/matchmaker/lobbies/find',
      body: JSON.stringify({ game_modes: ['dual'] }),
    })
    await ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })

    await press('x')

    expect(lines).toEqual([
      '',
      expect.stringMatching(
        /^ {2}POST {2}\/matchmaker\/lobbies\/find {2}400 {2}request 1 {2}[\d.]+ m?s {2}at 20:14:15$/,
      ),
      '  sent    {"game_modes":["dual"]}',
      expect.stringMatching(/^ {2}answer {2}\{"code":"MATCHMAKER_\w+","message":"/),
      '',
    ])
  })

  it('x says if no request has failed', async () => {
    const { press, lines } = serving()

    await press('x')

    expect(lines).toEqual(['  the journal has no failed request'])
  })

  it('e exports the world with its faults and its past to a new file each time', async () => {
    const path = await folder()
    const { mock, press, lines, onExport } = serving({ title: 'Mine', game_modes: ['duel'] }, path)
    mock.default.faults.add({ effect: { reset: true }, operation: 'lobbies.find' })
    await ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list' })

    await press('e')
    await press('e')

    const { scenario } = await loadScenario(join(path, 'mockmaker-world-2.html'))
    expect(readScenario(scenario).content).toMatchObject({
      title: 'Mine',
      faults: [{}],
      past: { exchanges: [[expect.stringContaining('lobbies.list'), expect.any(Number)]] },
    })
    expect(await readFile(join(path, 'mockmaker-world.html'), 'utf8')).toMatch(/^<!DOCTYPE html>/)
    expect([lines, onExport.mock.calls.length]).toEqual([
      [
        '  wrote mockmaker-world.html. Open it in a browser, or serve it: mockmaker mockmaker-world.html',
        '  wrote mockmaker-world-2.html. Open it in a browser, or serve it: mockmaker mockmaker-world-2.html',
      ],
      2,
    ])
  })

  it('e says why it cannot write', async () => {
    const { press, onExport } = serving(undefined, '/no/such/folder')

    await expect(press('e')).rejects.toThrow(
      'cannot write /no/such/folder/mockmaker-world.html: its folder does not exist',
    )
    expect(onExport).not.toHaveBeenCalled()
  })

  it('t prints the tokens', async () => {
    const { press, lines } = serving()

    await press('t')

    expect(lines).toContain('  public       tanks/prod  pub_prod.mock.one')
  })

  it('c clears the screen, and q quits', async () => {
    const { press, lines, quit } = serving()

    await press('c')
    await press('q')

    expect([lines, quit.mock.calls.length]).toEqual([['cleared'], 1])
  })
})

describe('the program that opens a browser', () => {
  it.each([
    ['linux', ['xdg-open', url]],
    ['freebsd', ['xdg-open', url]],
    ['darwin', ['open', url]],
    ['win32', ['rundll32.exe', 'url.dll,FileProtocolHandler', url]],
  ] as const)('gets the URL as its own argument on %s', (platform, command) => {
    expect(browserCommand(url, platform)).toEqual(command)
  })

  it('may be missing: the error names the URL', async () => {
    await expect(openInBrowser(url, 'win32')).rejects.toThrow(
      `cannot open a browser: cannot run rundll32.exe. Open this URL yourself: ${url}`,
    )
  })
})

describe('mockmaker --open', { tags: ['slow'] }, () => {
  it('opens the page in a browser after the start, and gives it no secret', async () => {
    const { PATH, opened } = await browserOpener(0)

    const { url } = await serve(['--open'], { env: { PATH, MOCKMAKER_CLUSTER_SECRET: 'cluster-secret-0123456789' } })

    await expect.poll(() => opened().catch(() => '')).toBe(`${url}\n`)
  })

  it('warns if that fails, and serves', async () => {
    const { PATH } = await browserOpener(3)

    const { url, errors } = await serveJson(['--open'], { env: { PATH } })

    const warning = `warning: cannot open a browser: xdg-open exited with 3. Open this URL yourself: ${url}\n`
    await expect.poll(() => errors()).toBe(warning)
    expect((await sendTo(url, { method: 'GET', path: '/' })).status).toBe(200)
  })
})

describe('mockmaker on a terminal', { tags: ['slow'] }, () => {
  it('opens its page with o, says if that fails, and still ends with Ctrl+C', async () => {
    const { PATH, opened } = await browserOpener(3)
    const command = await serveOnTerminal([], { PATH })

    command.type('o')
    const line = await lineLike(command, { like: /cannot open/ })

    expect(line).toBe(`cannot open a browser: xdg-open exited with 3. Open this URL yourself: ${command.url}`)
    expect(await opened()).toBe(`${command.url}\n`)
    command.type('\u0003')
    expect((await command.exited).code).toBe(0)
  })

  it('says that h lists the keys, obeys them, and ends with 0 after q, whose last line names the key that exports', async () => {
    const command = await serveOnTerminal()
    await sendTo(command.url, { method: 'POST', path: '/cloud/devices/links' })
    await sendTo(command.url, { method: 'POST', path: '/matchmaker/lobbies/find', body: '{"game_modes":["dual"]}' })

    command.type('d')
    const completed = await lineLike(command, { like: /^ {2}completed / })
    command.type('h')
    const last = await lineLike(command, { like: /^ {2}h {2}/ })
    command.type('q')

    const { code, stdout } = await command.exited
    expect(stdout).toContain('2 requests, 1 failed. To keep a world next time, press e or run mockmaker export --url ')
    expect([completed.trim().split(' ').at(-1), last, code]).toEqual(['tanks', '  h  help', 0])
  })

  it('has no keys with --json', async () => {
    const command = await serveOnTerminal(['--json'])

    command.type('nothing\n')
    await lineLike(command, { like: /^nothing$/ })
    await sendTo(command.url, { method: 'GET', path: '/' })
    await lineLike(command, { like: /"exchange"/ })

    expect(command.lines().filter(line => line.includes('there is no key'))).toEqual([])
  })

  it('ends at once with a second Ctrl+C', async () => {
    const command = await serveOnTerminal()

    command.type('\u0003\u0003')

    expect((await command.exited).code).toBe(130)
  })

  it('needs Enter if the terminal has no raw mode', async () => {
    const preload = 'process.stdin.setRawMode = () => { throw new Error("no") }'
    const options = `--import=data:text/javascript,${encodeURIComponent(preload)}`
    const command = await serveOnTerminal([], { NODE_OPTIONS: options })

    command.type('h\n')

    expect(await lineLike(command, { like: /^ {2}h \+ Enter/ })).toBe('  h + Enter  help')
  })

  it('gives the terminal back when it is suspended, and goes on in the foreground', async () => {
    const command = await serveOnTerminal([], {}, { hasShell: true })

    command.type('\u001a')
    await lineLike(command, { like: /Stopped/ })
    command.type('stty -a | grep -o " -*icanon"; fg\n')
    await lineLike(command, { like: /^ icanon$/ })
    command.type('u')

    await expect.poll(() => command.lines().filter(line => line === `  ${command.url}`).length).toBe(1)
  })
})

describe('the last line of mockmaker', { tags: ['slow'] }, () => {
  const [list, find] = [
    { method: 'GET', path: '/matchmaker/lobbies/list' },
    { method: 'POST', path: '/matchmaker/lobbies/find', body: JSON.stringify({ game_modes: ['dual'] }) },
  ]

  /** Serves, sends requests, and returns the last line after SIGTERM. */
  async function lastLineAfter(requests: readonly TestRequest[], args: readonly string[] = []) {
    const command = await serve(args)
    for (const request of requests) await sendTo(command.url, request)
    command.signal('SIGTERM')
    const { code, stdout } = await command.exited
    return { code, line: stdout.trimEnd().split('\n').at(-1), url: command.url }
  }

  it('counts the requests, without the control API and the page, and says how to keep a world if some failed', async () => {
    const control = { method: 'GET', path: '/__mock/nothing' }
    const page = { method: 'GET', path: '/' }

    const { code, line, url } = await lastLineAfter([list, find, control, page, { method: 'GET', path: '/nowhere' }])

    expect([code, line]).toEqual([
      0,
      `3 requests, 2 failed. To keep a world next time, run mockmaker export --url ${url} > world.yaml before you stop the mock.`,
    ])
  })

  it.for([
    [[find, { method: 'GET', path: '/__mock/snapshot' }], []],
    [[find], ['--no-control']],
    [[find], ['--data']],
  ] as const)('does not if someone did, nobody can, or a folder keeps the worlds: %#', async ([requests, args]) => {
    const data = args[0] === '--data' ? [dataPath()] : []

    expect((await lastLineAfter(requests, [...args, ...data])).line).toBe('1 request, 1 failed')
  })

  it('is not there with --json and --quiet, nor are keys in a pipe', async () => {
    const [json, quiet] = await Promise.all([serveJson(), serve(['--quiet'])])
    for (const command of [json, quiet]) command.signal('SIGTERM')

    const ends = await Promise.all([json.exited, quiet.exited])
    expect(ends.filter(({ stdout }) => /0 requests|Enter/.test(stdout))).toEqual([])
  })
})
