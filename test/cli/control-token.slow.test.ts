import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { folder, lineLike, run, start } from '../support/command.js'
import { sendTo } from '../support/http.js'

const secret = 'secret-control-token-0123456789'

/** Starts a command that serves, and returns its URL and its process. */
async function serving(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = start([...args, '--port', '0', '--json'], { env })
  const listening = JSON.parse(await lineLike(command, { like: /"event":"listening"/ }))
  return { command, listening, url: listening.url as string }
}

describe('mockmaker --control-token', () => {
  it.for([
    ['the flag', ['--control-token', secret], {}],
    ['the variable', [], { MOCKMAKER_CONTROL_TOKEN: secret }],
  ] as const)('guards the control API, by %s, and is never printed', async ([, args, env]) => {
    const { command, url } = await serving(args, env)

    const refused = await sendTo(url, { method: 'GET', path: '/__mock/health', query: `token=${secret}` })
    const health = await createClient(url, { controlToken: secret }).health()
    command.signal('SIGTERM')
    const { stdout, stderr } = await command.exited

    expect([refused.status, health.status]).toEqual([401, 'ok'])
    expect(stdout).toContain('/__mock/health')
    expect(stdout + stderr).not.toContain(secret)
  })

  it('makes a token with auto, and prints it once', async () => {
    const { command, listening, url } = await serving(['--control-token', 'auto'])
    const token: string = listening.control_token

    const health = await createClient(url, { controlToken: token }).health()
    await createClient(url, { controlToken: `${token}x` })
      .health()
      .catch(() => {})
    command.signal('SIGTERM')
    const { stdout, stderr } = await command.exited

    expect(token).toMatch(/^control\.mock\.[\w-]{32}$/)
    expect(health.status).toBe('ok')
    expect((stdout + stderr).split(token)).toHaveLength(2)
  })
})

describe('mockmaker exec --control-token', () => {
  it('gives the token to the command, whose client uses it', async () => {
    const script = `
      const { MOCKMAKER_URL, MOCKMAKER_CONTROL_TOKEN } = process.env
      const headers = { authorization: 'Bearer ' + MOCKMAKER_CONTROL_TOKEN }
      Promise.all([fetch(MOCKMAKER_URL + '/__mock/health'), fetch(MOCKMAKER_URL + '/__mock/health', { headers })])
        .then(all => console.log(...all.map(({ status }) => status)))`

    const results = [
      await run(['exec', '--control-token', 'auto', '--', process.execPath, '-e', script]),
      await run(['exec', '--', process.execPath, '-e', script], { env: { MOCKMAKER_CONTROL_TOKEN: secret } }),
    ]

    expect(results.map(({ stdout }) => stdout)).toEqual(['401 200\n', '401 200\n'])
  })
})

describe('mockmaker show --control-token', () => {
  it('guards the calls that read', async () => {
    const cwd = await folder()
    await writeFile(join(cwd, 'world.yaml'), 'game_modes: [duel]\n')
    const command = start(['show', 'world.yaml', '--control-token', secret], { cwd })
    const url = /http:\S+(?=\/)/.exec(await lineLike(command, { like: /page/ }))?.[0] ?? ''

    expect((await sendTo(url, { method: 'GET', path: '/__mock/rows' })).status).toBe(401)
    expect(await createClient(url, { controlToken: secret }).world.gameModes.count()).toBe(1)
  })
})
