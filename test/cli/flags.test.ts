import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lineLike, linesAfter, run, serve, serveJson, start } from '../support/command.js'
import { sendTo } from '../support/http.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }

describe('mockmaker --allowed-hosts', () => {
  const statusFor = async (url: string, host: string) => (await sendTo(url, { ...list, headers: { host } })).status

  it('answers to further names, with commas between or given again', async () => {
    const { url } = await serveJson(['--allowed-hosts', 'one.example, two.example', '--allowed-hosts', 'three.example'])

    const names = ['one.example', 'two.example:80', 'three.example', 'four.example', 'localhost', '192.168.0.9']
    expect(await Promise.all(names.map(name => statusFor(url, name)))).toEqual([200, 200, 200, 403, 200, 200])
  })

  it('is named where a name is refused', async () => {
    const { url } = await serveJson()

    const { body } = await sendTo(url, { ...list, headers: { host: 'evil.example:4100' } })

    expect(JSON.parse(body)).toMatchObject({
      code: 'API_FORBIDDEN',
      message: expect.stringContaining('--allowed-hosts evil.example'),
    })
  })
})

describe('mockmaker --cors-origin', () => {
  const allowed = async (url: string, origin: string) =>
    (await sendTo(url, { ...list, headers: { origin } })).headers['access-control-allow-origin']

  it('lets pages of further origins read, with commas between or given again', async () => {
    const { url } = await serveJson([
      ...['--cors-origin', 'https://one.example,https://two.example:8443'],
      ...['--cors-origin', 'https://three.example'],
    ])

    const origins = ['https://one.example', 'https://two.example:8443', 'https://three.example']
    expect(await Promise.all(origins.map(origin => allowed(url, origin)))).toEqual(origins)
    expect(await allowed(url, 'https://four.example')).toBeUndefined()
  })
})

describe('mockmaker --seed', () => {
  const tokens = async (...args: readonly string[]) => (await serveJson(['empty', ...args])).tokens

  it('gives other tokens with another seed, and the same with the same', async () => {
    const [first, again, other] = await Promise.all([tokens('--seed', '7'), tokens('--seed', '7'), tokens()])

    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('mockmaker --watch-timeout', () => {
  it('answers a blocked watch after that time, with the same index', async () => {
    const { url } = await serveJson(['--watch-timeout', '250ms'])
    const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }
    const { watch } = JSON.parse((await sendTo(url, link)).body)
    const before = performance.now()

    const { body } = await sendTo(url, { ...link, query: `${link.query}&watch_index=${watch.index}` })

    expect(JSON.parse(body)).toEqual({ watch })
    expect(performance.now() - before).toBeGreaterThan(240)
  })
})

const status = async (url: string, path: string) => (await sendTo(url, { method: 'GET', path })).status
const answer = async (url: string, path: string) => JSON.parse((await sendTo(url, { method: 'GET', path })).body)

describe('mockmaker --max-worlds', () => {
  it('makes no more worlds than that', async () => {
    const { url } = await serveJson(['--max-worlds', '2'])

    const statuses = [await status(url, '/w/a/__mock/world'), await status(url, '/w/b/__mock/world')]

    expect(statuses).toEqual([200, 429])
  })
})

describe('mockmaker --world-ttl', () => {
  it('keeps a world that nobody uses for that time', async () => {
    const { url } = await serveJson(['--world-ttl', '1ms'])
    const made = await status(url, '/w/a/matchmaker/lobbies/list')

    await expect.poll(async () => (await answer(url, '/__mock/health')).worlds).toBe(1)

    expect(made).toBe(200)
  })
})

describe('mockmaker --journal', () => {
  it('keeps so many exchanges', async () => {
    const { url } = await serveJson(['--journal', '2'])
    for (const path of ['/a', '/b', '/c']) await status(url, path)

    const { exchanges } = await answer(url, '/__mock/journal')

    expect(exchanges.map(({ path }: { path: string }) => path)).toEqual(['/b', '/c'])
  })
})

describe('mockmaker --no-control', () => {
  it('leaves the control API out, of all worlds', async () => {
    const [on, off] = await Promise.all([serveJson(), serveJson(['--no-control'])])

    const paths = ['/__mock/health', '/w/a/__mock/health', '/matchmaker/lobbies/list']
    const statuses = await Promise.all([on, off].map(({ url }) => Promise.all(paths.map(path => status(url, path)))))

    expect(statuses).toEqual([
      [200, 200, 200],
      [404, 404, 200],
    ])
  })
})

describe('mockmaker --quiet', () => {
  it('prints failures only, after the first lines', async () => {
    const command = await serve(['--quiet'])
    const from = command.lines().length

    await sendTo(command.url, list)
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line] = await linesAfter(command, { from, count: 1 })
    expect(line).toMatch(/^GET {3}\/nowhere {2}404 /)
  })

  it('does so with --json, too', async () => {
    const command = await serveJson(['--quiet'])

    await sendTo(command.url, list)
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })
    expect(JSON.parse(line)).toMatchObject({ status: 404 })
  })
})

