import { describe, expect, it } from 'vitest'
import { checkLines } from '../../../src/core/lib/check-report.js'
import type { RefusedCall, ServedLobby, ServedPlayer } from '../../../src/core/simulation/servers.js'
import { expectableCalls, judgeServer } from '../../../src/server/processes/judge-server.js'

const player = (name: string, fields: Partial<ServedPlayer> = {}): ServedPlayer => ({
  token: `player.mock.${name}`,
  name,
  connected: true,
  disconnected: true,
  sentence: `${name} was here.`,
  ...fields,
})

const refusal = (fields: Partial<RefusedCall>): RefusedCall => ({
  request: 1,
  at: '2026-11-20T20:00:00.000Z',
  method: 'POST',
  path: '/matchmaker/players/connected',
  operation: 'players.connected',
  status: 400,
  code: 'TOKEN_ERROR',
  message: 'wrong',
  ...fields,
})

const served: ServedLobby = {
  lobby_id: 'mine',
  players: [player('Ada'), player('Bo'), player('Cy')],
  refused: [],
  dropped: 0,
}

const end = { exit: { signal: 'SIGTERM' }, wasStopped: true, ms: 300, lastLines: ['the last line'] }

const client = { name: 'player 1', token: 'player.mock.Ada', exit: undefined, ms: 500, lastLines: [] }

type Judged = Parameters<typeof judgeServer>[0]

const right: Judged = {
  served,
  expected: ['ready', 'connected', 'disconnected'],
  withinMs: 120_000,
  readyMs: 4_210,
  end,
  clients: [],
  deadPorts: { dead: [], listening: [] },
}

/** Judges a right server with some differences. Returns the lines of the report. */
function judge({ served: differing, ...others }: Partial<Omit<Judged, 'served'>> & { served?: Partial<ServedLobby> }) {
  return judgeServer({ ...right, ...others, served: { ...served, ...differing } }).flatMap(check => checkLines(check))
}

const failures = (given: Parameters<typeof judge>[0]) => judge(given).filter(line => !line.startsWith('✓'))

describe('a right server', () => {
  it('passes each check, with its times and numbers', () => {
    expect(judge({})).toEqual([
      '✓ ready: it called ready after 4.2 s',
      '✓ connected: for 3 of 3 players',
      '✓ disconnected: for 3 of 3 players',
      '✓ tokens: no call with a refused token',
      '✓ calls: no other call that the mock refused',
      '✓ exit: it exited 300 ms after SIGTERM',
    ])
  })

  it('also passes what it does without being asked', () => {
    const clients = [{ ...client, exit: { code: 0 } }]

    expect(judge({ expected: ['ready'], served: { state: { map: 'Harbour' }, closed: true }, clients })).toEqual([
      '✓ ready: it called ready after 4.2 s',
      '✓ state: it set {"map":"Harbour"}',
      '✓ closed: it closed the lobby',
      '✓ tokens: no call with a refused token',
      '✓ calls: no other call that the mock refused',
      '✓ clients: none of 1 client failed',
      '✓ exit: it exited 300 ms after SIGTERM',
    ])
  })

  it.for([
    [{ exit: { code: 0 } }, '✓ exit: it exited 300 ms after SIGTERM'],
    [{ exit: { code: 143 } }, '✓ exit: it exited 300 ms after SIGTERM'],
    [{ exit: { code: 0 }, wasStopped: false }, '✓ exit: it ended by itself with exit code 0, after 300 ms'],
  ] as const)('may end as in %j', ([how, line]) => {
    expect(judge({ end: { ...end, ...how } }).at(-1)).toBe(line)
  })
})

