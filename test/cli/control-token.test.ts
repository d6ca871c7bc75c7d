import { describe, expect, it, vi } from 'vitest'
import { secretVariables } from '../../src/core/control/environment.js'
import { createMockmaker } from '../../src/index.js'
import { startProcess } from '../../src/server/processes/server-process.js'
import { runHere } from '../support/run-here.js'
import { serveMock } from '../support/served-mock.js'
import { tanks } from '../support/tanks.js'

const secret = 'secret-control-token-0123456789'
const variable = { MOCKMAKER_CONTROL_TOKEN: secret }

const served = () => serveMock(createMockmaker({ scenario: tanks }), { controlToken: secret })

describe.each(['env', 'export'])('mockmaker %s', name => {
  it('sends the control token of the flag, and of the variable', async () => {
    const url = await served()

    const [flag, env] = [
      await runHere([name, '--url', url, '--control-token', secret]),
      await runHere([name, '--url', url], { env: variable }),
    ]

    expect(flag).toEqual({ code: 0, stdout: expect.stringContaining('tanks'), stderr: '' })
    expect(env).toEqual(flag)
    expect(flag.stdout).not.toContain(secret)
  })

  it('says that the token is missing or wrong, and shows no token', async () => {
    const url = await served()

    const [missing, wrong] = [
      await runHere([name, '--url', url]),
      await runHere([name, '--url', url], { env: { MOCKMAKER_CONTROL_TOKEN: 'another-control-token-0123' } }),
    ]

    expect([missing.code, missing.stdout, wrong.code, wrong.stdout]).toEqual([1, '', 1, ''])
    expect(missing.stderr).toContain(
      `${url} answers 401: the control API needs the control token, and the request has none: send it as`,
    )
    expect(wrong.stderr).toContain('and this is not it')
    expect(wrong.stderr).not.toContain('another-control-token')
  })
})

it('mockmaker story sends the control token, and says that it is missing', async () => {
  const url = await served()

  const [missing, known] = [
    await runHere(['story', 'player.mock.none', '--url', url]),
    await runHere(['story', 'player.mock.none', '--url', url], { env: variable }),
  ]

  expect(known.stderr).toContain('this world has no story of such a player')
  expect(missing.stderr).toContain(`${url} answers 401: the control API needs the control token`)
})

describe('a control token of a wrong form', () => {
  it.for([
    ['', 'the control token is empty: expected 16 to 512 letters'],
    ['toosecret', 'the control token has 9 characters: expected 16 to 512 letters'],
    ['a secret with blanks in it', 'the control token has 26 characters: expected 16 to 512 letters'],
  ] as const)('is refused and not shown: %j', async ([token, message]) => {
    const results = [
      await runHere(['--control-token', token]),
      await runHere(['exec', '--control-token', token, '--', 'true']),
      await runHere(['show', 'x.yaml', '--control-token', token]),
      await runHere(['env', '--control-token', token]),
      await runHere([], { env: { MOCKMAKER_CONTROL_TOKEN: token } }),
    ]

    for (const { code, stdout, stderr } of results) {
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
      if (token !== '') expect(stderr).not.toContain(token)
    }
  })
})

describe('the help', () => {
  it('names the variable, and shows no token', async () => {
    const { stdout } = await runHere(['--help-all'], { env: variable })

    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(env: MOCKMAKER_CONTROL_TOKEN)')
    expect(stdout).not.toContain(secret)
  })
})

describe('a game server', () => {
  it('gets no secret of the mock', async () => {
    const secrets = Object.values(secretVariables)
    for (const name of [...secrets, 'OTHER']) vi.stubEnv(name, secret)
    const lines: string[] = []

    await startProcess(
      `"${process.execPath}" -p "String(['OWN', 'OTHER', '${secrets.join("', '")}'].map(name => process.env[name]))"`,
      { OWN: 'mine' },
      line => lines.push(line),
    ).exited

    expect(lines).toEqual([`mine,${secret},,,`])
  })
})
