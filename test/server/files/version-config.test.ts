import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@fast-check/vitest'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { createMock } from '../../../src/core/mock/mock.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import { convertVersionConfig } from '../../../src/server/files/version-config.js'
import { file } from '../../support/command.js'
import { ask, post } from '../../support/http.js'
import { runHere } from '../../support/run-here.js'
import { closedAfterTest } from '../../support/worlds.js'

/** Every key that the service's own command and API read. */
const whole = `
engine:
  godot:
scripts: { server: cargo run }
cdn: { build_command: yarn build, build_output: dist, routes: [] }
kv: {}
identity: { display_names: [Astronaut] }
matchmaker:
  max_players: 16
  max_players_party: 20
  tier: basic-1d1
  idle_lobbies: { min: 0, max: 2 }
  dev_hostname: 10.0.0.7
  captcha: { requests_before_reverify: 3, verification_ttl: 1, turnstile: { site_key: a, secret_key: SECRET } }
  regions:
    atl: {}
    lnd-fra: { tier: basic-1d2, idle_lobbies: { min: 1, max: 1 } }
    mars: {}
  docker:
    dockerfile: Dockerfile
    build_args: { A: b }
    image: game
    image_id: 00000000-0000-0000-0000-000000000000
    args: [--fast]
    env: { PORT: 3000 }
    network_mode: host
    ports:
      default: { port: 3000 }
      voice: { port_range: { min: 26000, max: 26010 }, protocol: udp, proxy: none }
  game_modes:
    classic: {}
    ranked:
      max_players: 2
      max_players_direct: 4
      regions: { atl: {} }
      listable: false
      taggable: true
      allow_dynamic_max_players: false
      tier: basic-1d4
      docker:
        ports: { game: { port: 7777, protocol: tcp_tls, dev_port: 8888, dev_protocol: udp } }
      actions:
        find: { enabled: false, identity_requirement: none }
        join: { enabled: false, verification: { url: https://x.example, headers: {} } }
        create: { enabled: true, enable_public: true, enable_private: false, max_lobbies_per_identity: 1 }
`.trimStart()

const deployed = [
  { label: 'default', target_port: 3000, proxy_protocol: 'https' },
  { label: 'voice', port_range: { min: 26_000, max: 26_010 }, proxy_protocol: 'udp' },
]
const scenarioOfWhole = {
  title: 'From rivet.yaml',
  regions: ['atl', 'lnd-fra', { region_id: 'mars' }],
  development: {
    hostname: '10.0.0.7',
    lobby_ports: [
      { label: 'game', target_port: 8888, proxy_protocol: 'udp' },
      { label: 'default', target_port: 3000, proxy_protocol: 'http' },
      { label: 'voice', port_range: { min: 26_000, max: 26_010 }, proxy_protocol: 'udp' },
    ],
  },
  game_modes: [
    {
      game_mode_id: 'classic',
      max_players: { normal: 16, direct: 16, party: 20 },
      regions: ['atl', 'lnd-fra', 'mars'],
      disabled: ['create'],
      taggable: false,
      ports: { lobby_ports: deployed },
    },
    {
      game_mode_id: 'ranked',
      max_players: { normal: 2, direct: 4, party: 20 },
      regions: ['atl'],
      listable: false,
      disabled: ['find', 'join'],
      dynamic_max_players: false,
      taggable: true,
      ports: { lobby_ports: [{ label: 'game', target_port: 7777, proxy_protocol: 'tcp_tls' }] },
    },
  ],
}

/** Returns the keys of the left-out lines, in their order. */
const keysIn = (leftOut: string) => leftOut.split('\n').map(line => line.split(' ')[1])
const convert = async (text: string, name = 'rivet.yaml') => {
  const converted = await convertVersionConfig(text, name)
  if (!converted) throw new Error(`${name} is no version config`)
  // It is valid.
  readScenario(converted.scenario)
  return converted
}