describe('mockmaker --help', () => {
  it('prints the flags, the commands and the shipped scenarios', async () => {
    const { code, stdout, stderr } = await run(['--help'])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const about = ['port', 'host', 'allowed-hosts', 'cors-origin', 'json', 'quiet', 'no-reload', 'version']
    const world = ['seed', 'watch-timeout', 'max-worlds', 'world-ttl', 'journal', 'no-control']
    const flags = [...about, ...world]
    const rest = [
      'validate',
      'init',
      'routes',
      'openapi',
      'exec',
      'env',
      'export',
      'friday-night',
      'default: 4100, env: PORT',
    ]
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect([...flags.map(flag => `--${flag}`), ...rest].filter(word => !text.includes(word))).toEqual([])
  })
})

describe('mockmaker help', () => {
  it.for(['exec', 'serve', 'env', 'help'])('prints the help of %s, as --help does', async name => {
    const [help, flag] = await Promise.all([run(['help', name]), run([name, '--help'])])

    expect(help).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: mockmaker ${name}`), stderr: '' })
    expect(flag).toEqual(help)
  })

  it('prints the help of mockmaker without a name', async () => {
    const [help, flag] = await Promise.all([run(['help']), run(['--help'])])

    expect(help).toEqual(flag)
  })
})

describe('mockmaker serve', () => {
  it.for([
    [['serve', 'tokens-only', '--json', '--port', '0']],
    [['--json', '--port', '0', 'serve', 'tokens-only']],
    [['--json', '--port', '1', 'serve', '--port', '0', 'tokens-only']],
  ])('serves as mockmaker alone does: %j', async ([args = []]) => {
    const command = start(args)

    const line = await lineLike(command, { like: /"listening"/ })

    const { scenario, url } = JSON.parse(line)
    expect(scenario).toBe('Tokens only')
    expect((await sendTo(url, { ...list, path: '/__mock/health' })).status).toBe(200)
  })
})

describe('mockmaker --version', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('wrong usage', () => {
  it.for<readonly [readonly string[], string]>([
    [['--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['--port', 'x'], "'--port <port>' argument 'x' is invalid. Expected a whole number from 0 to 65535."],
    [['--port', '65536'], "'--port <port>' argument '65536' is invalid"],
    [['--port', '-1'], "'--port <port>' argument '-1' is invalid"],
    [['--port'], "option '--port <port>' argument missing"],
    [['--watch-timeout', '40'], "argument '40' is invalid. Expected a number with ms, s, m, h or d"],
    [['--seed', '1.5'], "argument '1.5' is invalid. Expected a whole number from 0 to 9007199254740991."],
    [['--seed', '9007199254740993'], "argument '9007199254740993' is invalid"],
    [['--max-worlds', '0'], "argument '0' is invalid. Expected a whole number from 1 to 9007199254740991."],
    [['--journal', 'x'], "argument 'x' is invalid. Expected a whole number from 0"],
    [['--world-ttl', '30'], "argument '30' is invalid. Expected a number with ms, s, m, h or d"],
    [['default', 'empty'], 'error: too many arguments: name one scenario'],
    [['valdate', 'x.yaml'], "error: unknown command 'valdate'\n(Did you mean the command validate?)"],
    [['exce', '--', 'true'], "error: unknown command 'exce'\n(Did you mean the command exec?)"],
    [['help', 'exprot'], "error: unknown command 'exprot'\n(Did you mean the command export?)"],
    [['serve', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['--port', '1', 'serve', '--port', 'x'], "'--port <port>' argument 'x' is invalid"],
    [['exec'], 'error: put -- before the command: mockmaker exec -- npm test'],
    [['exec', 'default', '--'], 'error: the command is missing: mockmaker exec -- npm test'],
    [['exec', 'npm', 'run'], 'error: put -- before the command: mockmaker exec -- npm run'],
    [
      ['exec', 'default', 'empty', '--', 'true'],
      'error: only a scenario may stand before --, so empty is one too many',
    ],
    [['exec', '--port', '1', '--', 'true'], "unknown option '--port'"],
    [['--seed', '1', 'exec', '--', 'true'], 'error: put -- before the command: mockmaker exec -- true'],
    [['exec', '--token', 'secret', '--', 'true'], 'Allowed choices are public, development, cloud.'],
    [['env', '--url', 'localhost'], "argument 'localhost' is invalid. Expected a URL, as in http://127.0.0.1:4100."],
    [['export', '--url', 'ftp://x'], "argument 'ftp://x' is invalid. Expected a URL"],
    [['validate'], "missing required argument 'file'"],
    [['init', '--force'], "unknown option '--force'"],
  ])('%j ends it with 2, what is wrong, and where the options are listed', async ([args, message]) => {
    const { code, stdout, stderr } = await run(args)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/\nmockmaker (?:\w+ )?--help lists the options\n$/)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
  })

  it('is a mistyped command too, which is taken for a scenario', async () => {
    const { code, stderr } = await run(['exce'])

    expect(code).toBe(1)
    expect(stderr).toMatch(/^there is no scenario file exce, .*\n\(Did you mean the command exec\?\)\nmockmaker --help/)
  })

  it.for(['x', '', '70000'])('is a PORT that is "%s"', async port => {
    const { code, stderr } = await run([], { env: { PORT: port } })

    expect(code).toBe(2)
    expect(stderr).toContain(`'--port <port>' value '${port}' from env 'PORT' is invalid`)
    expect(stderr).toContain('mockmaker --help lists the options')
  })
})
