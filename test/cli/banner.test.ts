import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { file, serve, serveJson } from '../support/command.js'
import { sendTo } from '../support/http.js'

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

const curlLines = (lines: readonly string[]) =>
  lines.filter(line => line.startsWith('  curl ')).map(line => line.trim())

describe('the banner', () => {
  it('has the URL, the namespaces, the tokens, public first, and lines of curl', async () => {
    const { url, lines } = await serve()

    expect(lines()).toEqual([
      '',
      expect.stringMatching(/^ {2}mockmaker \d+\.\d+\.\d+ serves A quiet evening$/),
      '',
      `  ${url}`,
      '',
      '  tanks/prod  3 game modes, 6 open lobbies, needs no token',
      '',
      '  public       tanks/prod  pub_prod.mock.one',
      '  development  tanks/prod  dev_prod.mock.one',
      '  cloud        tanks       cloud.mock.tanks',
      '',
      '  # without a token',
      `  curl ${url}/matchmaker/lobbies/list`,
      '  # with a public token: the open lobbies',
      `  curl -H 'Authorization: Bearer pub_prod.mock.one' ${url}/matchmaker/lobbies/list`,
      '  # with a development token: a canned list',
      `  curl -H 'Authorization: Bearer dev_prod.mock.one' ${url}/matchmaker/lobbies/list`,
      '  # with a cloud token',
      `  curl -H 'Authorization: Bearer cloud.mock.tanks' -d '{"device_link_token":"device.mock.sofa","game_id":"11111111-1111-4111-8111-111111111111"}' ${url}/cloud/devices/links/complete`,
      '',
    ])
  })

  it('names the file of a scenario without a title', async () => {
    const { lines } = await serve([await file('duel.yaml', 'game_modes: [duel]')])

    expect(lines()[1]).toMatch(/ serves duel\.yaml$/)
  })

  it.for([
    [
      ['--live'],
      '  tanks/prod  3 game modes, 6 open lobbies, needs no token, simulated players: 100 at once, 12m each',
    ],
    [['own'], '  game/prod  1 game mode, 0 open lobbies, needs no token, simulated players: 2.5 at once, 90s each'],
  ] as const)('mentions simulated players: %j', async ([args, line], _) => {
    const players = { game_modes: ['duel'], players: { concurrent: 2.5, session: '90s' } }
    const own = await file('scenario.json', JSON.stringify(players))

    const { lines } = await serve(args.map(arg => (arg === 'own' ? own : arg)))

    expect(lines()).toContain(line)
  })

  it('has no call without a token if the default namespace needs one', async () => {
    const { lines } = await serve(['tokens-only'])

    expect(lines()).toContain('  game/prod  2 game modes, 3 open lobbies, needs a token')
    expect(lines()).not.toContain('  # without a token')
  })

  it.for(['default', 'empty', 'friday-night', 'tokens-only'])('has lines of curl that work with %s', async name => {
    const { lines } = await serve([name])
    const printed = curlLines(lines())

    const got = await Promise.all(printed.map(runCurl))

    expect(printed.length).toBeGreaterThanOrEqual(3)
    expect(got.map(({ status }) => status)).toEqual(printed.map(() => 200))
    expect(got.map(({ body }) => typeof JSON.parse(body))).toEqual(printed.map(() => 'object'))
  })
})

describe('the URL of a device link', () => {
  it("leads to a page on the command's own URL", async () => {
    const { url } = await serveJson()
    const { body } = await sendTo(url, { method: 'POST', path: '/cloud/devices/links' })
    const { device_link_url, device_link_token } = JSON.parse(body)

    const page = await fetch(device_link_url)

    expect(device_link_url).toBe(`${url}/devices/link/${device_link_token}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('has the origin that the bootstrap names as hub', async () => {
    const { url } = await serveJson()

    const { body } = await sendTo(url, { method: 'GET', path: '/cloud/bootstrap' })

    expect(JSON.parse(body).origins).toEqual({ hub: url })
  })

  it('works on this machine if the command listens on all addresses', async () => {
    const { url } = await serveJson(['--host', '0.0.0.0'])
    const { body } = await sendTo(url, { method: 'POST', path: '/cloud/devices/links' })

    expect((await fetch(JSON.parse(body).device_link_url)).status).toBe(200)
  })
})

describe('the page at /', () => {
  it('has the same tokens, and names mockmaker', async () => {
    const { url, tokens, scenario } = await serveJson()

    const { body } = await sendTo(url, { method: 'GET', path: '/', headers: { accept: 'application/json' } })

    expect(JSON.parse(body)).toMatchObject({ name: 'mockmaker', scenario, tokens, url })
  })
})
