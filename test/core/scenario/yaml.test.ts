import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject, onTestFinished } from 'vitest'
import * as yaml from 'yaml'
import { parseScenario } from '../../../src/core/scenario/index.js'
import { hasContent, readYaml } from '../../../src/core/scenario/yaml.js'
import { anyCharacter } from '../../support/any-character.js'
import { problemLines, worldOf } from '../../support/worlds.js'

const problems = (text: string) => problemLines(() => parseScenario(text, { file: 'friday-night.yaml' }))

const friday = `# Friday night
regions: [lnd-fra, lnd-atl]
game_modes:
  - duel
  - { game_mode_id: ffa,   max_players: 4 }
lobbies:
  - { game_mode_id: duel, region_id: lnd-frA }
  - game_mode_id: ffa
    total_player_count: 5
    player_count: 5
  - region_id: lnd-fra
`

describe('parseScenario', () => {
  it.each(['', '# nothing\n', '{}', '---\n', 'null', '\uFEFF{}'])('reads %j as the empty scenario', text => {
    expect(parseScenario(text)).toEqual({})
  })

  it('reads YAML', () => {
    expect(parseScenario('title: Friday night # 8 pm\ngame_modes:\n  - duel\nlobbies:\n')).toEqual({
      title: 'Friday night',
      game_modes: ['duel'],
    })
  })

  it('leaves the stacks of errors as they were', () => {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 7
    onTestFinished(() => {
      Error.stackTraceLimit = stackTraceLimit
    })
    expect(() => readYaml('title: @', { yaml })).toThrow()

    expect(Error.stackTraceLimit).toBe(7)
  })

  it('reads JSON, indented by tabs, with the key for editors', () => {
    const scenario = {
      $schema: './scenario.schema.json',
      games: [{ name_id: 'tanks', namespaces: [{ game_modes: ['duel'] }] }],
    }

    expect(parseScenario(JSON.stringify(scenario, null, '\t'))).toEqual(scenario)
  })

  it('reads a text with Windows line endings', () => {
    expect(problems('title: a\r\nsed: 1\r\n')[0]).toMatch(/^friday-night\.yaml:2:1: sed is an unknown key\./)
  })

  it('resolves an anchor', () => {
    expect(parseScenario('game_modes: &modes [duel]\ndomains: *modes\n').domains).toEqual(['duel'])
  })

  it.each(['state: { __proto__: { a: 1 } }', '"state": { "__proto__": { "a": 1 } }'])(
    'keeps a key __proto__ of a state, in %s',
    async state => {
      const scenario = parseScenario(`{ game_modes: [duel], lobbies: [{ ${state} }] }`)

      const [lobby] = worldOf(scenario).lobbies.all()

      expect(JSON.stringify(lobby?.state)).toBe('{"__proto__":{"a":1}}')
      expect(Object.getPrototypeOf(lobby?.state)).toBe(Object.prototype)
    },
  )

  it('reads a state with 64 levels, and refuses one with more', () => {
    const scenario = (depth: number) =>
      `{game_modes: [duel], lobbies: [{state: ${'['.repeat(depth)}${']'.repeat(depth)}}]}`

    expect(problems(scenario(64))).toEqual([])
    expect(problems(scenario(65))[0]).toMatch(
      /^friday-night\.yaml:1:40: lobbies\[0\]\.state is .* nests at most 64 levels$/,
    )
  })
})

