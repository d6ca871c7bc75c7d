import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createMockmaker, type MockmakerOptions } from '../../src/index.js'
import { freePort } from '../support/command.js'
import { sendTo, serveDuringTest } from '../support/http.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'

const shell = promisify(execFile)
const write = { method: 'POST', headers: { 'content-type': 'application/json' } }

/** Serves a mock until the end of the test, and returns its URL. */
const serveHere = ({ control, ...options }: MockmakerOptions & { readonly control?: boolean } = {}) =>
  serveMock(createMockmaker(options), { control })

const makeWorld = (url: string, id: string) =>
  sendTo(url, { ...write, method: 'PUT', path: `/__mock/worlds/${id}`, body: '{}' })

describe('mockmaker env', () => {
  it('prints the URL and a public token of a running mock, for a shell', async () => {
    const url = await serveHere()

    expect(await runHere(['env', '--url', `${url}/`])).toEqual({
      code: 0,
      stdout: [
        `export MOCKMAKER_URL=${url}`,
        `export RIVET_API_ENDPOINT=${url}`,
        `export RIVET_MATCHMAKER_API_URL=${url}/matchmaker`,
        'export RIVET_TOKEN=pub_prod.mock.one',
        'export RIVET_VERSION_NAME=0.0.1',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  it.for([
    ['development', 'dev_prod.mock.one'],
    ['cloud', 'cloud.mock.tanks'],
  ] as const)('prints a %s token if asked', async ([kind, token]) => {
    const url = await serveHere()

    const { stdout } = await runHere(['env', '--url', url, '--token', kind])

    expect(stdout).toContain(`export RIVET_TOKEN=${token}\n`)
  })

  it('does not accept another kind of token', async () => {
    const asked: (string | undefined)[] = []
    const url = await serveDuringTest(({ url: path }, response) => {
      asked.push(path)
      response.end(JSON.stringify({ tokens: [{ kind: 'cloud', token: 'cloud.mock.x' }] }))
    })

    await runHere(['env', '--url', url, '--token', 'cloud'])

    expect(asked).toEqual(['/__mock/tokens?kind=cloud', '/__mock/namespaces'])
  })

  it('prints the variables of the world in the URL', async () => {
    const url = await serveHere()
    await makeWorld(url, 'test-42')

    const { stdout } = await runHere(['env', '--url', `${url}/w/test-42`])

    expect(stdout).toContain(`export RIVET_API_ENDPOINT=${url}/w/test-42\n`)
    expect(stdout).toContain(`export RIVET_MATCHMAKER_API_URL=${url}/w/test-42/matchmaker\n`)
  })

  it('quotes special characters of the shell', async () => {
    const token = "it's $HOME; `echo`"
    const url = await serveDuringTest((_, response) =>
      response.end(JSON.stringify({ tokens: [{ kind: 'public', token }] })),
    )
    const { stdout } = await runHere(['env', '--url', url])

    const evaluated = await shell('sh', ['-c', `${stdout}printf %s "$RIVET_TOKEN"`])

    expect(evaluated.stdout).toBe(token)
  })

  it('prints the variables of a game server, with the URL of --url', async () => {
    const url = await serveHere()
    await makeWorld(url, 'own')
    const lobby_id = "it's_mine"
    const made = { game_mode_id: 'duel', lobby_id, lobby_config: { note: "it's $HOME" } }
    await sendTo(url, { ...write, path: '/w/own/__mock/lobbies', body: JSON.stringify(made) })

    const { stdout } = await runHere(['env', lobby_id, '--url', `${url}/w/own`])

    const read = '"$RIVET_API_ENDPOINT" "$RIVET_TOKEN" "$RIVET_LOBBY_ID" "$PORT_default" "$RIVET_LOBBY_CONFIG"'
    const evaluated = await shell('sh', ['-c', `${stdout}printf '%s\\n' ${read}`])
    expect(evaluated.stdout.split('\n')).toEqual([
      `${url}/w/own`,
      'lobby.mock.it%27s_mine',
      lobby_id,
      '7777',
      `{"note":"it's $HOME"}`,
      '',
    ])
  })

  it('prints the URL of --url if the mock knows another one, as behind a proxy', async () => {
    const inside = 'http://inside:4100'
    const environment = {
      MOCKMAKER_URL: inside,
      RIVET_API_ENDPOINT: inside,
      RIVET_MATCHMAKER_API_URL: `${inside}/matchmaker`,
      RIVET_TOKEN: 'lobby.mock.x',
    }
    const url = await serveDuringTest((_, response) => response.end(JSON.stringify(environment)))

    const { stdout } = await runHere(['env', 'x', '--url', url])

    expect(stdout).toBe(
      [
        `export MOCKMAKER_URL=${url}`,
        `export RIVET_API_ENDPOINT=${url}`,
        `export RIVET_MATCHMAKER_API_URL=${url}/matchmaker`,
        'export RIVET_TOKEN=lobby.mock.x',
        '',
      ].join('\n'),
    )
  })

  it.for(['public', 'cloud'])('ends with 2 for a %s token of a lobby, which has its own', async kind => {
    const { code, stdout, stderr } = await runHere(['env', 'mine', '--token', kind])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `error: the server of a lobby uses the token of that lobby: remove --token ${kind}\nmockmaker env --help lists the options\n`,
    )
  })

  it('ends with 1 if there is no such lobby, and says how to find one', async () => {
    const url = await serveHere()

    const { code, stdout, stderr } = await runHere(['env', 'nobody', '--url', url])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `${url} answers 404: there is no lobby "nobody": GET /__mock/lobbies lists the lobbies, and POST /__mock/lobbies creates one\n`,
    )
  })

  it('leaves out variables that could take over the shell', async () => {
    const wanted = { RIVET_TOKEN: 'x', RIVET_LOBBY_ID: 'y', PORT_default: '7777', MOCKMAKER_MORE: 'z' }
    const others = { PATH: '/evil', LD_PRELOAD: '/evil.so', RIVET: 'x', PORT_: 'x', NODE_OPTIONS: '-r x', rivet_a: 'x' }
    const hostile = {
      'RIVET_A; rm -rf /': 'y',
      'X\nRIVET_B': 'y',
      'RIVET_C\n': 'y',
      RIVET_D: 5,
      __proto__: { RIVET_E: 'y' },
    }
    const url = await serveDuringTest((_, response) =>
      response.end(JSON.stringify({ ...others, ...wanted, ...hostile })),
    )

    const { code, stdout } = await runHere(['env', 'x', '--url', url])

    const names = stdout
      .trimEnd()
      .split('\n')
      .map(line => /^export (\w+)=/.exec(line)?.[1])
    const added = ['MOCKMAKER_URL', 'RIVET_API_ENDPOINT', 'RIVET_MATCHMAKER_API_URL']
    expect(code).toBe(0)
    expect(new Set(names)).toEqual(new Set([...Object.keys(wanted), ...added]))
  })

  it('prints the version of the namespace of the token', async () => {
    const version = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
    const namespaces = [1, 1, 2].map((digit, i) => ({
      name_id: `n${i}`,
      version_id: version(digit),
      ...(i === 2 ? { tokens: { public: 'pub.mock.second' } } : {}),
    }))
    const games = [{ name_id: 'other' }, { name_id: 'tanks', namespaces }]
    const scenario = { default_namespace: 'tanks/n2', games }
    const url = await serveHere({ scenario })

    const [{ stdout: all }, { stdout: cloud }] = await Promise.all([
      runHere(['env', '--url', url]),
      runHere(['env', '--url', url, '--token', 'cloud']),
    ])

    expect([all, cloud].map(text => /RIVET_VERSION_NAME=(.*)/.exec(text)?.[1])).toEqual(['0.0.1', '0.0.1'])
  })

  it.for(['<title>A page</title>', '{}', 'null', '{"X; rm -rf /": "y"}', '{"RIVET_TOKEN": {}}'])(
    'ends with 1 if another server answers for a lobby: %s',
    async body => {
      const url = await serveDuringTest((_, response) => response.end(body))

      const { code, stdout, stderr } = await runHere(['env', 'x', '--url', url])

      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(`the server at ${url} is not mockmaker: pass the URL of a mock with --url\n`)
    },
  )

  it('ends with 1 if nothing answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`

    expect(await runHere(['env', '--url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: `nothing answers at ${url}: start mockmaker there, or pass its URL with --url. More in the package: docs/something-is-wrong.md\n`,
    })
  })

  it.for(['<title>A page</title>', '{}', 'null'])('ends with 1 if another server answers: %s', async body => {
    const url = await serveDuringTest((_, response) => response.end(body))

    const { code, stdout, stderr } = await runHere(['env', '--url', url])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(`the server at ${url} is not mockmaker: pass the URL of a mock with --url\n`)
  })

  it('ends with 1 if another server streams without an end', { tags: ['slow'] }, async () => {
    let isClosed = false
    const url = await serveDuringTest((_, response) => {
      const endless = new Readable({
        read() {
          this.push('x'.repeat(1_000_000))
        },
      })
      endless.pipe(
        response.once('close', () => {
          isClosed = true
        }),
      )
    })

    const { code, stderr } = await runHere(['env', '--url', url])

    expect(code).toBe(1)
    expect(stderr).toBe(`the server at ${url} is not mockmaker: pass the URL of a mock with --url\n`)
    await expect.poll(() => isClosed).toBe(true)
  })

  it('ends with 1 and the message of a mock that refuses', async () => {
    const url = await serveHere({ control: false })

    const { code, stderr } = await runHere(['env', '--url', url])

    expect(code).toBe(1)
    expect(stderr.startsWith(`${url} answers 404: `)).toBe(true)
    expect(stderr).toContain('--no-control')
  })
})
