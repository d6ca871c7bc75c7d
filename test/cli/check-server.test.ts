import { describe, expect, it } from 'vitest'
import { runHere } from '../support/run-here.js'

describe('mockmaker check-server', () => {
  // No server starts, because there is no such scenario.
  const warningsOf = async (...words: readonly string[]) => {
    const { stderr } = await runHere(['check-server', 'nowhere.yaml', '--', ...words])
    return stderr.split('\n').filter(line => line.includes('goes to the server'))
  }

  it('warns of its own flags after --', async () => {
    expect(await warningsOf('node', 'server.mjs', '--within', '4s', '--players=2')).toEqual([
      '--within after -- goes to the server: put it before --',
      '--players after -- goes to the server: put it before --',
    ])
  })

  it('does not warn of other arguments of the server', async () => {
    expect(await warningsOf('node', 'server.mjs', '--port', '4', '--with', 'within')).toEqual([])
  })

  it.for(['missing.mjs', 'build/build.js'])('asks for quotes around the client if %s is no scenario', async file => {
    const { code, stderr } = await runHere(['check-server', '--client', 'node', file, '--', './server'])

    expect(stderr).toContain(`\nquote the command of the client: --client 'node ${file}'\n`)
    expect(code).toBe(1)
  })

  it.for([['--client', 'node', 'missing.yaml'], ['--client', 'node client.mjs', 'missing'], ['missing']])(
    'asks for no quotes with the arguments %j',
    async args => {
      const { stderr } = await runHere(['check-server', ...args, '--', './server'])

      expect(stderr).toContain('there is no scenario file missing')
      expect(stderr).not.toContain('quote')
    },
  )
})
