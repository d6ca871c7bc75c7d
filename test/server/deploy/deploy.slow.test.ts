import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createClient } from '../../../src/client/index.js'
import { folder, freePort, lineLike, start } from '../../support/command.js'
import { failure, json, ok, sendTo } from '../../support/http.js'
import { RedisServer } from '../../support/redis-server.js'

const run = promisify(execFile)
const secret = 'secret-control-token-0123456789'
const env = { MOCKMAKER_CONTROL_TOKEN: secret }

/** Starts the command, and returns its URL. */
async function serve(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = start(['--port', '0', ...args, '--json'], { env: more })
  return JSON.parse(await lineLike(command, { like: /"event":"listening"/ })).url
}

/** Puts a real nginx with a shipped configuration in front of mocks. Returns its URL. */
async function nginxBefore(...mockUrls: readonly string[]): Promise<string> {
  const [path, port] = [await folder(), await freePort()]
  const shipped = await readFile(
    mockUrls.length === 1 ? 'docs/deploy/nginx.conf' : 'docs/deploy/replicas.nginx.conf',
    'utf8',
  )
  const hosts = mockUrls.map(url => new URL(url).host)
  const site = shipped.replaceAll(/server mock(?:-(\d))?:4100;/g, (_, number = '1') => `server ${hosts[number - 1]};`)
  await writeFile(join(path, 'site.conf'), site.replace('listen 8080;', `listen 127.0.0.1:${port};`))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${path}/${name};`,
  )
  const main = `daemon off; master_process off; pid ${path}/pid; error_log stderr warn;
events {}
http { access_log off; ${temporary.join(' ')} include ${path}/site.conf; }`
  await writeFile(join(path, 'nginx.conf'), main)
  const args = ['-p', path, '-c', join(path, 'nginx.conf')]
  await run('nginx', ['-t', ...args])
  const nginx = spawn('nginx', args, { stdio: 'ignore' })
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(() =>
      fetch(`${url}/healthz`)
        .then(({ status }) => status)
        .catch(() => 0),
    )
    .toBe(200)
  return url
}

describe('docs/deploy/nginx.conf', () => {
  it('passes on operations, control calls, streams, links, waiting watches and the address that nginx saw', async () => {
    const mock = await serve(['--trust-proxy', '127.0.0.1', '--public-url', 'https://mock.example'], env)
    const url = await nginxBefore(mock)
    const client = createClient(url, { controlToken: secret })

    await client.clock.advance('1h')
    const events = await client.changes()
    await client.world.lobbies.create({ game_mode_id: 'duel' })
    const first = (await events.next()).value
    const link = ok(await sendTo(url, { method: 'POST', path: '/cloud/devices/links' })) as {
      device_link_token: string
      device_link_url: string
    }
    const query = `device_link_token=${link.device_link_token}`
    const { watch } = ok(await sendTo(url, { method: 'GET', path: '/cloud/devices/links', query })) as {
      watch: { index: string }
    }
    const waiting = sendTo(url, {
      method: 'GET',
      path: '/cloud/devices/links',
      query: `${query}&watch_index=${watch.index}`,
    })
    await client.blocked(1)
    await client.completeDeviceLink(link.device_link_token)
    await events.return(undefined)
    // Another client than nginx itself, which is trusted.
    const find = { method: 'POST', localAddress: '127.0.0.2', headers: { 'x-forwarded-for': '203.0.113.9' } }
    const sent = request(`${url}/matchmaker/lobbies/find`, find).end('{"game_modes":["duel"]}')
    const [answer] = await once(sent, 'response')
    answer.resume()
    const players = await client.world.players.all()

    expect(first?.type).toBe('change')
    expect(link.device_link_url).toMatch(/^https:\/\/mock\.example\/devices\/link\//)
    expect(ok(await waiting)).toHaveProperty('cloud_token')
    expect(answer.statusCode).toBe(200)
    expect(Date.parse(answer.headers.date) - Date.now()).toBeGreaterThan(3_500_000)
    expect(players.flatMap(({ status, address }) => (status === 'reserved' ? [address] : []))).toEqual(['127.0.0.2'])
  })

  it('lets nobody control a mock without a control token, whatever they write in their headers', async () => {
    const url = await nginxBefore(await serve(['--trust-proxy', '127.0.0.1']))
    const ask = (headers: Readonly<Record<string, string>>) =>
      sendTo(url, { method: 'GET', path: '/__mock/tokens', headers })

    const got = [await ask({}), await ask({ 'x-forwarded-for': '127.0.0.1' }), await ask({ 'x-forwarded-for': '::1' })]

    expect(got.map(failure)).toEqual(got.map(() => '403 API_FORBIDDEN'))
  })
})

describe('docs/deploy/replicas.compose.yaml', () => {
  it('starts replicas, each at its own address, and nginx sends each world to one, also when one is gone', async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const { services } = parse(await readFile('docs/deploy/replicas.compose.yaml', 'utf8'), { merge: true })
    const names = ['mock-1', 'mock-2', 'mock-3']
    const ports = await Promise.all(names.map(freePort))
    const given = { ...env, MOCKMAKER_CLUSTER_SECRET: 'another-secret-0123456789', MOCKMAKER_DATA: redis.url }
    const commands = names.map((name, i) => {
      const args: string[] = services[name].command.map((arg: string) =>
        arg
          .replace(/\$\{\w+:-(.*)\}/, '$1')
          .replace('0.0.0.0', '127.0.0.1')
          .replace('172.16.0.0/12', '127.0.0.1')
          .replace(`${name}:4100`, `127.0.0.1:${ports[i]}`),
      )
      return start([...args, '--json', '--port', String(ports[i])], { env: given })
    })
    await Promise.all(commands.map(command => lineLike(command, { like: /"event":"listening"/ })))
    const url = await nginxBefore(...ports.map(port => `http://127.0.0.1:${port}`))
    const worlds = Array.from({ length: 15 }, (_, i) => `w${i}`)
    const find = (world: string) =>
      sendTo(url, { method: 'POST', path: `/w/${world}/matchmaker/lobbies/find`, body: '{"game_modes":["duel"]}' })
    const listed = async (world: string) => {
      const headers = { 'x-mock-world': world }
      const got = await sendTo(url, { method: 'GET', path: '/matchmaker/lobbies/list', headers })
      return (ok(got) as { lobbies: readonly { lobby_id: string }[] }).lobbies.map(({ lobby_id }) => lobby_id)
    }

    const health = await sendTo(url, {
      method: 'GET',
      path: '/__mock/replicas',
      headers: { authorization: `Bearer ${secret}` },
    })
    for (const world of worlds) ok(await find(world))
    const seen = await Promise.all(worlds.map(listed))
    const listedWorlds = await createClient(url, { controlToken: secret }).worlds.list()
    commands[0]?.signal('SIGKILL')
    const after = await Promise.all(worlds.map(listed))

    for (const name of names) expect(Object.keys(services[name].environment)).toEqual(Object.keys(given))
    expect((json(health) as { replicas: unknown[] }).replicas).toHaveLength(3)
    expect(services.redis.command).toEqual(
      expect.arrayContaining(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']),
    )
    expect(services.proxy.volumes[0]).toContain('./replicas.nginx.conf:')
    // Whoever gets a world first runs it. All worlds of one replica would mean that the hash is the same for all.
    expect(new Set(listedWorlds.map(({ replica }) => replica)).size).toBeGreaterThan(1)
    expect(after).toEqual(seen)
  })
})