describe('a version config', () => {
  it('is made into a scenario, and each other key is listed with its place and a reason', async () => {
    const { scenario, leftOut } = await convert(whole)

    expect(scenario).toEqual(scenarioOfWhole)
    expect(leftOut).toMatchInlineSnapshot(`
      "rivet.yaml:1:1: engine is left out: it is for the command of the service
      rivet.yaml:3:1: scripts is left out: servers.command of a scenario starts a game server
      rivet.yaml:4:1: cdn is left out: the mock serves no pages of games
      rivet.yaml:5:1: kv is left out: the mock has no key-value storage
      rivet.yaml:6:1: identity is left out: the mock has no identities
      rivet.yaml:10:3: matchmaker.tier is left out: the mock rents no machines
      rivet.yaml:11:3: matchmaker.idle_lobbies is left out: the mock starts a lobby when a player needs one
      rivet.yaml:13:3: matchmaker.captcha is left out: the mock asks for a captcha only where a fault says so
      rivet.yaml:16:16: matchmaker.regions.lnd-fra.tier is left out: the mock rents no machines
      rivet.yaml:16:33: matchmaker.regions.lnd-fra.idle_lobbies is left out: the mock starts a lobby when a player needs one
      rivet.yaml:17:5: matchmaker.regions.mars is not in the catalogue: give it a datacenter_coord
      rivet.yaml:19:5: matchmaker.docker.dockerfile is left out: the mock builds no image: servers.command of a scenario starts a game server
      rivet.yaml:20:5: matchmaker.docker.build_args is left out: the mock builds no image: servers.command of a scenario starts a game server
      rivet.yaml:21:5: matchmaker.docker.image is left out: the mock builds no image: servers.command of a scenario starts a game server
      rivet.yaml:22:5: matchmaker.docker.image_id is left out: the mock builds no image: servers.command of a scenario starts a game server
      rivet.yaml:23:5: matchmaker.docker.args is left out: write it into servers.command of the scenario
      rivet.yaml:24:5: matchmaker.docker.env is left out: write it into servers.command of the scenario
      rivet.yaml:25:5: matchmaker.docker.network_mode is left out: nothing stands between a player and the game server
      rivet.yaml:28:71: matchmaker.docker.ports.voice.proxy is left out: nothing stands between a player and the game server
      rivet.yaml:38:7: matchmaker.game_modes.ranked.tier is left out: the mock rents no machines
      rivet.yaml:42:33: matchmaker.game_modes.ranked.actions.find.identity_requirement is left out: the mock has no identities
      rivet.yaml:43:33: matchmaker.game_modes.ranked.actions.join.verification is left out: the mock asks no other server
      rivet.yaml:44:34: matchmaker.game_modes.ranked.actions.create.enable_public is left out: create makes public and private lobbies
      rivet.yaml:44:55: matchmaker.game_modes.ranked.actions.create.enable_private is left out: create makes public and private lobbies
      rivet.yaml:44:78: matchmaker.game_modes.ranked.actions.create.max_lobbies_per_identity is left out: the mock has no identities"
    `)
    expect(leftOut).not.toContain('SECRET')
  })

  it('gives the same in JSON and in TOML, with the places there', async () => {
    const { leftOut } = await convert(whole)
    const json = await convert(JSON.stringify(parse(whole), null, 2), 'rivet.yaml')
    const toml = `
[engine.godot]
[scripts]
server = "cargo run"
[cdn]
build_command = "yarn build"
[kv]
[identity]
display_names = [
  "Astronaut",
]
[matchmaker]
  max_players = 16
  max_players_party = 20
  tier = "basic-1d1"
  idle_lobbies = { min = 0, max = 2 }
  dev_hostname = '10.0.0.7'
  captcha = { requests_before_reverify = 3, verification_ttl = 1 }
  regions.atl = {}
  regions.lnd-fra = { tier = "basic-1d2", idle_lobbies = { min = 1, max = 1 } }
  regions."mars" = {}
[matchmaker.docker]
  dockerfile = "Dockerfile"
  build_args = { A = "b" }
  image = "game"
  image_id = "00000000-0000-0000-0000-000000000000"
  args = ["--fast"]
  env.PORT = "3000"
  network_mode = "host"
  ports.default = { port = 3000 }
  ports.voice = { port_range = { min = 26000, max = 26010 }, protocol = "udp", proxy = "none" }
[matchmaker.game_modes]
  classic = {}
  [matchmaker.game_modes.ranked]
    max_players = 2
    max_players_direct = 4
    regions.atl = {}
    listable = false
    taggable = true
    allow_dynamic_max_players = false
    tier = "basic-1d4"
    docker.ports.game = { port = 7777, protocol = "tcp_tls", dev_port = 8888, dev_protocol = "udp" }
    [matchmaker.game_modes.ranked.actions]
      find = { enabled = false, identity_requirement = "none" }
      join = { enabled = false, verification = { url = "https://x.example", headers = {} } }
      create = { enabled = true, enable_public = true, enable_private = false, max_lobbies_per_identity = 1 }
`
    const converted = await convert(toml, 'rivet.toml')

    expect(json.scenario).toEqual(scenarioOfWhole)
    expect(keysIn(json.leftOut)).toEqual(keysIn(leftOut))
    expect(converted.scenario).toEqual({ ...scenarioOfWhole, title: 'From rivet.toml' })
    expect(keysIn(converted.leftOut).toSorted()).toEqual(keysIn(leftOut).toSorted())
    expect(converted.leftOut.split('\n')).toEqual(
      expect.arrayContaining([
        'rivet.toml:3:2: scripts is left out: servers.command of a scenario starts a game server',
        'rivet.toml:15:3: matchmaker.tier is left out: the mock rents no machines',
        'rivet.toml:20:3: matchmaker.regions.lnd-fra.tier is left out: the mock rents no machines',
        'rivet.toml:41:5: matchmaker.game_modes.ranked.tier is left out: the mock rents no machines',
      ]),
    )
  })

  it('may have older names', async () => {
    const { scenario, leftOut } = await convert(
      JSON.stringify({
        matchmaker: {
          lobby_groups: [
            {
              name_id: 'duel',
              max_players_normal: 2,
              max_players_direct: 3,
              max_players_party: 4,
              regions: [
                {
                  region_id: '37aeb24a-12f6-45ea-ba7e-d2589588d7db',
                  tier_name_id: 'basic-1d1',
                  idle_lobbies: { min_idle_lobbies: 0, max_idle_lobbies: 1 },
                },
              ],
              create_config: { enabled: true },
              runtime: {
                docker: {
                  build_id: '00000000-0000-0000-0000-000000000000',
                  args: [],
                  env_vars: [{ key: 'A', value: 'b' }],
                  ports: [
                    { label: 'default', target_port: 80, proxy_protocol: 'http' },
                    { label: 'rtc', port_range: { min: 1, max: 2 }, proxy_protocol: 'udp' },
                  ],
                },
              },
            },
          ],
          game_modes: { free: { docker: { ports: { https: { proto: 'https', target: 80 } } } } },
        },
      }),
    )

    expect(scenario.game_modes).toEqual([
      {
        game_mode_id: 'free',
        max_players: 32,
        disabled: ['create'],
        taggable: false,
        ports: { lobby_ports: [{ label: 'https', target_port: 80, proxy_protocol: 'https' }] },
      },
      {
        game_mode_id: 'duel',
        max_players: { normal: 2, direct: 3, party: 4 },
        regions: ['lnd-fra'],
        taggable: false,
        ports: {
          lobby_ports: [
            { label: 'default', target_port: 80, proxy_protocol: 'http' },
            { label: 'rtc', port_range: { min: 1, max: 2 }, proxy_protocol: 'udp' },
          ],
        },
      },
    ])
    expect(keysIn(leftOut)).toEqual(
      ['regions[0].tier_name_id', 'regions[0].idle_lobbies']
        .concat(['build_id', 'args', 'env_vars'].map(key => `runtime.docker.${key}`))
        .map(key => `matchmaker.lobby_groups[0].${key}`),
    )
  })

  it('loads, starts and answers', async () => {
    const { scenario } = await convert(whole.replace('enabled: false', 'enabled: true'))
    const mock = closedAfterTest(createMock({ scenario }))

    for (const [mode, host] of [
      ['classic', '10.0.0.7:3000'],
      ['ranked', '10.0.0.7:7777'],
    ]) {
      const { status, body } = await ask(mock, post('/matchmaker/lobbies/find', { game_modes: [mode] }))
      expect([status, Object.values<{ host: string }>(JSON.parse(body).ports)[0]?.host]).toEqual([200, host])
    }
  })

  it('may have mistakes: what is wrong is left out, and what is misspelt gets a suggestion', async () => {
    const { scenario, leftOut } = await convert(`matchmaker:
  max_playrs: 4
  regions: [atl]
  docker: { ports: { game_port: { port: 1 }, none: {}, both: { port: many } } }
  game_modes:
    duel: { max_players: -1, listable: yes please }
    "a b": {}
enginee: {}
`)

    expect(scenario.game_modes).toEqual([
      { game_mode_id: 'duel', max_players: 32, disabled: ['create'], taggable: false, ports: { lobby_ports: [] } },
    ])
    expect(leftOut).toMatchInlineSnapshot(`
      "rivet.yaml:2:3: matchmaker.max_playrs is an unknown key. Known: max_players, max_players_normal, max_players_direct, max_players_party, regions, runtime, docker, dev_hostname, game_modes, lobby_groups, captcha, tier, idle_lobbies. Did you mean max_players?
      rivet.yaml:3:12: matchmaker.regions[0] is left out: expected a map
      rivet.yaml:4:22: matchmaker.docker.ports.game_port is left out: expected a name of 0-9 a-z and -
      rivet.yaml:4:46: matchmaker.docker.ports.none is left out: expected port or port_range
      rivet.yaml:4:56: matchmaker.docker.ports.both is left out: expected port or port_range
      rivet.yaml:4:64: matchmaker.docker.ports.both.port is "many": expected number. It is left out.
      rivet.yaml:6:13: matchmaker.game_modes.duel.max_players is -1: expected at least 0. It is left out.
      rivet.yaml:6:30: matchmaker.game_modes.duel.listable is "yes please": expected boolean. It is left out.
      rivet.yaml:7:5: matchmaker.game_modes["a b"] is left out: expected a name without white space or /
      rivet.yaml:8:1: enginee is an unknown key. Known: matchmaker, $schema, cdn, engine, identity, kv, scripts. Did you mean engine?"
    `)
  })

  /** The paths of all maps that are read. */
  const maps = [
    [],
    ['matchmaker'],
    ['matchmaker', 'docker'],
    ['matchmaker', 'docker', 'ports', 'voice'],
    ['matchmaker', 'regions', 'atl'],
    ['matchmaker', 'game_modes', 'ranked'],
    ['matchmaker', 'game_modes', 'ranked', 'docker'],
    ['matchmaker', 'game_modes', 'ranked', 'actions'],
    ['matchmaker', 'game_modes', 'ranked', 'actions', 'create'],
  ]

  test.prop([fc.constantFrom(...maps), fc.stringMatching(/^[a-z_]{3,12}$/).map(key => `x_${key}`), fc.jsonValue()], {
    numRuns: inject('runs'),
  })('lists each unknown key, wherever it is', async (path, key, value) => {
    const config = parse(whole)
    let owner = config
    for (const name of path) owner = owner[name]
    owner[key] = value ?? 1

    const { leftOut } = await convert(JSON.stringify(config))

    expect(keysIn(leftOut)).toContain([...path, key].join('.'))
  })

  it.for([
    ['rivet.yaml', 'matchmaker:\n  game_modes: {\n', /^rivet\.yaml:\d+:\d+: /],
    ['rivet.toml', '[matchmaker]\nmax_players = \n', /^rivet\.toml:2:\d+: this is no valid TOML: \S.*$/],
    ['rivet.json', '{"matchmaker": {"game_modes": {}', /^rivet\.json:1:\d+: /],
    [
      'rivet.toml',
      '[cdn]\n[matchmakr.game_modes]\nduel = {}\n',
      /^rivet\.toml has no game mode: .+\n.*cdn is left out.*\nrivet\.toml:2:2: matchmakr is an unknown key\..* Did you mean matchmaker\?$/,
    ],
  ] as const)('is refused with a place: %s %#', async ([name, text, message]) => {
    await expect(convertVersionConfig(text, name)).rejects.toThrow(message)
  })

  it.for([
    ['another tool', 'project:\n  name: loom\nsources:\n  - path: docs\n'],
    ['the later form', '{"modules": {"lobbies": {"config": {}}}}'],
    ['a recording', '{"log": {"entries": [], "scripts": {}'],
    ['a scenario', 'game_modes: [duel]\ndomains:\n  [cdn.example.com]\n'],
  ] as const)('is not what %s has', async ([, text]) => {
    expect(await convertVersionConfig(text, 'rivet.yaml')).toBeUndefined()
  })
})

