import { renameSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build, createLogger, createServer, type InlineConfig, preview, type ViteDevServer } from 'vite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import type { MockmakerPluginOptions } from '../../../src/core/mock/options.js'
import type { GameServerLog, GameServerState } from '../../../src/core/simulation/servers.js'
import { mockmaker } from '../../../src/testing/vite/index.js'
import { folder, freePort } from '../../support/command.js'
import { isGroupAlive, play, shown, until } from '../../support/game-server-programs.js'
import { sendTo } from '../../support/http.js'

const duel = { game_modes: ['duel'], lobbies: [{ lobby_id: 'one', game_mode_id: 'duel', region_id: 'lnd-fra' }] }
const duelFile = 'game_modes: [duel]\nlobbies:\n  - { lobby_id: one, game_mode_id: duel }\n'

const app = {
  'index.html': '<!doctype html><title>The app</title><script type="module" src="/main.js"></script>',
  'main.js': 'export const url = import.meta.env.MOCKMAKER_URL\nconsole.log(url ?? "the real service")\n',
}

/** A project with an app, and the lines that Vite logs. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const root = await folder()
  for (const [name, content] of Object.entries({ ...app, ...files })) writeFileSync(join(root, name), content)
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const customLogger = { ...createLogger('info'), info: log, warn: log, error: log }
  const config = (options?: MockmakerPluginOptions): InlineConfig => ({
    root,
    configFile: false,
    customLogger,
    plugins: [mockmaker(options)],
  })
  return { root, lines, config }
}

/** Starts Vite on a free port until the end of the test. */
async function serveApp(
  options?: MockmakerPluginOptions,
  { files, more }: { files?: Readonly<Record<string, string>>; more?: InlineConfig } = {},
) {
  const { config, ...own } = await project(files)
  const port = await freePort()
  const vite = await createServer({ ...config(options), ...more, server: { port, host: '127.0.0.1', ...more?.server } })
  onTestFinished(() => vite.close())
  await vite.listen()
  return { ...own, vite, port, url: urlOf(vite.httpServer) }
}

/** Serves Vite's middleware from a server of our own, until the end of the test. */
async function serveMiddleware(options?: MockmakerPluginOptions) {
  const { config } = await project()
  const vite = await createServer({
    ...config(options),
    appType: 'custom',
    server: { middlewareMode: true, ws: false },
  })
  const server = createHttpServer(vite.middlewares)
  const url = await listening(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await vite.close()
  })
  return { vite, url }
}

function urlOf(server: Pick<Server, 'address'> | null): string {
  return `http://127.0.0.1:${(server?.address() as AddressInfo | undefined)?.port}`
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return urlOf(server)
}

async function lobbyIds(url: string): Promise<string[]> {
  const response = await fetch(`${url}/matchmaker/lobbies/list`)
  const { lobbies } = (await response.json()) as { lobbies: { lobby_id: string }[] }
  return lobbies.map(({ lobby_id }) => lobby_id)
}

const jsonHeaders = { 'content-type': 'application/json' }

/** Sends a request that a fault holds, and waits until the mock has it. */
async function holdRequest(url: string) {
  const fault = { operation: 'lobbies.list', effect: { hold: true } }
  await fetch(`${url}/__mock/faults`, { method: 'POST', headers: jsonHeaders, body: JSON.stringify(fault) })
  const answer = fetch(`${url}/matchmaker/lobbies/list`).then(
    ({ status }) => status,
    () => 'closed',
  )
  await expect.poll(() => pendingIn(url)).toBe(1)
  // A promise in an object, so that the caller does not wait for it.
  return { answer }
}

async function pendingIn(url: string): Promise<number> {
  const { pending } = (await (await fetch(`${url}/__mock/journal`)).json()) as { pending: unknown[] }
  return pending.length
}

