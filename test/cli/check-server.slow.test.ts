import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, run, start } from '../support/command.js'
import { isAlive, shown, until } from '../support/game-server-programs.js'
import { runHere } from '../support/run-here.js'

const bot = shown('bot.mjs', 'docs/guides/bots.md')

/** A client that leaves while the server still reports it. */
const early = `
import { connect } from 'node:net'
const { HOST_default, PORT_default, RIVET_PLAYER_TOKEN } = process.env
const socket = connect(PORT_default, HOST_default, () => socket.write(RIVET_PLAYER_TOKEN + '\\n', leave))
const leave = () => (process.argv[2] === 'resets' ? socket.resetAndDestroy() : socket.end())
`

/** A server that is wrong in the way that its first argument names. Its clients are those of the guide. */
const wrongServer = `
import { createServer } from 'node:net'
const { RIVET_API_ENDPOINT, RIVET_TOKEN, PORT_default } = process.env
const wrong = process.argv[2]
const call = (method, path, body = {}, token = RIVET_TOKEN) =>
  fetch(RIVET_API_ENDPOINT + '/matchmaker' + path, {
    method,
    headers: { authorization: 'Bearer ' + token },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
let players = 0
if (wrong === 'ignores SIGTERM') process.on('SIGTERM', () => {})
if (wrong === 'floods') setInterval(() => process.stdout.write('flood '.repeat(200) + '\\n' + 'x'.repeat(100_000) + '\\n'), 1)
const server = createServer(socket => {
  socket.on('error', () => {})
  socket.once('data', async data => {
    players += 1
    if (wrong === 'misses one' && players === 2) return
    const body = { player_token: String(data).trim() }
    const left = new Promise(resolve => socket.once('close', resolve))
    if (wrong === 'sends wrong tokens') {
      await call('POST', '/players/connected', { player_token: 'nobody' })
      await call('POST', '/lobbies/ready', {}, 'old')
    }
    await call('POST', '/players/connected', body)
    if (wrong === 'crashes') throw new Error('the level is missing')
    if (wrong === 'sends a bad state') await call('PUT', '/lobbies/state', 'no JSON')
    await left
    await call('POST', '/players/disconnected', body)
  })
})
server.listen(wrong === 'has another port' ? 0 : PORT_default, () => wrong !== 'is never ready' && call('POST', '/lobbies/ready'))
`

