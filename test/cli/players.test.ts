import { describe, expect, it } from 'vitest'
import { freePort } from '../support/command.js'
import { runHere } from '../support/run-here.js'

describe('mockmaker players', () => {
  it.for<readonly [string, readonly string[], number, string]>([
    ['no number', [], 2, "missing required argument 'count'"],
    ['a number that is none', ['many', '--', 'x'], 2, 'Expected a whole number, 1 or more'],
    ['no player', ['0', '--', 'x'], 2, 'Expected a whole number, 1 or more'],
    ['no command', ['8'], 2, 'the command after -- is missing: mockmaker players 8 -- ./client --bot'],
    ['no dashes', ['8', './client'], 2, 'put -- before the command: mockmaker players 8 -- ./client'],
    [
      'more before the dashes',
      ['8', 'x', '--', 'y'],
      2,
      'put only the number of players and options before --: remove x',
    ],
    ['two kinds of seats', ['8', '--find', 'a', '--lobby', 'b', '--', 'y'], 2, 'use either --find or --lobby'],
    ['no game mode', ['8', '--find', ',', '--', 'y'], 2, '--find needs a game mode, as in --find duel'],
    ['a short session', ['8', '--session', '900ms', '--', 'y'], 2, 'Expected a duration from 1s to 7d.'],
    ['too many', ['65', '--session', '5s', '--', 'y'], 1, 'players: 65 bots are more than 64'],
    ['more than allowed', ['3', '--max-bots', '2', '--', 'y'], 1, 'Lower the number, or add --max-bots 3'],
  ])('refuses %s', async ([, args, code, message]) => {
    const got = await runHere(['players', ...args])

    expect(got.code).toBe(code)
    expect(got.stderr).toContain(message)
  })

  it('says that no mock answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`

    const { code, stderr } = await runHere(['players', '2', '--url', url, '--', 'x'])

    expect([code, stderr]).toEqual([
      1,
      `nothing answers at ${url}: start mockmaker there, or pass its URL with --url. More in the package: docs/something-is-wrong.md\n`,
    ])
  })
})
