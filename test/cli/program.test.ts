import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operationIds, operations } from '../../src/core/contract/operations.js'
import { createMockmaker } from '../../src/index.js'
import { sendTo } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'

describe('mockmaker --help-all', () => {
  it('prints the flags, the commands and the shipped scenarios', async () => {
    const { code, stdout, stderr } = await runHere(['--help-all'])

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
      'story',
      'mcp',
      'export',
      'friday-night',
      'default: 4100, env: PORT',
      ...['40s', '30m', '10000', '1000'].map(value => `(default: ${value})`),
    ]
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect([...flags.map(flag => `--${flag}`), ...rest].filter(word => !text.includes(word))).toEqual([])
  })
})

describe('mockmaker help', () => {
  it.for(['exec', 'serve', 'env', 'help'])('prints the help of %s, as --help does', async name => {
    const [help, flag] = await Promise.all([runHere(['help', name]), runHere([name, '--help'])])

    expect(help).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: mockmaker ${name}`), stderr: '' })
    expect(flag).toEqual(help)
  })

  it('prints the help of mockmaker without a name', async () => {
    const [help, flag] = await Promise.all([runHere(['help']), runHere(['--help'])])

    expect(help).toEqual(flag)
  })
})

describe('mockmaker --version', () => {
  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

    expect(await runHere(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
})

describe('the options in the help', () => {
  const flagsIn = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name)

  it('of mockmaker are those of every day, after the commands', async () => {
    const { stdout } = await runHere(['--help'])
    const [commands = '', flags = ''] = stdout.split('\nOptions:\n')

    expect(commands.match(/^ {2}[a-z-]+ +[a-z].{0,50}$/gm)).toHaveLength(19)
    const everyday = ['--port', '--open', '--share', '--no-reload', '--seed', '--live', '--data', '--server-command']
    expect(flagsIn(flags)).toEqual(['--version', ...everyday, '--json', '--quiet', '--help-all', '--help'])
  })

  it.for([['--help-all'], ['serve', '--help']])('of mockmaker %s are all, in groups', async args => {
    const { code, stdout } = await runHere(args)

    expect(code).toBe(0)
    expect(stdout).toMatch(/^For a team's server:\n {2}--host[^:]*/m)
    expect(stdout).toMatch(/^For keeping worlds:\n {2}--data[^:]*/m)
    expect(flagsIn(stdout).length).toBeGreaterThan(30)
  })

  it('of exec are few, and the others work', async () => {
    const { stdout } = await runHere(['exec', '--help'])

    expect([...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name)).toEqual([
      '--token',
      '--capsule-on-failure',
      '--fail-on-warnings',
      '--seed',
      '--live',
      '--data',
      '--server-command',
      '--help',
    ])
    expect(stdout).toContain('The other options of a mock work too: mockmaker --help-all lists them.')
    expect((await runHere(['exec', '--journal', 'x', '--', 'true'])).stderr).toContain('Expected a whole number')
  })

  it('are suggested only if they are near', async () => {
    const { stderr } = await runHere(['--persist'])

    expect(stderr).toBe("error: unknown option '--persist'\nmockmaker --help lists the options\n")
  })
})

describe('wrong usage', () => {
  it.for<readonly [readonly string[], string]>([
    [['--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['--port', 'x'], "'--port <port>' argument 'x' is invalid. Expected a whole number from 0 to 65535."],
    [['--port'], "option '--port <port>' argument missing"],
    [['--watch-timeout', '40'], "argument '40' is invalid. Expected a number with ms, s, m, h or d"],
    [['--seed', '1.5'], "argument '1.5' is invalid. Expected a whole number, 0 or more."],
    [['--world-ttl', '99999d'], "argument '99999d' is invalid. Expected at most 36525d."],
    [['--control-host', '10.0.0.5,build-machine'], 'is invalid. Expected an IP address (192.168.1.20), a network'],
    [['--trust-proxy', '10.0.0.5,nginx'], 'is invalid. Expected an IP address (192.168.1.20) or a network'],
    ...['', '0.0.0.0/0', '::/0', '0.0.0.0/1', '10.0.0.5,128.0.0.0/1', '::ffff:0:0/96', '2000::/3'].map(
      proxies => [['--trust-proxy', proxies], 'with all addresses, every client could choose its own'] as const,
    ),
    ...['', '127.0.0.1:5000', 'http://127.0.0.1', '[::1]:80'].map(
      host => [['--host', host], 'Expected an address or a name without a port, such as 0.0.0.0 or ::1.'] as const,
    ),
    ...[
      'mock.example',
      'ftp://mock.example',
      'https://',
      'https://mock.example/?a=b',
      'https://mock.example/#a',
      '',
    ].map(url => [['--public-url', url], 'Expected a URL without a query and without a world'] as const),
    [['--public-url', 'https://mock.example/w/test-42'], 'Expected a URL without a query and without a world'],
    [
      ['--allowed-hosts', 'game.example:80'],
      'is invalid. Expected a name without a port, such as game.example, or .example for',
    ],
    [['export', '--with', 'jurnal'], 'Expected journal, faults, or journal,faults. Did you mean journal?'],
    [['--cors-origin', 'null,game.example'], 'is invalid. Expected an origin such as https://game.example, or null.'],
    [['default', 'empty'], 'error: too many arguments: name one scenario'],
    [['valdate', 'x.yaml'], "error: unknown command 'valdate'\n(Did you mean the command validate?)"],
    [['help', 'exprot'], "error: unknown command 'exprot'\n(Did you mean the command export?)"],
    [['--port', '1', 'serve', '--port', 'x'], "'--port <port>' argument 'x' is invalid"],
    [['exec'], 'error: the command after -- is missing: mockmaker exec -- npm test'],
    [
      ['exec', 'friday-night', 'npm', 'run'],
      'error: put -- before the command: mockmaker exec friday-night -- npm run',
    ],
    [['exec', 'default', '--'], 'error: the command after -- is missing: mockmaker exec default -- npm test'],
    [['exec', "'--'", ''], 'error: the command after -- is missing'],
    [['exec', 'default', 'empty', '--', 'true'], 'error: put only a scenario before --: remove empty'],
    [['exec', '--port', '1', '--', 'true'], "unknown option '--port'"],
    [['--seed', '1', 'exec', '--', 'true'], 'error: put -- before the command: mockmaker exec -- true'],
    [['exec', '--token', 'secret', '--', 'true'], 'Allowed choices are public, development, cloud.'],
    [['env', '--url', 'localhost'], "argument 'localhost' is invalid. Expected a URL, as in http://127.0.0.1:4100."],
    [['validate'], "missing required argument 'file'"],
    [['export', 'world.yaml'], "error: too many arguments for 'export'"],
  ])('%j ends with 2, the mistake, and the command that lists the options', async ([args, message]) => {
    const { code, stdout, stderr } = await runHere(args)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/\nmockmaker (?:\w+ )?--help lists the options\n$/)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
  })

  it.each([
    [['--public-url', 'https://joe:s3cret@mock.example']],
    [['--cors-origin', 'null,https://joe:s3cret@mock.example']],
    [['--advertise', 'http://joe:s3cret@10.0.0.5:4100']],
    [['health', '--url', 'http://joe:s3cret@127.0.0.1:4100']],
    [['env', '--url', 'http://joe@127.0.0.1:4100']],
  ])('%j is refused, without a password in the message', async args => {
    const { code, stdout, stderr } = await runHere(args)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^leave the user and the password out of \S+:\/\/…@\S+\n$/)
  })

  it('includes a mistyped command, which looks like a scenario', async () => {
    const { code, stderr } = await runHere(['exce'])

    expect(code).toBe(1)
    expect(stderr).toMatch(/^there is no scenario file exce, .*\n\(Did you mean the command exec\?\)\nmockmaker --help/)
  })

  it.for(['x', '', '70000'])('includes a PORT that is "%s"', async port => {
    const { code, stderr } = await runHere([], { env: { PORT: port } })

    expect(code).toBe(2)
    expect(stderr).toContain(`'--port <port>' value '${port}' from env 'PORT' is invalid`)
    expect(stderr).toContain('mockmaker --help lists the options')
  })
})

describe('mockmaker routes', () => {
  it('prints a line for each operation: method, path, auth, name', async () => {
    const { code, stdout } = await runHere(['routes'])

    const rows = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(rows.map(row => row.split(/ +/))).toEqual(
      operationIds.map(id => [operations[id].method, operations[id].path, operations[id].auth, id]),
    )
  })
})

describe('mockmaker openapi', () => {
  it.for([
    [[], '/openapi.json'],
    [['--control'], '/__mock/openapi.json'],
  ] as const)('with %j prints the document of GET %s without its server', async ([options, path]) => {
    const url = await serveMock(createMockmaker())
    const { body } = await sendTo(url, { method: 'GET', path })

    const { code, stdout } = await runHere(['openapi', ...options])

    const { servers, ...document } = JSON.parse(body)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(document)
    expect(servers).toEqual([{ url }])
  })
})
