import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { parse } from 'yaml'
import { hints } from '../../../src/core/scenario/advice.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { problemLines } from '../../support/worlds.js'

const problems = (input: unknown) => problemLines(() => readScenario(input))
const lobby = (entry: object) => ({ game_modes: ['duel'], lobbies: [entry] })
const namespace = (entry: object) => ({ games: [{ namespaces: [entry] }] })

describe('a common mistake', () => {
  it.each<[object, string]>([
    [lobby({ id: 'a' }), 'lobbies[0].id is an unknown key: write lobby_id.'],
    [lobby({ private: true }), 'lobbies[0].private is an unknown key: write publicity: private.'],
    [lobby({ name: 'Bridge' }), 'lobbies[0].name is an unknown key: write state: { name: … }.'],
    [
      lobby({ players: 7 }),
      'lobbies[0].players is 7: expected array. Write total_player_count: 7; players lists players who can be told apart.',
    ],
    [lobby({ lobby_id: 5 }), 'lobbies[0].lobby_id is 5: expected string. Write lobby_id: "5".'],
    [lobby({ is_closed: 'yes' }), 'lobbies[0].is_closed is "yes": expected boolean. Write is_closed: true.'],
    [lobby({ is_closed: 'OFF' }), 'lobbies[0].is_closed is "OFF": expected boolean. Write is_closed: false.'],
    [lobby({ is_closed: 'x' }), 'lobbies[0].is_closed is "x": expected boolean'],
    [
      lobby({ total_player_count: '3' }),
      'lobbies[0].total_player_count is "3": expected number. Write total_player_count: 3.',
    ],
    [{ game_modes: 'duel' }, 'game_modes is "duel": expected array. Write game_modes: [duel].'],
    [{ domains: 'a b' }, 'domains is "a b": expected array. Write domains: ["a b"].'],
    [{ domains: 'a'.repeat(100) }, `domains is "${'a'.repeat(76)}…: expected array`],
    [{ players: 7 }, 'players is 7: expected object. Write players: { concurrent: 7 }.'],
    [
      namespace({ players: 7 }),
      'games[0].namespaces[0].players is 7: expected object. Write players: { concurrent: 7 }.',
    ],
    [namespace({ name: 'prod' }), 'games[0].namespaces[0].name is an unknown key: write name_id.'],
    [
      { games: [{ lobbies: [] }] },
      'games[0].lobbies is an unknown key: it belongs to a namespace, as in namespaces: [{ lobbies: … }].',
    ],
    [
      { games: [{ tokens: { public: 'pub' } }] },
      'games[0].tokens.public is an unknown key: it belongs to a namespace, as in namespaces: [{ tokens: { public: … } }].',
    ],
    [
      { game_modes: ['duel'], tokens: { cloud: 'cloud' } },
      'tokens.cloud is an unknown key: it belongs to a game, as in games: [{ tokens: { cloud: … }, namespaces: [{ game_modes: … }] }].',
    ],
    [
      namespace({ tokens: { cloud: 'cloud' } }),
      'games[0].namespaces[0].tokens.cloud is an unknown key: it belongs to a game, as in games: [{ tokens: { cloud: … }, namespaces: [{ game_modes: … }] }].',
    ],
    [
      { game_modes: ['duel'], name_id: 'tanks' },
      'name_id is an unknown key: it belongs to a game, as in games: [{ name_id: …, namespaces: [{ game_modes: … }] }].',
    ],
    [
      { game_modes: ['duel'], display_name: 'Tanks' },
      'display_name is an unknown key: it belongs to a game, as in games: [{ display_name: …, namespaces: [{ game_modes: … }] }].',
    ],
    [{ game_modes: ['duel'], game: 'tanks' }, 'game is an unknown key: write games: [{ name_id: … }].'],
    [{ name: 'Friday' }, 'name is an unknown key: write title.'],
    [{ clock: 60 }, 'clock is 60: expected "running" or "frozen". Write clock: { rate: 60 }.'],
    [
      { device_links: [{ expires_after: 60 }] },
      'device_links[0].expires_after is 60: expected a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m. Write expires_after: 60s.',
    ],
    [{ now: 0 }, 'now is 0: expected a date and time with a zone, as in 2026-11-20T20:00:00Z'],
    [{ lobbies: 0 }, 'lobbies is 0: expected array'],
    [{ seed: '1e20' }, 'seed is "1e20": expected number'],
    [{ servers: { command: 5 } }, 'servers.command is 5: expected string. Write command: "5".'],
    [
      { faults: [{ effect: { hold: true }, for: 5 }] },
      'faults[0].for is 5: expected a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m',
    ],
    [
      { faults: [{ delay: '1s', effect: { hold: true } }] },
      'faults[0].delay is an unknown key: write effect: { delay: … }.',
    ],
  ])('in %j is answered with advice', (input, line) => {
    expect(problems(input)).toContain(`scenario: ${line}`)
  })

  const numbers = fc.oneof(
    fc.constantFrom(0, -1, 1e9, 1e21, 1e-7, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.integer(),
    fc.double({ noNaN: true }),
  )

  it.prop([numbers, fc.constantFrom('players', 'generate', 'clock', 'session', 'delay', 'expires_after')], {
    numRuns: 3 * inject('runs'),
  })('with a number is answered with advice that has no other mistake', (number, key) => {
    const scenario = (entry: object): ScenarioInput => {
      if (key === 'session') return { players: entry }
      if (key === 'delay') return { faults: [{ effect: entry }] }
      return key === 'expires_after' ? { device_links: [entry] } : entry
    }
    const [line = ''] = problems(scenario({ [key]: number }))
    const [, advice = ''] = /\. Write (.*)\.$/.exec(line) ?? []

    expect(() => readScenario({ game_modes: ['duel'], ...scenario(parse(advice)) })).not.toThrow()
  })

  const places = Object.entries(hints).flatMap(([kind, keys]) => Object.keys(keys).map(key => ({ kind, key })))

  it.each(places)('$key of $kind is not a key, but the advice names one', ({ kind, key }) => {
    const said = problems(entryWith(kind, key, 1)).find(line => line.includes(`${key} is an unknown key`)) ?? ''
    const [, right = ''] = /: write ([\w$]+)/.exec(said) ?? []
    const known = problems(entryWith(kind, right, Symbol('wrong'))).join('\n')

    expect(said).not.toBe('')
    expect(hints[kind]?.[key]).toMatch(new RegExp(`^${right.replace('$', '.')}\\b`))
    expect(known).not.toMatch(/unknown key/)
  })
})

/** Returns a scenario with a key in an entry of that kind. */
function entryWith(kind: string, key: string, value: unknown): ScenarioInput {
  const entry = { [key]: value }
  if (kind === 'scenario') return entry
  if (kind === 'namespace') return namespace(entry)
  if (kind === 'game') return { games: [entry] }
  const lists = ['games', 'regions', 'game_modes', 'lobbies', 'device_links', 'bearer_tokens', 'faults', 'lobby_ports']
  const isList = (name: string, path: readonly string[]) =>
    lists.includes(name) || (name === 'players' && path.includes('lobbies'))
  return kind.split('.').reduceRight<object>((inner, name, i, path) => {
    return { [name]: isList(name, path.slice(0, i)) ? [inner] : inner }
  }, entry)
}
