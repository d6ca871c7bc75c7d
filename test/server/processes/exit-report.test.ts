import { describe, expect, it } from 'vitest'
import { describeExit, errorLineOf, tailOf } from '../../../src/server/processes/exit-report.js'

const frames = (count: number) => Array.from({ length: count }, (_, i) => `    at step${i} (game.js:${i}:1)`)

describe('the tail of an output', () => {
  it.for<readonly [string, readonly string[], readonly string[]]>([
    [
      'JavaScript',
      [
        'Error: an older one',
        'playing',
        '/game.js:12',
        '  throw new Error(text)',
        '  ^',
        '',
        'TypeError: null pointer',
        ...frames(9),
      ],
      ['TypeError: null pointer', ...frames(9)],
    ],
    [
      'an unhandled event of JavaScript',
      [
        'node:events:486',
        "      throw er; // Unhandled 'error' event",
        '      ^',
        '',
        'Error: connect ECONNREFUSED 127.0.0.1:42687',
        ...frames(1),
        "Emitted 'error' event on Socket instance at:",
        ...frames(2),
        'Node.js v22.21.1',
      ],
      [
        'Error: connect ECONNREFUSED 127.0.0.1:42687',
        ...frames(1),
        "Emitted 'error' event on Socket instance at:",
        ...frames(2),
        'Node.js v22.21.1',
      ],
    ],
    [
      'Python',
      ['up', 'Traceback (most recent call last):', '  File "game.py", line 3', '    run()', 'ValueError: null pointer'],
      ['Traceback (most recent call last):', '  File "game.py", line 3', '    run()', 'ValueError: null pointer'],
    ],
    [
      'Java',
      [
        'up',
        'Exception in thread "main" Oops: null pointer',
        '\tat Game.run',
        'Caused by: IOException: gone',
        '\tat Game.read',
      ],
      [
        'Exception in thread "main" Oops: null pointer',
        '\tat Game.run',
        'Caused by: IOException: gone',
        '\tat Game.read',
      ],
    ],
    [
      'Go',
      ['up', 'panic: null pointer', '', 'goroutine 1 [running]:'],
      ['panic: null pointer', '', 'goroutine 1 [running]:'],
    ],
    [
      'Rust',
      ["thread 'main' panicked at game.rs:2:5:", 'null pointer'],
      ["thread 'main' panicked at game.rs:2:5:", 'null pointer'],
    ],
    [
      'Godot',
      ['up', 'SCRIPT ERROR: null pointer', '   at: run (game.gd:3)'],
      ['SCRIPT ERROR: null pointer', '   at: run (game.gd:3)'],
    ],
    ['a server that says nothing of an error', ['1', '2', '3', '4', '5', '6'], ['2', '3', '4', '5', '6']],
    ['a silent server', [], []],
  ])('of %s begins with its last error', ([, lines, tail]) => {
    expect(tailOf(lines)).toEqual(tail)
  })

  it('loses its middle if it is long', () => {
    const tail = tailOf(['Error: null pointer', ...frames(100)])

    expect(tail).toHaveLength(21)
    expect([tail[0], tail[10], tail.at(-1)]).toEqual([
      'Error: null pointer',
      '… 81 lines',
      '    at step99 (game.js:99:1)',
    ])
  })
})

describe('the line of an error', () => {
  it.for<readonly [string, readonly string[], string]>([
    [
      'Node',
      [
        'node:internal:1',
        '  throw err;',
        '  ^',
        '',
        "Error: Cannot find module '/a.mjs'",
        ...frames(9),
        '}',
        '',
        'Node.js v20.20.2',
        '',
      ],
      "Error: Cannot find module '/a.mjs'",
    ],
    [
      'Node, for an event without a listener',
      [
        'Error: connect ECONNREFUSED',
        ...frames(1),
        "Emitted 'error' event on Socket instance at:",
        ...frames(3),
        '',
        'Node.js v20.20.2',
      ],
      'Error: connect ECONNREFUSED',
    ],
    [
      'Node, for a text',
      [
        'node:internal:1',
        '    triggerUncaughtException(',
        '    ^',
        'no luck',
        '(Use `node --trace-uncaught ...` to show where the exception was thrown)',
        '',
        'Node.js v20.20.2',
      ],
      'no luck',
    ],
    [
      'Python',
      ['Traceback (most recent call last):', '  File "client.py", line 3', "KeyError: 'LINK_TOKEN'", ''],
      "KeyError: 'LINK_TOKEN'",
    ],
    [
      'Python, for an error of its own name',
      ['Traceback (most recent call last):', '  File "client.py", line 3', 'client.LinkRefused: 404'],
      'client.LinkRefused: 404',
    ],
    ['a client that gives a reason', ['asking', 'the link was refused\r', ''], 'the link was refused'],
    ['a silent client', ['', ''], ''],
  ])('is found in the output of %s', ([, lines, line]) => {
    expect(errorLineOf(lines.join('\n'))).toBe(line)
  })
})

describe('the end of a game server', () => {
  const ended = { command: './server', ageMs: 9_599, wasReady: true, players: 0 }

  it.for<readonly [object, string, boolean]>([
    [{ exit: { code: 1 } }, 'its game server crashed with exit code 1 after 9.6 s, so its lobby has stopped', true],
    [
      { exit: { signal: 'SIGSEGV' }, ageMs: 40 },
      'its game server was ended by SIGSEGV after 40 ms, so its lobby has stopped',
      true,
    ],
    [
      { exit: { code: 0 }, ageMs: 95_400 },
      'its game server has ended after 1 min 35 s, so its lobby has stopped',
      false,
    ],
    [
      { exit: { code: 0 }, players: 2 },
      'its game server has ended after 9.6 s, with 2 players, so its lobby has stopped',
      false,
    ],
    [
      { exit: { code: 0 }, wasReady: false },
      'its game server ended after 9.6 s, before it called POST /matchmaker/lobbies/ready, so its lobby has stopped',
      true,
    ],
    [
      { exit: { error: 'permission denied' } },
      'its game server could not start: permission denied, so its lobby has stopped. Command: ./server',
      true,
    ],
  ])('%j is described in one line', ([change, text, isFailure]) => {
    expect(describeExit({ ...ended, ...(change as { exit: object }) })).toEqual({ text, isFailure })
  })
})