describe('the mock beside an app', () => {
  it('answers calls, has pages and a control API, and leaves other paths to Vite', async () => {
    const { url } = await serveApp({ scenario: duel })

    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])
    expect(await (await fetch(`${url}/mm`, { headers: { accept: 'text/html' } })).text()).toContain('mockmaker')
    expect((await fetch(`${url}/mm/__mock/health`)).status).toBe(200)
    const asked = await fetch(`${url}/mm?x=1`, { headers: { accept: 'application/json' } })
    expect(await asked.json()).toMatchObject({ name: 'mockmaker' })
    for (const path of ['/', '/mmx', '/mm.html', '/matchmaker/lobbies/list'])
      expect(await (await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })).text()).toContain('The app')
  })

  it('has the path of the options, and worlds below it', async () => {
    const { url } = await serveApp({ path: '/deep/mock', scenario: duel })

    expect(await lobbyIds(`${url}/deep/mock/w/other`)).toEqual(['one'])
    expect(await (await fetch(`${url}/deep/mock/openapi.json`)).json()).toMatchObject({
      servers: [{ url: `${url}/deep/mock` }],
    })
  })

  it('has the scenario of a name', async () => {
    const { url } = await serveApp({ scenario: 'empty' })

    expect(await lobbyIds(`${url}/mm`)).toEqual([])
  })

  it('prints its URL below those of Vite', async () => {
    const { vite, lines, port } = await serveApp()

    vite.printUrls()

    expect(lines.at(-1)).toBe(`  ➜  Mock:    http://127.0.0.1:${port}/mm`)
  })

  it('links devices to the port that Vite got', async () => {
    const taken = await serveApp()
    const { url } = await serveApp({}, { more: { server: { port: taken.port, strictPort: false } } })
    expect(url).not.toBe(taken.url)

    const link = await (await fetch(`${url}/mm/cloud/devices/links`, { method: 'POST' })).json()

    const { device_link_url } = link as { device_link_url: string }
    expect(device_link_url).toContain(`:${new URL(url).port}/mm/devices/link/`)
    expect((await fetch(device_link_url.replace('localhost', '127.0.0.1'))).status).toBe(200)
  })

  it('answers in a preview of a build', async () => {
    const { config, lines } = await project()
    await build(config())
    const server = await preview({
      ...config({ scenario: duel }),
      preview: { port: await freePort(), host: '127.0.0.1' },
    })
    onTestFinished(() => server.close())
    const url = urlOf(server.httpServer)

    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])
    server.printUrls()
    expect(lines.at(-1)).toBe(`  ➜  Mock:    ${url}/mm`)
  })
})