describe('mockmaker', () => {
  const texts = {
    'session.har': '{"log": {"version": "1.2", "entries": []}}',
    'rivet.yaml': 'engine: { godot: }\nmatchmaker:\n  tier: basic\n  game_modes: { duel: {} }\n',
    'rivet.version.toml': '[matchmaker]\n\ttier = "basic"\n[matchmaker.game_modes]\n\tduel = {}\n',
    'game.json': '{"cdn": {}, "matchmaker": {"max_players": 2, "game_modes": {"duel": {}}}}',
  }

  it.for(Object.entries(texts))('says what %s is, and how to use it', async ([name, text]) => {
    const path = await file(name, text)
    const kind = name.endsWith('.har') ? 'an HTTP Archive' : 'a version config of the service'
    const sentence = `${path} is ${kind}: mockmaker import ${path} -o scenario.mockmaker.yaml writes a scenario from it\n`

    expect(await runHere([path, '--port', '0'])).toEqual({ code: 1, stdout: '', stderr: sentence })
    expect(await runHere(['validate', path])).toEqual({ code: 1, stdout: '', stderr: sentence })
  })

  it('says it of an object too', () => {
    expect(() => createMock({ scenario: parse(texts['rivet.yaml']) })).toThrow(
      /^the scenario is a version config of the service: mockmaker import rivet\.yaml -o scenario\.mockmaker\.yaml /,
    )
  })

  it('imports one, and lists what it left out', async () => {
    const path = await file('rivet.version.toml', texts['rivet.version.toml'])
    const output = join(path, '..', 'scenario.yaml')
    const leftOut = `${path}:2:2: matchmaker.tier is left out: the mock rents no machines\n`

    const written = await runHere(['import', path, '-o', output])
    const printed = await runHere(['import', path, '-o', '-'])

    const summary = `1 game mode. Not used as it is: 1 key\n${leftOut}`
    expect(written).toEqual({ code: 0, stdout: `${output}: ${summary}`, stderr: '' })
    expect(printed).toEqual({ code: 0, stdout: await readFile(output, 'utf8'), stderr: summary })
    expect(await runHere(['validate', output])).toMatchObject({ code: 0 })
  })

  it.each([
    ['rivet.yaml', 'matchmaker:\n  game_modes:\n    duel: {}\n'],
    ['rivet.toml', '[matchmaker.game_modes.duel]\n'],
    ['rivet.json', '{\n"matchmaker": { "game_modes": { "duel": {} } } }'],
  ])('may begin with a byte order mark, as editors on Windows write it: %s', async (name, text) => {
    const marked = await file(name, `\uFEFF${text.replaceAll('\n', '\r\n')}`)

    const { code, stdout } = await runHere(['import', marked])

    expect(code).toBe(0)
    expect(stdout).toContain('game_mode_id: duel')
  })

  it('is TOML if its name says so, and a mistake in the first line is named', async () => {
    const path = await file('rivet.toml', '[matchmaker\nmax_players = 8\n')

    expect((await runHere(['import', path])).stderr).toMatch(/rivet\.toml:1:\d+: this is no valid TOML: /)
  })

  it('refuses to import anything else', async () => {
    const path = await file('rivet.json', '{"modules": {}}')

    expect((await runHere(['import', path])).stderr).toBe(
      `${path} is no HTTP Archive: expected JSON with log.entries, as developer tools save it, or a version config with matchmaker.game_modes\n`,
    )
  })
})
