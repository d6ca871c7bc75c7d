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
})