describe('import.meta.env.MOCKMAKER_URL', () => {
  const urlIn = async (vite: ViteDevServer) => (await vite.ssrLoadModule('/main.js')).url

  it('is the path of the mock during development', async () => {
    const { vite } = await serveApp({ path: '/deep/mock' })

    expect(await urlIn(vite)).toBe('/deep/mock')
    expect((await vite.transformRequest('/main.js'))?.code).toContain('"/deep/mock"')
  })

  it('is undefined in a build, which contains nothing of the mock', async () => {
    const { config } = await project()

    const built = await build({ ...config(), build: { write: false } })

    const { output } = built as Extract<typeof built, { output: unknown }>
    const code = output.map(file => (file.type === 'chunk' ? file.code : String(file.source))).join('\n')
    expect(code).toContain('the real service')
    expect(code).not.toMatch(/mockmaker|\/mm\b/i)
  })

  it('is undefined in vitest, where the plugin starts no mock', async () => {
    const { vite, url } = await serveApp(
      { scenario: duel },
      { more: { plugins: [mockmaker(), { name: 'vitest:project' }] } },
    )

    expect(await urlIn(vite)).toBeUndefined()
    const page = await fetch(`${url}/mm/`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('The app')
  })
})

describe('a wrong option or scenario', () => {
  it.for<readonly [MockmakerPluginOptions | object, RegExp]>([
    [{ path: 'mm' }, /^options\.path is "mm": expected a path such as \/mm, with a slash at its beginning/],
    [{ path: '/' }, /^options\.path is "\/"/],
    [{ path: '/mm/' }, /^options\.path is "\/mm\/"/],
    [{ path: '/a/../b' }, /^options\.path is/],
    [{ pathh: '/mm' }, /^options\.pathh is an unknown key\. Known: .*, path, .* Did you mean path\?/],
    [{ baseUrl: '/api' }, /^options\.baseUrl is an unknown key/],
    [{ data: '.mockmaker' }, /^options\.data is an unknown key/],
    [{ controlToken: 'short' }, /^options\.controlToken has 5 characters: expected 16 to 512/],
    [{ trustProxy: ['*'] }, /^options\.trustProxy\[0\] is "\*": expected an IP address/],
    [{ scenario: 42 }, /^options\.scenario is 42: expected an object, the name of a shipped scenario, or the path of/],
    [{ scenario: 'fridy-night' }, /no scenario file .*fridy-night, and no shipped scenario has that name/],
    [{ scenario: 'wrong.yaml' }, /wrong\.yaml:1:1: lobbys is an unknown key\. .* Did you mean lobbies\?/],
    [{ scenario: { lobbys: [] } }, /lobbys is an unknown key/],
  ])('%o stops the start of Vite', async ([options, message]) => {
    const { config } = await project({ 'wrong.yaml': 'lobbys: []\n' })

    await expect(createServer(config(options as MockmakerPluginOptions))).rejects.toThrow(message)
  })
})

describe('a scenario file', () => {
  it('is loaded from the root of Vite, and again when it is saved', async () => {
    const { url, root, lines } = await serveApp({ scenario: 'duel.yaml' }, { files: { 'duel.yaml': duelFile } })
    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])

    writeFileSync(join(root, 'duel.yaml'), `${duelFile}  - { lobby_id: two, game_mode_id: duel }\n`)

    await expect.poll(() => lines).toContain('reloaded duel.yaml: 1 record created')
    expect(await lobbyIds(`${url}/mm`)).toEqual(['one', 'two'])
  })

  it('is loaded again when another file takes its place, outside of the root too', async () => {
    const elsewhere = await folder()
    const file = `${elsewhere}/duel.yaml` as const
    writeFileSync(file, duelFile)
    const { url, lines } = await serveApp({ scenario: file })

    for (const id of ['two', 'three']) {
      writeFileSync(join(elsewhere, 'new'), `${duelFile}  - { lobby_id: ${id}, game_mode_id: duel }\n`)
      renameSync(join(elsewhere, 'new'), file)
      await expect.poll(() => lobbyIds(`${url}/mm`)).toEqual(['one', id])
    }

    expect(lines.filter(line => line.startsWith('reloaded duel.yaml: '))).toHaveLength(2)
  })
})

describe('a restart of Vite', () => {
  it('ends the requests that wait in the old mock, and starts a new one', async () => {
    const { vite, url } = await serveMiddleware({ scenario: duel })
    const held = await holdRequest(`${url}/mm`)

    await vite.restart()

    expect(await held.answer).toBe(200)
    expect(await pendingIn(`${url}/mm`)).toBe(0)
    expect(await (await fetch(`${url}/mm/__mock/faults`)).json()).toEqual({ faults: [] })
    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])
  })

  it('keeps the port and the mock of a development server', async () => {
    const { vite, url } = await serveApp({ scenario: duel })

    await vite.restart()

    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])
  })
})

describe('the middleware mode of Vite', () => {
  it('has the mock, until Vite is closed', async () => {
    const { vite, url } = await serveMiddleware({ scenario: duel })
    expect(await lobbyIds(`${url}/mm`)).toEqual(['one'])
    const held = await holdRequest(`${url}/mm`)

    await vite.close()

    expect(await held.answer).toBe(200)
  })

  it('works below a path of the server around it', async () => {
    const { config } = await project()
    const vite = await createServer({ ...config({ scenario: duel }), server: { middlewareMode: true, ws: false } })
    onTestFinished(() => vite.close())
    // As Express does for `app.use('/sub', …)`.
    const below: RequestListener = (request, response) => {
      Object.assign(request, { baseUrl: '/sub', url: request.url?.slice('/sub'.length) })
      vite.middlewares(request, response)
    }
    const url = await listening(createHttpServer(below))

    const { servers } = (await (await fetch(`${url}/sub/mm/openapi.json`)).json()) as { servers: unknown }
    expect(servers).toEqual([{ url: `${url}/sub/mm` }])
  })
})

