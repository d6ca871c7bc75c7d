import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { printBanner, printTokens } from '../../src/cli/banner.js'
import type { Console } from '../../src/cli/output.js'
import { networkUrlsOf } from '../../src/cli/serve.js'
import { runAtOnce } from '../../src/core/lib/steps.js'
import { createMock } from '../../src/core/mock/mock.js'
import { scenarios } from '../../src/core/scenario/shipped.js'
import type { MockmakerOptions, ScenarioInput } from '../../src/index.js'
import { createListener } from '../../src/server/http/server.js'
import { version } from '../../src/version.js'
import { file, serve, serveJson } from '../support/command.js'
import { sendTo, serveDuringTest } from '../support/http.js'
import { closedAfterTest } from '../support/worlds.js'

const shell = promisify(execFile)
const curlIsThere = await shell('curl', ['--version']).then(
  () => true,
  () => false,
)

/** Runs a line of curl, or the same request if there is no curl. Returns status and body. */
async function runCurl(line: string): Promise<{ status: number; body: string }> {
  if (curlIsThere) {
    const { stdout } = await shell('sh', ['-c', `${line} --silent --show-error --write-out '\\n%{http_code}'`])
    const end = stdout.lastIndexOf('\n')
    return { status: Number(stdout.slice(end)), body: stdout.slice(0, end) }
  }
  const { stdout } = await shell('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${line}`])
  const words = stdout.split('\0').slice(0, -1)
  const after = (flag: string) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined)
  const [header, body] = [after('-H'), after('-d')]
  const response = await fetch(words.at(-1) ?? '', {
    method: body === undefined ? 'GET' : 'POST',
    headers: header === undefined ? {} : { authorization: header.replace('Authorization: ', '') },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, body: await response.text() }
}

/** The lines that a function prints. */
function printed(print: (console: Pick<Console, 'print' | 'style'>) => void): string[] {
  const lines: string[] = []
  print({ print: line => void lines.push(line), style: (_, text) => text })
  return lines
}

/** A mock that ends with the test. */
function mockOf(scenario: ScenarioInput, options: MockmakerOptions = {}) {
  const mock = closedAfterTest(createMock({ ...options, scenario }))
  return mock
}

/** A mock on a socket until the end of the test. */
async function served(scenario: ScenarioInput) {
  const mock = mockOf(scenario)
  const url = await serveDuringTest(createListener(mock))
  return { mock, url }
}

const localUrl = 'http://127.0.0.1:4100'

/** The first lines for a scenario. */
function bannerOf(scenario: ScenarioInput, options: Partial<Parameters<typeof printBanner>[1]> = {}): string[] {
  const mock = mockOf(scenario)
  const { title } = mock.default.world
  return printed(console =>
    printBanner(mock.default, { title, url: localUrl, console, readyMs: 211.6, keys: undefined, ...options }),
  )
}

describe('the banner', () => {
  it('has the URL, the page, the world, a line of curl, and the places of the tokens', () => {
    expect(bannerOf(scenarios.default, { keys: 'key' })).toEqual([
      '',
      `  URL     ${localUrl}`,
      `  page    ${localUrl}/`,
      '  world   A quiet evening: 39 players in 7 lobbies, 3 game modes, 12 regions',
      `  try     curl ${localUrl}/matchmaker/lobbies/list`,
      `  tokens  key t, the page, mockmaker env --url ${localUrl}`,
      '',
      `  mockmaker ${version}, ready in 212 ms. Press h for help.`,
      '',
    ])
  })

  it('has the URLs for other machines', () => {
    const networkUrls = ['http://192.168.1.5:4100', 'http://10.0.0.7:4100']

    const lines = bannerOf({ title: 'x'.repeat(100), game_modes: ['duel'] }, { networkUrls })

    expect(lines.slice(1, 5)).toEqual([
      `  URL      ${localUrl}`,
      '  network  http://192.168.1.5:4100',
      '  network  http://10.0.0.7:4100',
      `  page     ${localUrl}/`,
    ])
    expect(lines.find(line => line.includes(' world '))).toHaveLength(80)
  })

  it('has the folder of the worlds, and their size', () => {
    const dataLines = (bytes: number, worlds: number) =>
      bannerOf(scenarios.default, { data: { place: '.mockmaker', worlds, bytes } }).filter(line =>
        line.includes('data'),
      )

    expect(dataLines(2_140_000, 4)).toEqual(['  data    .mockmaker: 4 worlds, 2.1 MB'])
    expect(dataLines(999, 1)).toEqual(['  data    .mockmaker: 1 world, 999 bytes'])
  })

  it('has the public URL, and the link of --share with its token, once', () => {
    const [publicUrl, madeToken] = ['https://mock.example', 'control.mock.secret']

    const lines = bannerOf(scenarios.default, {
      publicUrl,
      madeToken,
      shareUrl: `${publicUrl}/#token=${madeToken}`,
      networkUrls: ['http://192.168.1.5:4100'],
    })

    expect(lines.slice(1, 4)).toEqual([
      `  URL      ${localUrl}`,
      '  public   https://mock.example',
      '  network  http://192.168.1.5:4100',
    ])
    expect(lines.filter(line => line.includes(madeToken))).toEqual([
      '  share    https://mock.example/#token=control.mock.secret',
    ])
  })

  it('has a control token that the command has made', () => {
    const lines = bannerOf({ title: 'x'.repeat(100), game_modes: ['duel'] }, { madeToken: 'control.mock.secret' })

    expect(lines).toContain('  control  control.mock.secret (shown this once)')
    expect(lines.find(line => line.includes(' world '))).toHaveLength(80)
  })

  it.for<readonly [string | undefined, string[]]>([
    ['0.0.0.0', ['http://192.168.1.5:4100']],
    ['::', ['http://192.168.1.5:4100']],
    ['192.168.1.5', []],
    ['127.0.0.1', []],
    [undefined, []],
  ])('has those of all IPv4 addresses if the host means all: %s', ([host, urls]) => {
    const rest = { netmask: '', mac: '', cidr: null }
    const interfaces = {
      lo: [{ ...rest, address: '127.0.0.1', family: 'IPv4', internal: true }],
      wlan0: [
        { ...rest, address: '192.168.1.5', family: 'IPv4', internal: false },
        { ...rest, address: 'fe80::1', family: 'IPv6', internal: false, scopeid: 2 },
      ],
    } as const

    expect(networkUrlsOf(host, 4100, interfaces)).toEqual(urls)
  })

  it('mentions no keys in a pipe, and no command that needs the control API with --no-control', {
    tags: ['slow'],
  }, async () => {
    const { lines } = await serve(['--no-control'])

    expect(lines().slice(5, 8)).toEqual(['  tokens  the page', '', expect.stringMatching(/, ready in \d+ ms$/)])
  })

  it.for(Object.entries(scenarios))('fits 12 lines at 80 columns with %s', ([, scenario]) => {
    const lines = bannerOf(scenario, { keys: 'key' })

    const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0)
    expect(rows).toBeLessThanOrEqual(12)
    expect(lines.filter(line => line.length > 80 && !line.includes('Authorization'))).toEqual([])
  })

  it.for([
    ['x'.repeat(100), `${'x'.repeat(20)}…`],
    ['\u202e'.repeat(20), `${String.raw`\u202e`.repeat(3)}\\u…`],
    ['日本'.repeat(20), `${'日本'.repeat(5)}…`],
  ] as const)('cuts the title %j to the width', ([title, cut]) => {
    const world = bannerOf({ title, game_modes: ['duel'] }).find(line => line.includes(' world '))

    expect(world).toBe(`  world   ${cut}: 0 players in 0 lobbies, 1 game mode, 12 regions`)
  })

  it('names the file of a scenario without a title, and says what a capsule does not do there', async () => {
    const mock = mockOf({ game_modes: ['duel'], servers: 'manual' })
    const { title: _, ...capsule } = JSON.parse(runAtOnce(mock.default.capsule()))
    const path = await file('duel.json', JSON.stringify(capsule))
    const { lines, errors } = await serve([path, '--data', join(dirname(path), 'worlds')])

    expect(lines()[3]).toMatch(/^ {2}world {3}duel\.json: 0 players in 0 lobbies, 1 game mode, /)
    expect(errors()).toBe(
      [
        'warning: nothing starts game servers for duel.json, so a find waits until yours calls ready: add --server-command to start them\n',
        'warning: --data keeps the end of duel.json, and not its past: a restart loses that\n',
      ].join(''),
    )
  })

  it('has the public token of the default namespace if that needs one', () => {
    expect(bannerOf(scenarios['tokens-only'])).toContain(
      `  try     curl -H 'Authorization: Bearer pub_prod.mock.one' ${localUrl}/matchmaker/lobbies/list`,
    )
  })

  it.for(['default', 'empty', 'friday-night', 'tokens-only'] as const)(
    'has a line of curl that works with %s',
    async name => {
      const { mock, url } = await served(scenarios[name])
      const lines = printed(console =>
        printBanner(mock.default, { title: name, url, console, readyMs: 1, keys: undefined }),
      )
      const line = lines.find(line => line.startsWith('  try '))

      const { status, body } = await runCurl(line?.replace('  try ', '') ?? '')

      expect([status, Object.keys(JSON.parse(body)).sort()]).toEqual([200, ['game_modes', 'lobbies', 'regions']])
    },
  )
})