describe('the position of a mistake', () => {
  it('is the line and column of the value', () => {
    expect(problems(friday.replace('    player_count: 5\n', ''))).toEqual([
      'friday-night.yaml:7:38: lobbies[0].region_id is "lnd-frA", which no region has. Known: lnd-fra, lnd-atl. Did you mean lnd-fra?',
      'friday-night.yaml:9:25: lobbies[1].total_player_count is 5, above 4, the most players that the lobby takes.',
    ])
  })

  it('is that of an unknown key itself', () => {
    expect(problems(friday)).toContain(
      'friday-night.yaml:10:5: lobbies[1].player_count is an unknown key. Known: lobby_id, game_mode_id, region_id, total_player_count, state, publicity, is_closed, tags, lobby_config, run_by, ports, status, ready_by, stops_at, forgotten_at, max_players, players. Did you mean total_player_count?',
    )
  })

  it('is that of a key in a wrong place', () => {
    expect(problems('games: []\ndomains: []')).toEqual([
      'friday-night.yaml:2:1: domains is not allowed beside games. Move it to a namespace, as in games[0].namespaces[0].domains.',
    ])
  })

  it('is the map that lacks a key', () => {
    expect(problems('regions:\n  - lnd-fra\n  - provider_display_name: Own\n')).toEqual([
      'friday-night.yaml:3:5: regions[1].region_id is missing: expected string',
    ])
  })

  it("is the anchor's value for an alias", () => {
    expect(problems('games: [{name_id: a, namespaces: &n [{name_id: B}]}, {name_id: b, namespaces: *n}]')).toEqual([
      expect.stringMatching(/^friday-night\.yaml:1:48: games\[0\]\.namespaces\[0\]\.name_id is "B"/),
      expect.stringMatching(/^friday-night\.yaml:1:48: games\[1\]\.namespaces\[0\]\.name_id is "B"/),
    ])
  })

  it('is the start of a text that is not a scenario', () => {
    expect(problems('\n- duel\n')).toEqual(['friday-night.yaml:2:1: the scenario is ["duel"]: expected object'])
  })

  it('begins with "scenario" if no file is named', () => {
    expect(problemLines(() => parseScenario('\nseed: x'))).toEqual(['scenario:2:7: seed is "x": expected number'])
  })
})

describe('the order of mistakes', () => {
  it('follows the text if it is not YAML, too', () => {
    const lines = problems('title: !odd x\ngame_modes: [duel]\nlobbies: {\n').map(line => Number(line.split(':')[1]))

    expect(lines.length).toBeGreaterThan(1)
    expect(lines).toEqual(lines.toSorted((one, other) => one - other))
  })

  it.each([
    ['seed: x\nlobbies:\n  - is_closed: 5\nsed: 1\n', ['1:7', '3:16', '4:1']],
    [
      'lobbies:\n  - { game_mode_id: b }\n  - region_id: lnd-frA\ndefault_namespace: x\ngame_modes: [a]\n',
      ['2:21', '3:16', '4:20'],
    ],
  ])('follows the text, whichever check finds them: %j', (text, places) => {
    expect(problems(text).map(line => line.split(' ')[0])).toEqual(places.map(place => `friday-night.yaml:${place}:`))
  })

  // Comparing each key with all others would take minutes.
  const keys = Array.from({ length: 80_000 }, (_, i) => `key${i}`)

  it('lists the first 20 of 80,000 in one map of JSON', { tags: ['slow', 'matrix'] }, () => {
    expect(problems(JSON.stringify(Object.fromEntries(keys.map(key => [key, 1]))))).toHaveLength(21)
  })

  it('lists the first 20 of 80,000 in one map of YAML', { tags: ['slow', 'matrix'] }, () => {
    expect(problems(keys.map(key => `${key}: 1\n`).join(''))).toHaveLength(21)
  })
})

