import { existsSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { LabReport } from '../../src/lab/lab.js'
import { folder, run, start } from '../support/command.js'
import { isAlive, until } from '../support/game-server-programs.js'
import { runHere } from '../support/run-here.js'

const client = fileURLToPath(new URL('right-client.sh', import.meta.url))
const lab = (...args: string[]) => run(['lab', ...args])

/** Runs JavaScript as a client. `poll()` asks for the link. It writes the id of its process to a file. */
const script = (file: string, body: string) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { appendFileSync } from 'node:fs'
   const { MOCKMAKER_URL, MOCKMAKER_LINK_TOKEN } = process.env
   const poll = () => fetch(MOCKMAKER_URL + '/cloud/devices/links?device_link_token=' + MOCKMAKER_LINK_TOKEN)
   appendFileSync(${JSON.stringify(file)}, process.pid + '\\n')
   ${body}`,
]

/** The ids that the clients of a script have written, one a line. */
const pidsIn = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number) : []

describe('mockmaker lab', () => {
  // In CI, the guide's client in JavaScript gets an A, and shells run below.
  it('gives a right client in a shell with curl an A', { tags: ['matrix'] }, async () => {
    const { code, stdout } = await lab('--quick', '--json', '--', 'bash', client)

    const { checks, grade } = JSON.parse(stdout) as LabReport
    expect(checks.filter(({ passed, notes }) => !passed || notes)).toEqual([])
    expect([code, grade, checks.length]).toEqual([0, 'A', 11])
  })

  it('prints a failure with its proof, and writes JUnit', async () => {
    const junit = join(await folder(), 'lab.xml')
    const command = script(join(await folder(), 'pid'), `await poll(); console.error('no idea'); process.exit(3)`)

    const { code, stdout } = await lab('--only', 'gap', '--junit', junit, '--', ...command)

    const lines = stdout.replaceAll(/\+\d\.\d{3} s|after \d\.\d{3} s|token=[\w.]+/g, '…').split('\n')
    expect([code, ...lines]).toEqual([
      1,
      '✗ gap: it exited with code 3: no idea',
      expect.stringMatching(
        /^ {4}… GET \/cloud\/devices\/links\?device_link_… → 200 \{"watch":\{"index":"\d+"\}\}, …$/,
      ),
      '    … exit code 3',
      '1 failed',
      '',
    ])
    expect(await readFile(junit, 'utf8')).toContain('<failure message="it exited with code 3: no idea">')
  })

  it('gives its clients the link, and no secret', async () => {
    const words = '"$MOCKMAKER_CONTROL_TOKEN/$RIVET_TOKEN/$MOCKMAKER_URL/$RIVET_API_ENDPOINT/$MOCKMAKER_LINK_TOKEN"'
    const env = { MOCKMAKER_CONTROL_TOKEN: 'secret-secret-secret', RIVET_TOKEN: 'pub_prod.mine' }

    const { stdout } = await runHere(['lab', '--only', 'gap', '--', 'sh', '-c', `echo ${words} >&2; exit 3`], { env })

    const url = String.raw`http://127\.0\.0\.1:\d+`
    expect(stdout).toMatch(new RegExp(`no request: //${url}/${url}/device\\.mock\\.\\w+\\. It must poll`))
  })

  it('ends a client that floods its output', async () => {
    const { code, stdout } = await runHere(['lab', '--only', 'gap', '--', 'yes'])

    expect([code, stdout.split('\n')[0]]).toEqual([1, '✗ gap: it printed more than 1.0 MB on standard output'])
  })

  it('kills a client that ignores SIGTERM', async () => {
    const file = join(await folder(), 'pid')
    const command = script(file, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); await poll()`)

    const { code, stdout } = await runHere(['lab', '--only', 'gap', '--', ...command])

    expect([code, stdout.split('\n')[0]]).toEqual([1, '✗ gap: it did not exit within 3 s after the link was complete'])
    expect(pidsIn(file).map(isAlive)).toEqual([false])
  })

  it('leaves no process on Ctrl+C', async () => {
    const file = join(await folder(), 'pid')
    const command = start([
      'lab',
      '--',
      ...script(file, `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`),
    ])
    await until(() => pidsIn(file).length >= 4)

    command.signal('SIGINT')

    expect((await command.exited).code).toBe(130)
    expect(pidsIn(file).filter(isAlive)).toEqual([])
  })

  it('names the error of a client that sent nothing, and runs no other check', async () => {
    const { code, stdout } = await runHere(['lab', '--quick', '--', process.execPath, '/nowhere/clinet.mjs'])

    const lines = stdout.replaceAll(/[\d.]+ m?s/g, '… s').split('\n')
    expect([code, ...lines]).toEqual([
      1,
      expect.stringMatching(
        /^✗ [a-z ]+: it exited with code 1 after … s, and sent the lab no request: Error: Cannot find module '\/nowhere\/clinet\.mjs'\. It must poll GET \$MOCKMAKER_URL\/cloud\/devices\/links with its token: does it read MOCKMAKER_URL and MOCKMAKER_LINK_TOKEN\?$/,
      ),
      '    +… s exit code 1',
      '1 failed, 10 not run: the client sent no request',
      '',
    ])
  })

  it.for([
    [['--', 'no-such-client'], 1, 'command not found: "no-such-client"\n'],
    [['--'], 2, 'error: the command after -- is missing: mockmaker lab -- node client.mjs\n'],
    [[], 2, 'error: the command after -- is missing: mockmaker lab -- node client.mjs\n'],
    [['node', 'a.mjs'], 2, 'error: put -- before the command: mockmaker lab -- node a.mjs\n'],
    [['node', '--', 'a.mjs'], 2, 'error: put only options before --: remove node\n'],
    [['--only', 'gaps', '--', 'true'], 2, 'Did you mean gap?'],
    [['--quick', '--only', 'patience', '--', 'true'], 1, 'lab: options.quick leaves out patience'],
    [['--baseline', '/nowhere/b', '--', 'true'], 1, 'cannot read the baseline /nowhere/b: it does not exist\n'],
  ] as const)('answers %j', async ([args, code, message]) => {
    const exit = await runHere(['lab', ...args])

    expect([exit.code, exit.stderr]).toEqual([code, expect.stringContaining(message)])
  })

  it('says before the checks that the JUnit report cannot be written', async () => {
    const file = join(await folder(), 'pid')

    const { code, stdout, stderr } = await runHere([
      'lab',
      '--junit',
      '/nowhere/j',
      '--',
      ...script(file, 'await poll()'),
    ])

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe('cannot write the JUnit report /nowhere/j: its folder does not exist\n')
    expect(pidsIn(file)).toEqual([])
  })

  it('names the line of a wrong baseline', async () => {
    const baseline = join(await folder(), 'baseline.txt')
    await writeFile(baseline, 'gap\nretri\n')

    const { code, stderr } = await runHere(['lab', '--baseline', baseline, '--', 'true'])

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/baseline\.txt:2: "retri" is no check\..* Did you mean retry\?/),
    ])
  })
})