describe('the tokens', () => {
  it('are printed with the namespaces and lines of curl, public first', () => {
    const mock = mockOf(scenarios.default)

    expect(printed(console => printTokens(mock.default, { url: localUrl, console }))).toEqual([
      '',
      '  A quiet evening',
      '  tanks/prod  39 players in 7 lobbies, 3 game modes, needs no token',
      '',
      '  public       tanks/prod  pub_prod.mock.one',
      '  development  tanks/prod  dev_prod.mock.one',
      '  cloud        tanks       cloud.mock.tanks',
      '',
      '  # without a token',
      `  curl ${localUrl}/matchmaker/lobbies/list`,
      '  # with a public token: the open lobbies',
      `  curl -H 'Authorization: Bearer pub_prod.mock.one' ${localUrl}/matchmaker/lobbies/list`,
      '  # with a development token: a canned list',
      `  curl -H 'Authorization: Bearer dev_prod.mock.one' ${localUrl}/matchmaker/lobbies/list`,
      '  # with a cloud token',
      `  curl -H 'Authorization: Bearer cloud.mock.tanks' -d '{"device_link_token":"device.mock.sofa","game_id":"11111111-1111-4111-8111-111111111111"}' ${localUrl}/cloud/devices/links/complete`,
      '',
    ])
  })

  it.for<readonly [ScenarioInput, MockmakerOptions, string]>([
    [
      scenarios.default,
      { live: true },
      '  tanks/prod  39 players in 7 lobbies, 3 game modes, needs no token, simulated players: 100 at once, 12m each',
    ],
    [
      { game_modes: ['duel'], players: { concurrent: 2.5, session: '90s' } },
      {},
      '  game/prod  0 players in 0 lobbies, 1 game mode, needs no token, simulated players: 2.5 at once, 90s each',
    ],
  ])('come with the simulated players of a namespace: %#', ([scenario, options, line]) => {
    const mock = mockOf(scenario, options)

    expect(printed(console => printTokens(mock.default, { url: localUrl, console }))).toContain(line)
  })

  it('count the players of each namespace', () => {
    const namespaceWith = (name_id: string, players: number) => ({
      name_id,
      game_modes: ['duel'],
      lobbies: [{ total_player_count: players }],
    })
    const mock = mockOf({ games: [{ namespaces: [namespaceWith('prod', 2), namespaceWith('beta', 1)] }] })

    expect(printed(console => printTokens(mock.default, { url: localUrl, console }))).toEqual(
      expect.arrayContaining([
        '  game/prod  2 players in 1 lobby, 1 game mode, needs no token',
        '  game/beta  1 player in 1 lobby, 1 game mode, needs no token',
      ]),
    )
  })

  it('have no call without a token if the default namespace needs one', () => {
    const mock = mockOf(scenarios['tokens-only'])

    const lines = printed(console => printTokens(mock.default, { url: localUrl, console }))

    expect(lines.find(line => line.startsWith('  game/prod'))).toMatch(/ in 3 lobbies, 2 game modes, needs a token$/)
    expect(lines).not.toContain('  # without a token')
  })

  it.for(['default', 'empty', 'friday-night', 'tokens-only'] as const)(
    'have lines of curl that work with %s',
    async name => {
      const { mock, url } = await served(scenarios[name])
      const lines = printed(console => printTokens(mock.default, { url, console })).filter(line =>
        line.startsWith('  curl '),
      )

      const got = await Promise.all(lines.map(runCurl))

      expect(lines.length).toBeGreaterThanOrEqual(3)
      expect(got.map(({ status }) => status)).toEqual(lines.map(() => 200))
      expect(got.map(({ body }) => typeof JSON.parse(body))).toEqual(lines.map(() => 'object'))
    },
  )
})

describe('the URL of a device link', { tags: ['slow'] }, () => {
  it('leads to a page of the command, which the bootstrap names as hub, also if it listens on all addresses', async () => {
    const { url } = await serveJson(['--host', '0.0.0.0'])
    const { body } = await sendTo(url, { method: 'POST', path: '/cloud/devices/links' })
    const { device_link_url, device_link_token } = JSON.parse(body)

    const page = await fetch(device_link_url)

    expect(device_link_url).toBe(`${url}/devices/link/${device_link_token}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const bootstrap = await sendTo(url, { method: 'GET', path: '/cloud/bootstrap' })
    expect(JSON.parse(bootstrap.body).origins).toEqual({ hub: url })
  })
})

describe('the page at /', () => {
  it('has the same tokens, and names mockmaker', async () => {
    const { url, tokens, scenario } = await serveJson()

    const { body } = await sendTo(url, { method: 'GET', path: '/', headers: { accept: 'application/json' } })

    expect(JSON.parse(body)).toMatchObject({ name: 'mockmaker', scenario, tokens, url })
  })
})