describe('docs/deploy/compose.yaml', () => {
  it('starts the command with flags that it takes', async () => {
    const { services } = parse(await readFile('docs/deploy/compose.yaml', 'utf8'))
    const args: string[] = services.mock.command.map((arg: string) =>
      arg.replace(/\$\{\w+:-(.*)\}/, '$1').replace('0.0.0.0', '127.0.0.1'),
    )

    const url = await serve(args, env)

    expect(Object.keys(services.mock.environment)).toEqual(Object.keys(env))
    expect(failure(await sendTo(url, { method: 'GET', path: '/__mock/health' }))).toBe('401 API_UNAUTHORIZED')
    expect(services.proxy.volumes[0]).toContain('./nginx.conf:')
  })
})

describe('docs/deploy/kubernetes.yaml', () => {
  it('starts the command with flags that it takes, not as root, and is ready by /healthz', async () => {
    const text = await readFile('docs/deploy/kubernetes.yaml', 'utf8')
    const [deployment, service] = text.split(/^---$/m).map(part => parse(part))
    const [container] = deployment.spec.template.spec.containers

    const url = await serve(
      container.args.map((arg: string) => arg.replace('=0.0.0.0', '=127.0.0.1')),
      env,
    )

    expect(container.env[0].name).toBe('MOCKMAKER_CONTROL_TOKEN')
    expect(deployment.spec.template.spec.securityContext).toEqual({ runAsNonRoot: true, runAsUser: 1000 })
    expect(container).not.toHaveProperty('livenessProbe')
    expect(service.spec.ports[0].targetPort).toBe(container.ports[0].containerPort)
    expect(ok(await sendTo(url, { method: 'GET', path: container.readinessProbe.httpGet.path }))).toEqual({
      status: 'ok',
    })
  })
})