describe('the protection of the mock', () => {
  const list = { method: 'GET', path: '/mm/matchmaker/lobbies/list' } as const

  it('holds for names that could be rebound, except those that Vite allows', async () => {
    const { url, port } = await serveApp({}, { more: { server: { allowedHosts: ['my.test'] } } })

    for (const [name, status] of [
      ['evil.example', 403],
      ['my.test', 200],
      ['localhost', 200],
    ] as const)
      expect((await sendTo(url, { ...list, headers: { host: `${name}:${port}` } })).status).toBe(status)
  })

  it('holds for pages of other sites, whatever Vite allows them', async () => {
    const { url } = await serveApp({}, { more: { server: { cors: true } } })
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', ...jsonHeaders }

    const read = await sendTo(url, { ...list, headers })
    const written = await sendTo(url, { method: 'POST', path: '/mm/__mock/reset', headers, body: '{}' })
    const asked = await sendTo(url, { method: 'OPTIONS', path: '/mm/__mock/reset', headers })

    expect(read.headers['access-control-allow-origin']).toBeUndefined()
    expect(written.status).toBe(403)
    expect(asked.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('can be turned up: a control token', async () => {
    const token = 'a-token-of-the-team-0123'
    const { url } = await serveApp({ controlToken: token })
    const health = async (authorization: Readonly<Record<string, string>>) =>
      (await fetch(`${url}/mm/__mock/health`, { headers: authorization })).status

    expect(await health({})).toBe(401)
    expect(await health({ authorization: `Bearer ${token}` })).toBe(200)
  })

  it('knows the clients behind trusted proxies', async () => {
    const { url } = await serveApp({ trustProxy: ['127.0.0.1'], controlHosts: ['192.168.1.20'] })
    const healthFor = async (client: string) =>
      (await fetch(`${url}/mm/__mock/health`, { headers: { 'x-forwarded-for': client } })).status

    expect(await healthFor('192.168.1.20')).toBe(200)
    expect(await healthFor('192.168.1.21')).toBe(403)
  })

  it('can be turned up: no control API', async () => {
    const { url } = await serveApp({ control: false })

    expect((await fetch(`${url}/mm/__mock/health`)).status).toBe(404)
  })
})

describe('HTTP/2, which Vite speaks with a certificate', () => {
  /** Vite's middleware behind a server of HTTP/2, and a function that sends it a request. */
  async function overHttp2() {
    const { config } = await project()
    const vite = await createServer({ ...config({ scenario: duel }), server: { middlewareMode: true, ws: false } })
    // Vite does the same. The types of Connect know only `node:http`.
    const server = createHttp2Server(vite.middlewares as never)
    const url = await listening(server)
    const session = connect(url)
    onTestFinished(async () => {
      session.destroy()
      await vite.close()
    })
    const open = (path: string, body?: string) => {
      const fields = { ':path': `/mm${path}`, ':method': body === undefined ? 'GET' : 'POST', ...jsonHeaders }
      return session.request(fields).end(body)
    }
    const ask = async (path: string) => JSON.parse(await text(open(path)))
    return { vite, url, open, ask, session }
  }

  it('has the mock, which knows its host', async () => {
    const { ask, url } = await overHttp2()

    expect((await ask('/matchmaker/lobbies/list')).lobbies).toHaveLength(1)
    expect((await ask('/openapi.json')).servers).toEqual([{ url: `${url}/mm` }])
  })

  it('frees a waiting request when its client goes away, though the connection stays', async () => {
    const { ask, open } = await overHttp2()
    const { device_link_token: token } = JSON.parse(await text(open('/cloud/devices/links', '')))
    const path = `/cloud/devices/links?device_link_token=${token}`
    const { watch } = await ask(path)
    const waiting = open(`${path}&watch_index=${watch.index}`)
    await expect.poll(async () => (await ask('/__mock/journal')).pending.length).toBe(1)

    waiting.close()

    await expect.poll(async () => (await ask('/__mock/journal')).pending.length).toBe(0)
  })

  it.for(['reset', 'empty'])('breaks one response for the fault "%s"', async effect => {
    const { open, ask } = await overHttp2()
    const fault = { operation: 'lobbies.list', effect: { [effect]: true }, times: 1 }
    await text(open('/__mock/faults', JSON.stringify(fault)))

    await expect(text(open('/matchmaker/lobbies/list'))).rejects.toThrow('INTERNAL_ERROR')

    expect((await ask('/matchmaker/lobbies/list')).lobbies).toHaveLength(1)
  })
})

describe('the game servers of a scenario', () => {
  const scenario = 'servers: { command: node server.mjs }\ngame_modes: [duel]\n'

  it('run with servers: true, and end with Vite', async () => {
    const { root, lines, url, vite } = await serveApp(
      { scenario: 'duel.yaml', servers: true },
      { files: { 'lobby-server.mjs': shown('lobby-server.mjs'), 'duel.yaml': duelFile } },
    )
    const file = join(root, 'duel.yaml')
    writeFileSync(file, scenario.replace('server.mjs', join(root, 'lobby-server.mjs')))
    await expect.poll(() => lines.join('\n')).toContain('reloaded duel.yaml')

    const found = await fetch(`${url}/mm/matchmaker/lobbies/find`, { method: 'POST', body: '{"game_modes": ["duel"]}' })
    const { line } = await play((await found.json()) as Join)
    const { servers } = (await (await fetch(`${url}/mm/__mock/servers`)).json()) as { servers: GameServerState[] }
    const id = servers[0]?.lobby_id
    const { log, environment } = (await (await fetch(`${url}/mm/__mock/servers/${id}`)).json()) as GameServerLog
    await vite.close()

    expect(line).toBe('welcome')
    expect(servers).toMatchObject([{ status: 'ready', ready_ms: expect.any(Number), lines: log.length }])
    expect(environment.RIVET_LOBBY_ID).toBe(id)
    expect(lines.join('\n')).toContain('started its game server, port default')
    await until(() => !isGroupAlive(servers[0]?.pid))
  })

  it('that crash are in the log of Vite with their last lines, and can be restarted', async () => {
    const { root, lines, url } = await serveApp(
      { scenario: 'duel.yaml', servers: true },
      {
        files: { 'server.mjs': 'console.error("Error: the map is missing")\nprocess.exit(3)\n', 'duel.yaml': duelFile },
      },
    )
    writeFileSync(join(root, 'duel.yaml'), scenario.replace('server.mjs', join(root, 'server.mjs')))
    await expect.poll(() => lines.join('\n')).toContain('reloaded duel.yaml')
    const serversOf = async () => {
      const { servers } = (await (await fetch(`${url}/mm/__mock/servers`)).json()) as { servers: GameServerState[] }
      return servers
    }

    const found = await fetch(`${url}/mm/matchmaker/lobbies/find`, { method: 'POST', body: '{"game_modes": ["duel"]}' })
    const [crashed] = await serversOf()
    writeFileSync(join(root, 'server.mjs'), shown('lobby-server.mjs'))
    await fetch(`${url}/mm/__mock/servers/${crashed?.lobby_id}/restart`, {
      method: 'POST',
      headers: jsonHeaders,
      body: '{}',
    })

    expect(found.ok).toBe(false)
    expect(crashed).toMatchObject({
      status: 'crashed',
      exit_code: 3,
      last_lines: [{ text: 'Error: the map is missing' }],
    })
    const logged = lines.join('\n')
    expect(logged).toContain('its game server crashed with exit code 3')
    expect(logged).toContain('Error: the map is missing')
    await expect.poll(async () => (await serversOf()).at(-1)?.status).toBe('ready')
  })

  it('are refused without it, and over HTTP in any case', async () => {
    const { config } = await project({ 'duel.yaml': scenario })
    const { url } = await serveApp({ scenario: duel, servers: true })

    const body = JSON.stringify({ scenario: { servers: { command: 'touch owned' } } })
    const put = await fetch(`${url}/mm/__mock/scenario`, { method: 'PUT', headers: jsonHeaders, body })

    await expect(createServer(config({ scenario: 'duel.yaml' }))).rejects.toThrow('servers: true of the Vite plugin')
    expect(put.status).toBe(400)
  })
})
