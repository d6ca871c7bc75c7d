import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { capsuleJson } from '../../src/server/files/capsule-html.js'
import { windowsWord } from '../../src/server/processes/spawn-command.js'
import { folder, lineLike, run, start } from '../support/command.js'
import { isAlive, until } from '../support/game-server-programs.js'

/** The arguments that run a Node script against a mock. */
const node = (script: string, ...args: readonly string[]) => ['exec', ...args, '--', process.execPath, '-e', script]

const printed = 'console.log(JSON.stringify(process.env))'

describe('mockmaker exec', () => {
  it('runs a command against its own mock, with the URL and a public token, and prints nothing itself', async () => {
    const script = `
      const { RIVET_API_ENDPOINT, MOCKMAKER_URL, RIVET_TOKEN } = process.env
      const headers = { authorization: 'Bearer ' + RIVET_TOKEN }
      fetch(RIVET_API_ENDPOINT + '/matchmaker/lobbies/list', { headers })
        .then(answer => answer.json())
        .then(({ lobbies }) => console.log(lobbies.length, RIVET_TOKEN, RIVET_API_ENDPOINT === MOCKMAKER_URL))`

    expect(await run(node(script))).toEqual({ code: 0, stdout: '7 pub_prod.mock.one true\n', stderr: '' })
  })

  it('writes the world with its past if the command fails, also into a new folder', async () => {
    const path = join(await folder(), 'failed', 'bug.html')
    const script = "fetch(process.env.MOCKMAKER_URL + '/matchmaker/lobbies/list').then(() => process.exit(3))"

    const { code, stdout, stderr } = await run(node(script, '--capsule-on-failure', path))

    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/bug\.html has the world with its past, \d+ KB\./)
    const { past } = JSON.parse(capsuleJson(await readFile(path, 'utf8')) ?? '')
    expect(past.exchanges).toHaveLength(1)
  })

  it('fails if the mock warns, also in a world that is gone, and passes if a rule is off', async () => {
    const cwd = await folder({ 'off.yaml': 'warnings: { no such call: off }\ngame_modes: [duel]\n' })
    const script = `
      const { MOCKMAKER_URL: mock } = process.env
      const headers = { 'content-type': 'application/json' }
      const change = (method, body) => fetch(mock + '/__mock/worlds/mine', { method, headers, body })
      change('PUT', '{}')
        .then(() => fetch(mock + '/w/mine/v1/lobbies/find'))
        .then(() => change('DELETE'))
        .then(() => process.exit(Number(process.argv[1] ?? 0)))`

    const failed = await run(node(script, '--fail-on-warnings'))
    const unasked = await run(node(script))
    const own = await run([...node(script, '--fail-on-warnings'), '3'])
    const off = await run(node(script, 'off.yaml', '--fail-on-warnings'), { cwd })

    expect([failed.code, failed.stdout]).toEqual([1, ''])
    expect(failed.stderr).toMatch(/^warning {2}no such call \[mine\]: .*lobbies\/find.*\n$/)
    expect([unasked, off].map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect([own.code, own.stderr]).toEqual([3, failed.stderr])
  })

  it('sets another token if asked, and the URL of the matchmaker, the only one that the Unreal plugin reads', async () => {
    const { stdout } = await run(node(printed, '--token', 'cloud'))

    const { MOCKMAKER_URL, RIVET_MATCHMAKER_API_URL, RIVET_TOKEN } = JSON.parse(stdout)
    expect([RIVET_TOKEN, RIVET_MATCHMAKER_API_URL]).toEqual(['cloud.mock.tanks', `${MOCKMAKER_URL}/matchmaker`])
  })

  it('passes on no secret of the mock but a control token that guards it', async () => {
    const secret = 'secret-control-token-0123456789'
    const env = { MOCKMAKER_DATA: await folder(), MOCKMAKER_CLUSTER_SECRET: secret, OTHER: 'mine' }

    const open = await run(node(printed), { env })
    const guarded = await run(node(printed), { env: { ...env, MOCKMAKER_CONTROL_TOKEN: secret } })

    const names = ['OTHER', 'MOCKMAKER_CONTROL_TOKEN', 'MOCKMAKER_DATA', 'MOCKMAKER_CLUSTER_SECRET']
    const inherited = [open, guarded].map(({ stdout }) => names.map(name => JSON.parse(stdout)[name]))
    expect(inherited).toEqual([
      ['mine', undefined, undefined, undefined],
      ['mine', secret, undefined, undefined],
    ])
  })

  it('sets the token and the version of the default namespace', async () => {
    const cwd = await folder()
    const namespaces = ['one', 'two'].map(name_id => ({
      name_id,
      version_id: `version-${name_id}`,
      tokens: { public: `pub.mock.${name_id}` },
    }))
    const scenario = { default_namespace: 'tanks/two', games: [{ name_id: 'tanks', namespaces }] }
    await writeFile(join(cwd, 'mine.json'), JSON.stringify(scenario))

    const { stdout } = await run(node(printed, 'mine.json'), { cwd })

    expect(JSON.parse(stdout)).toMatchObject({ RIVET_TOKEN: 'pub.mock.two', RIVET_VERSION_NAME: '0.0.2' })
  })

  it('ends its command if it is killed itself', async () => {
    const { lines, signal, exited } = start(node('console.log(process.pid); setInterval(() => {}, 1_000)'))
    await until(() => lines().length > 0)
    const pid = Number(lines()[0])

    signal('SIGKILL')
    await exited

    await until(() => !isAlive(pid))
  })

  it('reads the scenario and the options before the dashes, and nothing after them', async () => {
    const script = `
      const tell = path => fetch(process.env.MOCKMAKER_URL + path).then(answer => answer.status)
      Promise.all(['/__mock/health', '/matchmaker/lobbies/list'].map(tell)).then(all => console.log(...all, ...process.argv.slice(1)))`

    const { stdout } = await run([...node(script, 'empty', '--no-control', '--seed', '7'), '--', '--seed', '8'])

    expect(stdout).toBe('404 200 --seed 8\n')
  })

  it('simulates players with --live', async () => {
    const script = `
      fetch(process.env.MOCKMAKER_URL + '/__mock/simulation')
        .then(answer => answer.json())
        .then(({ simulations }) => console.log(...simulations.map(({ namespace, session }) => namespace + ' ' + session)))`

    const { stdout } = await run(node(script, '--live'))

    expect(stdout).toBe('tanks/prod 12m\n')
  })

  it('passes its standard input to the command', async () => {
    const { stdout } = await run(node(`process.stdin.on('end', () => console.log('ended')).resume()`))

    expect(stdout).toBe('ended\n')
  })

  it('ends with the exit code of the command', async () => {
    expect((await run(node('process.exit(42)'))).code).toBe(42)
  })

  it('ends with 128 and the number of the signal that killed the command', async () => {
    expect((await run(node(`process.kill(process.pid, 'SIGKILL')`))).code).toBe(128 + 9)
  })

  it.for([
    ['SIGTERM', 7],
    ['SIGINT', 8],
  ] as const)('forwards %s to the command, and waits for it', async ([signal, code]) => {
    const command = start(
      node(`process.on('${signal}', () => process.exit(${code})); setTimeout(() => {}, 30_000); console.log('ready')`),
    )
    await lineLike(command, { like: /ready/ })

    command.signal(signal)

    expect((await command.exited).code).toBe(code)
  })

  it('forwards a signal that comes as soon as the command has started', async () => {
    const preload = `
      import childProcess from 'node:child_process'
      import { syncBuiltinESMExports } from 'node:module'
      const { spawn } = childProcess
      childProcess.spawn = (...args) => {
        const child = spawn(...args)
        process.kill(process.pid, 'SIGTERM')
        return child
      }
      syncBuiltinESMExports()`

    const { code } = await run(['exec', '--', 'sleep', '30'], { preload })

    expect(code).toBe(128 + 15)
  })

  it('ends with 127 if there is no such command', async () => {
    expect(await run(['exec', '--', 'no-such-command', 'test'])).toEqual({
      code: 127,
      stdout: '',
      stderr: 'command not found: "no-such-command"\n',
    })
  })

  it('ends with 126 if the command cannot be run', async () => {
    const cwd = await folder()
    await mkdir(join(cwd, 'folder'))

    const { code, stderr } = await run(['exec', '--', './folder'], { cwd })

    expect(code).toBe(126)
    expect(stderr).toBe('cannot run "./folder": it is not a program, or you have no permission to run it\n')
  })

  it('ends with 126 if the system takes no command of this length', async () => {
    const preload = `for (let i = 0; i < 40; i++) process.env['LONG_' + i] = 'x'.repeat(100_000)`

    const { code, stderr } = await run(node(''), { preload })

    expect(code).toBe(126)
    const reason = 'the command and its environment are too long for this system'
    expect(stderr).toBe(`cannot run ${JSON.stringify(process.execPath)}: ${reason}\n`)
  })

  it('runs nothing if the scenario is wrong', async () => {
    const { code, stdout, stderr } = await run(node(`console.log('ran')`, 'no-such-scenario'))

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('no scenario file no-such-scenario')
  })
})

describe('a word for the Windows shell', () => {
  it.for([
    ['npm', 'npm'],
    ['C:\\tools\\run.cmd', 'C:\\tools\\run.cmd'],
    ['--grep=a b', '"--grep=a b"'],
    ['a & b | c', '"a & b | c"'],
    ['say "hi"', '"say ""hi"""'],
    ['', '""'],
  ] as const)('%s is quoted as %s', ([word, quoted]) => {
    expect(windowsWord(word)).toBe(quoted)
  })
})