describe('Dockerfile', () => {
  it('installs a package that serves and checks itself, in a fresh folder', async () => {
    const text = await readFile('Dockerfile', 'utf8')
    const [, image = ''] = text.split(/^FROM .*slim$/m)
    const [path, port] = [await folder(), await freePort()]
    const [pack, app] = [join(path, 'pack'), join(path, 'app')]
    await Promise.all([mkdir(pack), mkdir(app)])
    // The image builds it from the sources, with `npm pack`. Here the checkout is built already, and `.ci/package` proves the pack.
    const packed = ['package.json', 'dist', 'fixtures']
    await run('tar', ['-czf', join(pack, 'mockmaker-0.0.0.tgz'), '--transform', 's,^,package/,', ...packed])
    await cp('package-lock.json', join(app, 'package-lock.json'))

    const install = /^RUN (.*)$/m.exec(image)?.[1] ?? ''
    await run('sh', ['-c', install.replace('/pack/', `${pack}/`)], { cwd: app })
    const commandOf = (name: string): string[] =>
      JSON.parse(new RegExp(`^${name}.*?(\\[.*\\])$`, 'm').exec(image)?.[1] ?? '')
    const [, ...entry] = commandOf('ENTRYPOINT')
    const [, ...check] = commandOf('HEALTHCHECK')
    const args = [...entry, ...commandOf('CMD').map(arg => arg.replace('0.0.0.0', '127.0.0.1'))]
    const environment = { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port) }
    const server = spawn(process.execPath, args, { cwd: app, env: environment, stdio: 'ignore' })
    const health = () => run(process.execPath, check, { cwd: app, env: environment }).then(({ stdout }) => stdout)
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/healthz`)
          .then(({ status }) => status)
          .catch(() => 0),
      )
      .toBe(200)
    const ready = await health()
    const home = await sendTo(`http://127.0.0.1:${port}`, {
      method: 'GET',
      path: '/',
      headers: { accept: 'application/json' },
    })
    server.kill('SIGTERM')
    const [code] = await once(server, 'exit')

    expect(ready).toBe(`http://127.0.0.1:${port} is ready\n`)
    expect(json(home)).toMatchObject({ name: 'mockmaker' })
    expect(code).toBe(0)
    await expect(health()).rejects.toMatchObject({ code: 1 })
    expect(image).toMatch(/^USER 1000$/m)
  })
})