describe('a wrong server', () => {
  it.for([
    [
      'is never ready',
      { readyMs: undefined },
      [
        '✗ ready: it did not call POST /matchmaker/lobbies/ready within 2m',
        '    not judged: connected, because it was never ready',
        '    not judged: disconnected, because it was never ready',
      ],
    ],
    [
      'ends at once',
      { readyMs: undefined, expected: ['ready'], end: { ...end, exit: { code: 0 }, wasStopped: false } },
      ['✗ ready: it ended without a call of POST /matchmaker/lobbies/ready'],
    ],
    [
      'misses a player',
      { served: { players: [player('Ada'), player('Bo', { connected: false, disconnected: false }), player('Cy')] } },
      ['✗ connected: missing for 1 of 3 players', '    Bo player.mock.Bo: Bo was here.'],
    ],
    [
      'misses a leaving player',
      { served: { players: [player('Ada'), player('Bo', { disconnected: false }), player('Cy')] } },
      ['✗ disconnected: missing for 1 of 3 players', '    Bo player.mock.Bo: Bo was here.'],
    ],
    [
      'misses a leaving player, whose client has ended',
      { served: { players: [player('Ada', { disconnected: false })] }, clients: [client] },
      [
        '✗ disconnected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: its client ended after 500 ms, and the server has not called players/disconnected',
      ],
    ],
    [
      'has a client that does not start',
      {
        served: { players: [player('Ada', { connected: false })] },
        clients: [{ ...client, exit: { code: 127 } }],
      },
      [
        '✗ connected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: Ada was here. Its client could not start: the shell found no such command.',
        '✗ clients: 1 of 1 client failed',
        '    player 1 could not start: the shell found no such command',
      ],
    ],
    [
      'connects nobody',
      { served: { players: [player('Ada', { connected: false })] } },
      [
        '✗ connected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: Ada was here.',
        '    nobody plays for them: pass --client, or let the server connect MOCKMAKER_PLAYER_TOKENS',
      ],
    ],
    [
      'connects nobody, although clients play',
      {
        served: { players: [player('Ada', { connected: false })] },
        clients: [{ ...client, exit: { code: 0 } }],
      },
      [
        '✗ connected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: Ada was here. Its client ended by itself with exit code 0, after 500 ms.',
      ],
    ],
    [
      'listens on another port than its own, and has a client that fails',
      {
        served: { players: [player('Ada', { connected: false })] },
        clients: [{ ...client, exit: { code: 1 }, lastLines: ['refused'] }],
        deadPorts: { dead: [{ port: 42_687, variable: 'PORT_default' }], listening: [] },
      },
      [
        '✗ connected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: Ada was here. Its client crashed with exit code 1, after 500 ms.',
        '✗ clients: 1 of 1 client failed',
        '    player 1 crashed with exit code 1',
        '      refused',
        '    it called ready, and nothing listens on port 42687, to which its seats lead. Let it listen on the port in PORT_default before it calls ready.',
      ],
    ],
    [
      'listens on another port than its own, and has a client that tries again and again',
      {
        served: { players: [player('Ada', { connected: false })] },
        clients: [{ ...client, exit: undefined }],
        deadPorts: { dead: [{ port: 42_687, variable: 'PORT_default' }], listening: [7777] },
      },
      [
        '✗ connected: missing for 1 of 1 player',
        '    Ada player.mock.Ada: Ada was here. Its client ran for 500 ms, until the check ended it.',
        '    it listens on port 7777, and its seats lead to port 42687. Let it listen on the port in PORT_default. If its port cannot change, write fixed: 7777 for that port in the scenario.',
      ],
    ],
    [
      'sends wrong tokens',
      { served: { refused: [refusal({}), refusal({ code: 'CLAIMS_MISSING_ENTITLEMENT' })] } },
      [
        '✗ tokens: 2 calls with a refused token',
        '    POST /matchmaker/players/connected → 400 TOKEN_ERROR: wrong',
        '    POST /matchmaker/players/connected → 400 CLAIMS_MISSING_ENTITLEMENT: wrong',
      ],
    ],
    [
      'sends a state that is not JSON',
      { served: { refused: [refusal({ operation: 'lobbies.setState', code: 'API_BAD_BODY' })] } },
      [
        '✗ state: 1 call with a state that is not JSON',
        '    POST /matchmaker/players/connected → 400 API_BAD_BODY: wrong',
      ],
    ],
    [
      'sends a wrong body',
      { served: { refused: [refusal({ code: 'API_BAD_BODY' })] } },
      [
        '✗ calls: 1 other call that the mock refused',
        '    POST /matchmaker/players/connected → 400 API_BAD_BODY: wrong',
      ],
    ],
    [
      'sets no state, and does not close',
      { expected: ['ready', 'state', 'closed'] },
      [
        '✗ state: it did not call PUT /matchmaker/lobbies/state within 2m',
        '✗ closed: it did not close the lobby within 2m',
      ],
    ],
    [
      'crashes before it is ready',
      { readyMs: undefined, end: { ...end, exit: { code: 3 }, wasStopped: false } },
      [
        '✗ exit: it crashed with exit code 3, after 300 ms',
        '    the last line',
        '    not judged: ready, because it crashed',
      ],
    ],
    [
      'crashes before its players leave, and takes a client with it',
      {
        served: { players: [player('Ada', { disconnected: false })] },
        end: { ...end, exit: { signal: 'SIGSEGV' }, wasStopped: false },
        clients: [{ ...client, exit: { code: 1 }, lastLines: ['the connection was closed'] }],
      },
      [
        '✗ exit: it was ended by SIGSEGV, after 300 ms',
        '    the last line',
        '    not judged: disconnected, because it crashed',
      ],
    ],
    [
      'does not start',
      {
        readyMs: undefined,
        expected: ['ready'],
        end: { ...end, exit: { code: 127 }, wasStopped: false, lastLines: [] },
      },
      [
        '✗ exit: it could not start: the shell found no such command',
        '    not judged: ready, because it did not start',
      ],
    ],
    [
      'ignores SIGTERM',
      { end: { ...end, exit: { signal: 'SIGKILL' }, ms: 10_000 } },
      ['✗ exit: it did not exit within 10 s of SIGTERM, and was killed', '    the last line'],
    ],
    [
      'crashes at its end',
      { end: { ...end, exit: { code: 1 } } },
      ['✗ exit: it crashed with exit code 1 after SIGTERM', '    the last line'],
    ],
    [
      'has a client that fails',
      {
        clients: [
          { ...client, exit: { code: 2 }, lastLines: ['no route'] },
          { ...client, name: 'player 2', exit: undefined },
        ],
      },
      ['✗ clients: 1 of 2 clients failed', '    player 1 crashed with exit code 2', '      no route'],
    ],
  ] as const)('that %s fails with one sentence', ([, given, lines]) => {
    expect(failures(given)).toEqual(lines)
  })

  it('shows ten refused calls, and counts the others', () => {
    const refused = Array.from({ length: 12 }, () => refusal({}))

    expect(failures({ served: { refused } })).toHaveLength(12)
    expect(failures({ served: { refused } }).at(-1)).toBe('    … and 2 calls more')
  })

  it('has a sentence for each call that can be expected', () => {
    const none = { ...served, players: [player('Ada', { connected: false })] }
    const names = (given: Partial<Judged>) =>
      judgeServer({ ...right, served: none, expected: expectableCalls, ...given })
        .filter(({ passed }) => !passed)
        .map(({ name }) => name)

    // Nobody has connected, so nobody can leave.
    expect(names({})).toEqual(['connected', 'state', 'closed'])
    expect(names({ readyMs: undefined })).toEqual(['ready'])
  })
})
