import { describe, expect, it } from 'vitest'
import { readScenario } from '../../../src/core/scenario/read.js'
import { startAt } from '../../support/tanks.js'
import { problemLines, rowsOf, twoGames } from '../../support/worlds.js'

const problems = (input: unknown) => problemLines(() => readScenario(input))
const listed = (...bearer_tokens: object[]) => ({ ...twoNamed, bearer_tokens })
const twoNamed = { games: [{ name_id: 'tanks' }, { name_id: 'karts' }] }

describe('bearer_tokens', () => {
  it('are all the bearer tokens of the world, in their order', () => {
    const { tokens } = rowsOf({
      default_namespace: 'karts/beta',
      games: (twoGames.games ?? []).map(({ tokens, ...game }) => ({
        ...game,
        namespaces: [{ name_id: 'beta', namespace_id: `${game.game_id}B` }],
      })),
      device_links: [{ status: 'complete', game: 'tanks', cloud_token: 'nobodys' }],
      bearer_tokens: [
        { token: 'c', kind: 'cloud', game: 'karts', expires_at: '2026-11-20T20:00:00.001Z' },
        { token: 'd', kind: 'development', namespace: 'karts/beta' },
        { token: 'p', kind: 'public', namespace: 'tanks/beta', expires_at: '2026-11-20T21:00:00+01:00' },
      ],
    })

    expect(tokens).toEqual([
      { token: 'c', kind: 'cloud', game_id: 'K', expires_at: startAt + 1 },
      { token: 'd', kind: 'development', namespace_id: 'KB' },
      { token: 'p', kind: 'public', namespace_id: 'TB', expires_at: startAt },
    ])
  })

  it('can give a development token its own game server', () => {
    const lobby_ports = [{ label: 'default', target_port: 7777, proxy_protocol: 'http' as const }]
    const bearer = { kind: 'development', namespace: 'game/prod' } as const

    const { tokens } = rowsOf({
      bearer_tokens: [
        { ...bearer, token: 'own', development: { hostname: 'h', lobby_ports } },
        { ...bearer, token: 'bare', development: {} },
        { ...bearer, token: 'none' },
      ],
    })

    expect(tokens.map(row => ('development' in row ? row.development : 'absent'))).toEqual([
      { hostname: 'h', lobby_ports },
      {},
      'absent',
    ])
  })

  it('can be an empty list: there are no tokens', () => {
    expect(rowsOf({ bearer_tokens: [] }).tokens).toEqual([])
  })

  it('can list several tokens of one kind, and the cloud token of a link', () => {
    const device_links = ['a', 'b'].map(token => ({ token, status: 'complete', game: 'tanks', cloud_token: 'c' }))
    const bearer = { kind: 'cloud', game: 'tanks' }

    expect(problems({ ...listed({ ...bearer, token: 'c' }, { ...bearer, token: 'd' }), device_links })).toEqual([])
  })

  it.each([
    [
      'tokens of a game beside them',
      { bearer_tokens: [], games: [{ tokens: {} }] },
      'games[0].tokens is not allowed beside bearer_tokens, which lists all tokens. Move them there.',
    ],
    [
      'tokens of a namespace beside them',
      { bearer_tokens: [], tokens: { public: 'p' } },
      'tokens is not allowed beside bearer_tokens, which lists all tokens. Move them there.',
    ],
    [
      'a complete link without a cloud token',
      { bearer_tokens: [], device_links: [{ status: 'complete' }] },
      'device_links[0].cloud_token is missing. bearer_tokens lists all tokens, so the mock creates none for the link. Name one of them.',
    ],
    [
      'a public token with a game server',
      { bearer_tokens: [{ token: 'p', kind: 'public', namespace: 'game/prod', development: {} }] },
      'bearer_tokens[0].development needs a bearer token with kind development, and this one has public. Remove it, or change the kind.',
    ],
    [
      'two ports of a game server with one label',
      {
        bearer_tokens: [
          {
            token: 'd',
            kind: 'development',
            namespace: 'game/prod',
            development: {
              lobby_ports: [1, 2].map(target_port => ({ label: 'a', target_port, proxy_protocol: 'udp' })),
            },
          },
        ],
      },
      'bearer_tokens[0].development.lobby_ports[1].label is "a": expected a label that no other port has',
    ],
    [
      'a cloud token of no game',
      listed({ token: 'c', kind: 'cloud' }),
      'bearer_tokens[0].game is missing: a cloud token belongs to a game. Known: tanks, karts.',
    ],
    [
      'a public token of no namespace',
      listed({ token: 'p', kind: 'public' }),
      'bearer_tokens[0].namespace is missing: a public token belongs to a namespace. Known: tanks/prod, karts/prod.',
    ],
    [
      'a cloud token of a namespace as well',
      listed({ token: 'c', kind: 'cloud', game: 'tanks', namespace: 'tanks/prod' }),
      'bearer_tokens[0].namespace needs a bearer token with kind development or public, and this one has cloud. Remove it, or change the kind.',
    ],
    [
      'a development token of a game as well',
      listed({ token: 'd', kind: 'development', game: 'tanks', namespace: 'tanks/prod' }),
      'bearer_tokens[0].game needs a bearer token with kind cloud, and this one has development. Remove it, or change the kind.',
    ],
    [
      'a game that does not exist',
      listed({ token: 'c', kind: 'cloud', game: 'tank' }),
      'bearer_tokens[0].game is "tank", which no game has. Known: tanks, karts. Did you mean tanks?',
    ],
    [
      'a namespace that does not exist',
      listed({ token: 'p', kind: 'public', namespace: 'prod' }),
      'bearer_tokens[0].namespace is "prod", which no namespace has. Known: tanks/prod, karts/prod.',
    ],
    [
      'a repeated token',
      listed({ token: 'c', kind: 'cloud', game: 'tanks' }, { token: 'c', kind: 'cloud', game: 'karts' }),
      'bearer_tokens[1].token is "c", which bearer_tokens[0].token is already. Give each its own.',
    ],
    [
      'the token of a device link',
      { ...listed({ token: 'c', kind: 'cloud', game: 'tanks' }), device_links: [{ token: 'c' }] },
      'bearer_tokens[0].token is "c", which device_links[0].token is already. Give each its own.',
    ],
    [
      'another kind',
      listed({ token: 'c', kind: 'device' }),
      'bearer_tokens[0].kind is "device": expected "development" or "public" or "cloud"',
    ],
  ])('refuse %s', (_, input, line) => {
    expect(problems(input)).toEqual([`scenario: ${line}`])
  })
})