async function programs(): Promise<string> {
  const cwd = await folder()
  const files = {
    // Prints nothing.
    'client.mjs': bot.replace(/^socket\.on.*\n/m, ''),
    'bot.mjs': bot,
    'early.mjs': early,
    'wrong.mjs': wrongServer,
    'lobby-server.mjs': shown('lobby-server.mjs'),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  return cwd
}

/** In the folder of the programs. Only the tests of a process of its own have that as their working folder. */
const inFolder = (cwd: string, command: string) => command.replace(/ (?=[\w-]+\.mjs)/, ` ${cwd}/`)

const check = (...args: readonly string[]) => ['check-server', '--game-mode', 'sandbox', ...args]
const clients = (...args: readonly string[]) => check('--players', '2', '--client', 'node client.mjs', ...args)

/** Checks a wrong server with a number of clients. */
async function checkWrong(wrong: string, { players, within }: { readonly players: number; readonly within: string }) {
  const cwd = await programs()
  const args = ['--players', `${players}`, '--client', `node ${cwd}/client.mjs`, '--within', within]
  return runHere(check(...args, '--', 'node', `${cwd}/wrong.mjs`, wrong))
}

describe('mockmaker check-server', () => {
  // The commands of the guide run its own server and client (test/docs/run.slow.test.ts).
  it('passes the server of another guide, and clients that leave in other ways', async () => {
    const cwd = await programs()
    const failuresOf = async (server: string, client: string) => {
      const words = inFolder(cwd, server).split(' ')
      const args = ['--players', '2', '--client', inFolder(cwd, client), '--within', '20s', '--', ...words]
      const { code, stdout } = await runHere(check(...args))
      return [code, ...stdout.split('\n').filter(line => line.startsWith('✗'))]
    }
    const pairs = [
      ['node lobby-server.mjs', 'node early.mjs ends'],
      ['node lobby-server.mjs', 'node early.mjs resets'],
      ['node lobby-server.mjs', 'node bot.mjs'],
    ] as const

    const found = await Promise.all(pairs.map(([server, client]) => failuresOf(server, client)))

    expect(found).toEqual(pairs.map(() => [0]))
  })

  it("runs the scenario's own command, and ends once its only client has ended", async () => {
    const cwd = await programs()
    const scenario = join(cwd, 'reef.yaml')
    await writeFile(scenario, `game_modes: [reef]\nservers: { command: node ${cwd}/lobby-server.mjs }\n`)

    // The calls may come within two minutes.
    const { code, stdout } = await runHere(['check-server', scenario, '--client', 'node -e 0'])

    expect(stdout).toContain('✓ ready')
    expect(stdout).toContain('✗ connected: missing for 1 of 1 player')
    expect(code).toBe(1)
  })

  it('writes its result as JSON and as JUnit XML', async () => {
    const cwd = await programs()

    const { code, stdout, stderr } = await run(
      [
        ...check('--players', '2', '--client', 'node client.mjs', '--junit', 'report.xml', '--json'),
        '--',
        'node',
        'lobby-server.mjs',
      ],
      { cwd },
    )

    expect(stderr).toBe('server | ready for players\n')
    const { passed, checks } = JSON.parse(stdout)
    const names = ['ready', 'connected', 'disconnected', 'tokens', 'calls', 'clients', 'exit']
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(names)
    expect([passed, code]).toEqual([true, 0])
    expect(checks[1].sentence).toBe('for 2 of 2 players')
    expect(await readFile(join(cwd, 'report.xml'), 'utf8')).toContain('tests="7" failures="0"')
  })

  // The guide runs one that forgets its players.
  it('fails each wrong server with its sentence alone', async () => {
    const failuresOf = async (wrong: string) => {
      const { code, stdout } = await checkWrong(wrong, { players: wrong === 'misses one' ? 2 : 1, within: '8s' })
      return [code, ...stdout.split('\n').filter(line => line.startsWith('✗'))]
    }
    const expected = {
      'is never ready': ['✗ ready: it did not call POST /matchmaker/lobbies/ready within 8s'],
      'misses one': ['✗ connected: missing for 1 of 2 players'],
      'sends wrong tokens': ['✗ tokens: 2 calls with a refused token'],
      'sends a bad state': ['✗ state: 1 call with a state that is not JSON'],
      crashes: [expect.stringMatching(/^✗ exit: it crashed with exit code 1, after /)],
      'ignores SIGTERM': ['✗ exit: it did not exit within 10 s of SIGTERM, and was killed'],
    }

    const found = await Promise.all(Object.keys(expected).map(async wrong => [wrong, await failuresOf(wrong)] as const))

    const withCodes = Object.entries(expected).map(([wrong, lines]) => [wrong, [1, ...lines]])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(withCodes))
  })

  it('says that nothing listens on the port of the server', async () => {
    const { code, stdout } = await checkWrong('has another port', { players: 1, within: '4s' })

    expect(stdout.match(/has not connected yet\. Its client crashed with exit code 1, after /g)).toHaveLength(1)
    expect(stdout).toMatch(/^ +it (called ready|listens on).* lead.* Let it listen on the port in PORT_default/m)
    expect(code).toBe(1)
  })

  it('passes a server that connects the players of MOCKMAKER_PLAYER_TOKENS by itself, and exits', async () => {
    const script = `
      const { RIVET_API_ENDPOINT, RIVET_TOKEN, MOCKMAKER_PLAYER_TOKENS } = process.env
      const call = (path, body = {}) => fetch(RIVET_API_ENDPOINT + '/matchmaker' + path, {
        method: 'POST', headers: { authorization: 'Bearer ' + RIVET_TOKEN }, body: JSON.stringify(body) })
      await call('/lobbies/ready')
      for (const path of ['/players/connected', '/players/disconnected'])
        for (const player_token of MOCKMAKER_PLAYER_TOKENS.split(',')) await call(path, { player_token })`
    const args = check('--players', '3', '--', 'node', '--input-type=module', '-e', script)

    const { code, stdout, stderr } = await runHere(args)

    expect(stdout).toContain('✓ disconnected: for 3 of 3 players')
    expect(stderr).toBe(
      'waiting up to 2m for the server to call POST /matchmaker/lobbies/ready\n' +
        'waiting up to 2m for the server to connect the players of MOCKMAKER_PLAYER_TOKENS (or pass --client)\n',
    )
    expect(code).toBe(0)
  })

  it('passes a server that floods its output, which it drops', async () => {
    const cwd = await programs()

    const { code, stdout, stderr } = await run(clients('--within', '20s', '--', 'node', 'wrong.mjs', 'floods'), { cwd })

    expect(stdout).toContain('✓ disconnected: for 2 of 2 players')
    expect(code).toBe(0)
    // It could write megabytes in this time.
    expect(stderr.length).toBeLessThan(1_000_000)
  })

  it.for([
    [['--', './no-such-server'], 1, '✗ exit: it could not start: the shell found no such command'],
    [['--expect', 'ready', '--', 'node', '-e', '0'], 1, '✗ ready: it ended without a call of'],
    [['--expect', 'redy', '--', './server'], 2, 'Did you mean ready?'],
    [['--expect', '', '--', './server'], 2, 'Expected one or more of ready'],
    [['--within', 'soon', '--', './server'], 2, 'Expected a number with ms, s'],
    [['--players', '65', '--', './server'], 2, 'Expected a whole number from 0 to 64'],
    [['--players', '0', '--', './server'], 2, 'without players nobody connects'],
    [['--client', ' ', '--', './server'], 2, 'Expected a command'],
    [['node', 'server.mjs'], 2, 'put -- before the command: mockmaker check-server -- node server.mjs'],
    [['--'], 2, 'the command after -- is missing: mockmaker check-server -- ./server'],
    [['empty'], 2, 'the command of the server is missing: mockmaker check-server empty -- ./server, or'],
    [['duel.yaml', 'more', '--', './server'], 2, 'put only a scenario before --: remove more'],
    [['--game-mode', 'nothing', '--', './server'], 1, 'the game mode is "nothing", which does not exist'],
    [['--players', '3', '--', './server'], 2, 'error: duel has 2 seats: pass --players 2, or --game-mode free-for-all'],
    [['--junit', 'nowhere/report.xml', '--', './server'], 1, 'cannot write the JUnit report nowhere/report.xml'],
  ] as const)('exits for %j with %d, and says why', async ([args, code, message]) => {
    const ended = await runHere(['check-server', ...args])

    expect(ended.stdout + ended.stderr).toContain(message)
    expect(ended.code).toBe(code)
  })

  it('says that the command is too long for the system', async () => {
    const { code, stdout, stderr } = await runHere(
      check('--', 'true', ...Array.from({ length: 3 }, () => 'x'.repeat(60_000))),
    )

    expect([code, stderr]).toEqual([1, 'waiting up to 2m for the server to call POST /matchmaker/lobbies/ready\n'])
    expect(stdout).toContain(
      '✗ exit: it could not start: the command and its environment are too long for this system\n',
    )
  })

  it('exits with 1 after an unexpected error', async () => {
    const preload = `const { once } = process
      process.once = function (event, ...rest) {
        if (event === 'exit') throw new Error('a bug')
        return once.call(this, event, ...rest)
      }`

    const { code, stdout, stderr } = await run(check('--', 'node', '-e', '0'), { preload })

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('mockmaker: unexpected error\nError: a bug')
  })

  it('leaves no process after Ctrl+C', async () => {
    const cwd = await programs()
    await writeFile(join(cwd, 'client.mjs'), 'console.log(process.pid); setInterval(() => {}, 1_000)')
    const server = `console.log(process.pid); ${wrongServer}`
    await writeFile(join(cwd, 'server.mjs'), server)
    const { errors, signal, exited } = start(clients('--', 'node', 'server.mjs'), { cwd })
    const pids = () => [...errors().matchAll(/^(?:server|player \d) \| (\d+)$/gm)].map(([, pid]) => Number(pid))
    await until(() => pids().length === 3)

    signal('SIGINT')
    const { code, stdout } = await exited

    expect([code, stdout]).toEqual([130, ''])
    expect(pids().map(isAlive)).toEqual([false, false, false])
  })

  it('kills a server that ignores SIGTERM at the second Ctrl+C', async () => {
    const cwd = await programs()
    await writeFile(join(cwd, 'server.mjs'), `console.log(process.pid); ${wrongServer}`)
    const { errors, signal, exited } = start(check('--', 'node', 'server.mjs', 'ignores SIGTERM'), { cwd })
    const pid = () => Number(/^server \| (\d+)$/m.exec(errors())?.[1] ?? 0)
    await until(() => pid() > 0)

    // Two signals at once are one.
    let hasEnded = false
    void exited.then(() => {
      hasEnded = true
    })
    await until(() => {
      signal('SIGINT')
      return hasEnded || !isAlive(pid())
    })

    expect((await exited).code).toBe(130)
    await until(() => !isAlive(pid()))
  })
})