describe('a JSON text', () => {
  const read = (text: string) => readYaml(text, { file: 'a.json', yaml }).toJSON()
  const scenario = fc
    .record({ title: fc.string({ unit: anyCharacter }), state: fc.jsonValue() })
    .map(({ title, state }) => ({
      title,
      game_modes: ['duel'],
      lobbies: [{ state }],
    }))

  it.prop([scenario, fc.constantFrom(undefined, 2)], { numRuns: 3 * inject('runs') })(
    'reads as it does as YAML',
    (input, space) => {
      const text = JSON.stringify(input, null, space)

      expect(read(text)).toEqual(read(`# YAML\n${text}`))
    },
  )

  it.each([
    ['{"title": "a",\n "seed": "x"}', 'a.json:2:10: seed is "x"'],
    ['{"title": "a",\n "title": "b"}', 'a.json:2:2: this map already has the key "title", in line 1'],
    ['{"title": "a",\n "\\u0074itle": "b"}', 'a.json:2:2: this map already has the key "title", in line 1'],
    [`{"journal": ${'['.repeat(200)}${']'.repeat(200)}}`, 'nests deeper than'],
    ['{"title": "a", }}', 'a.json:1:17: '],
  ])('is refused with its place: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('a command of game servers', () => {
  const read = (commands?: 'allowed') => () =>
    readYaml('title: A\nservers: { command: ./a }', { file: 'a.yaml', yaml, commands })

  it('is refused with its place', () => {
    expect(read()).toThrow(/^a\.yaml:2:21: servers\.command starts a program/)
  })

  it('is allowed in the file of a command line', () => {
    expect(read('allowed')().content.servers).toEqual({ command: './a' })
  })
})

describe('the line of source', () => {
  const lines = (text: string) => problemLines(() => readYaml(text, { file: 'a.yaml', yaml, carets: true }))

  it('is shown with a mistake, with a caret below the position', () => {
    expect(lines(friday.replace('    player_count: 5\n', ''))).toEqual([
      expect.stringMatching(/^a\.yaml:7:38: lobbies\[0\]\.region_id is "lnd-frA"/),
      '   7 |   - { game_mode_id: duel, region_id: lnd-frA }',
      '     |                                      ^',
      expect.stringMatching(/^a\.yaml:9:25: lobbies\[1\]\.total_player_count/),
      '   9 |     total_player_count: 5',
      '     |                         ^',
    ])
    expect(lines(friday)).toEqual([
      expect.stringMatching(/^a\.yaml:10:5: lobbies\[1\]\.player_count is an unknown key/),
      '  10 |     player_count: 5',
      '     |     ^',
    ])
  })

  it.each([
    [
      'lobbies: [',
      'a.yaml:1:11: a list that begins before this with [ is not closed',
      '   1 | lobbies: [',
      '     |           ^',
    ],
    [
      'title: a\ntitle: b',
      'a.yaml:2:1: this map already has the key "title", in line 1.',
      '   2 | title: b',
      '     | ^',
    ],
    ['title: 日本\nseed: x', 'a.yaml:2:7:', '   2 | seed: x', '     |       ^'],
    ['{title: 日本, seed: x}', 'a.yaml:1:', '   1 | {title: 日本, seed: x}', `     | ${' '.repeat(20)}^`],
    [
      '{title: "\u202e\u009b31m", seed: x}',
      'a.yaml:1:',
      '   1 | {title: "  31m", seed: x}',
      `     | ${' '.repeat(23)}^`,
    ],
    ['\r\nseed: x\r\n', 'a.yaml:2:7:', '   2 | seed: x', '     |       ^'],
  ])('is shown for %j', (text, place, line, caret) => {
    const [first, ...rest] = lines(text)

    expect(first?.startsWith(place)).toBe(true)
    expect(rest).toEqual([line, caret])
  })

  it('is shortened if it is long', () => {
    const [, line = '', caret = ''] = lines(
      `{$schema: "${'x'.repeat(500_000)}", seed: y, domains: ["${'z'.repeat(500)}"]}`,
    )

    expect(line.length).toBeLessThan(120)
    expect(line.slice(caret.length - 1)).toMatch(/^y, domains: /)
  })
})

describe('a text without content', () => {
  it.each(['', '\uFEFF', '# a\n  # b\n', '---\n# a', '%YAML 1.2\n---\n', 'null', '~ # nothing\n...\n'])(
    'is %j',
    text => {
      expect(hasContent(text)).toBe(false)
    },
  )

  it.each(['{}', 'title:', '# a\nseed: 1', '- a', 'title: "# no comment"'])('is not %j', text => {
    expect(hasContent(text)).toBe(true)
  })
})

describe('an invalid text', () => {
  it.each([
    ['lobbies: [', '1:11: a list that begins before this with [ is not closed, or its lines are not indented.'],
    [
      'title: a: b',
      '1:8: the value of this key has keys: begin a new line for them, indent it less, or quote the value: "a: b".',
    ],
    ['title: "a', '1:10: a quote is not closed.'],
    ['title: @a', '1:8: a text may not begin with this character: quote the text: "@a".'],
    ['lobbies:\n\t- {}', '2:1: a tab indents this line: use spaces: "- {}".'],
    ['title: a\nseed: 1\ntitle: b', '3:1: this map already has the key "title", in line 1: "title: b".'],
    ['{"seed": 1, "seed": 2}', '1:13: this map already has the key "seed", in line 1: "\\"seed\\": 2}".'],
    [
      'regions:\n  - &r { region_id: a, "region_id": b }',
      '2:24: this map already has the key "region_id", in line 2: "\\"region_id\\": b }".',
    ],
    ['seed: 1\n---\nseed: 2', '2:1: this starts a second document, but a scenario has one: "---".'],
    ['? [seed]\n: 1', '1:3: With stringKeys, all keys must be strings: "[seed]".'],
    ['title: !shout Friday', '1:8: Unresolved tag: !shout: "!shout Friday".'],
    ['title: *friday', '1:8: this alias has no anchor before it: "*friday".'],
    ['title: *friday\nx: &friday 1', '1:8: this alias has no anchor before it: "*friday".'],
    ['games: &games\n  - namespaces: *games', '2:17: this alias is inside its own anchor: "*games".'],
    ['\n  title: &title\n    [*title]', '3:6: this alias is inside its own anchor: "*title]".'],
  ])('is refused: %j', (text, line) => {
    expect(problems(text)).toEqual([`friday-night.yaml:${line}`])
  })

  it('is refused for aliases of aliases of aliases', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(', ')}]\n`

    expect(problems(level('a', 'x') + level('b', '*a') + level('c', '*b') + level('d', '*c'))).toEqual([
      'friday-night.yaml: its aliases expand to too many values. Write them out.',
    ])
  })

  it.each(['<<:', '<<: 5', '<<: [a]'])('is refused for a merge of a value that is not a map: %j', merge => {
    expect(problems(`%YAML 1.1\n---\n${merge}\n`)).toEqual([
      'friday-night.yaml: a merge key << needs a map, or an alias of one. Write its keys out.',
    ])
  })

  it.each(['[', '- ', '? ', '{a: '])('is refused if it is nested too deep for the stack: %j', opening => {
    expect(problems(opening.repeat(10_000))[0]).toMatch(/^friday-night\.yaml:1:\d+: nests deeper than 128 levels\.$/)
  })
})

describe('any text', () => {
  const word = fc.constantFrom(
    'games',
    'lobbies',
    '- ',
    ': ',
    '&a ',
    '*a',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '\n',
    '  ',
    '"',
    '__proto__',
    '<<',
    '!!set',
    '%YAML 1.1\n',
    '---\n',
    'null',
    '\t',
    '|\n',
    '# ',
  )
  const yamlish = fc.array(word, { maxLength: 30 }).map(words => words.join(''))

  it.prop([fc.oneof(fc.string({ unit: anyCharacter }), yamlish)], { numRuns: 20 * inject('runs') })(
    'is read, or refused with UsageError, whose lines all have positions',
    text => {
      for (const line of problems(text)) expect(line).toMatch(/^friday-night\.yaml:(\d+:\d+:)? /)
    },
  )

  it.prop([fc.json({ maxDepth: 5 })])('of JSON as a state gives the value of JSON.parse', json => {
    const { lobbies } = parseScenario(`{"game_modes": ["duel"], "lobbies": [{"state": ${json}}]}`)

    expect(JSON.stringify(lobbies?.[0]?.state)).toBe(JSON.stringify(JSON.parse(json)))
  })
})
