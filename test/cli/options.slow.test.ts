import { describe, expect, it } from 'vitest'
import { linesAfter, serve, serveJson } from '../support/command.js'
import { sendTo } from '../support/http.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }

describe('mockmaker --allowed-hosts', () => {
  const statusFor = async (url: string, host: string) => (await sendTo(url, { ...list, headers: { host } })).status

  it('allows more names, separated by commas or repeated', async () => {
    const { url } = await serveJson(['--allowed-hosts', 'one.example, two.example', '--allowed-hosts', 'three.example'])

    const names = ['one.example', 'two.example:80', 'three.example', 'four.example', 'localhost', '192.168.0.9']
    expect(await Promise.all(names.map(name => statusFor(url, name)))).toEqual([200, 200, 200, 403, 200, 200])
  })

  it('is named in the refusal of another name', async () => {
    const { url } = await serveJson()

    const { body } = await sendTo(url, { ...list, headers: { host: 'evil.example:4100' } })

    expect(JSON.parse(body)).toMatchObject({
      code: 'API_FORBIDDEN',
      message: expect.stringContaining('--allowed-hosts evil.example'),
    })
  })
})

describe('mockmaker --cors-origin', () => {
  const allowed = async (url: string, origin: string) =>
    (await sendTo(url, { ...list, headers: { origin } })).headers['access-control-allow-origin']

  it('allows pages of more origins, separated by commas or repeated', async () => {
    const { url } = await serveJson([
      ...['--cors-origin', 'https://one.example,https://two.example:8443'],
      ...['--cors-origin', 'https://three.example'],
    ])

    const origins = ['https://one.example', 'https://two.example:8443', 'https://three.example']
    expect(await Promise.all(origins.map(origin => allowed(url, origin)))).toEqual(origins)
    expect(await allowed(url, 'https://four.example')).toBeUndefined()
  })
})

describe('mockmaker --seed', () => {
  const tokens = async (...args: readonly string[]) => (await serveJson(['empty', ...args])).tokens

  it('determines the tokens', async () => {
    const [first, again, other] = await Promise.all([tokens('--seed', '7'), tokens('--seed', '7'), tokens()])

    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })
})

describe('mockmaker --watch-timeout', () => {
  it('answers a blocked watch after that time with the same index', async () => {
    const { url } = await serveJson(['--watch-timeout', '250ms'])
    const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }
    const { watch } = JSON.parse((await sendTo(url, link)).body)
    const before = performance.now()

    const { body } = await sendTo(url, { ...link, query: `${link.query}&watch_index=${watch.index}` })

    expect(JSON.parse(body)).toEqual({ watch })
    expect(performance.now() - before).toBeGreaterThan(240)
  })
})

const status = async (url: string, path: string) => (await sendTo(url, { method: 'GET', path })).status
const answer = async (url: string, path: string) => JSON.parse((await sendTo(url, { method: 'GET', path })).body)

describe('mockmaker --max-worlds', () => {
  it('limits the number of worlds', async () => {
    const { url } = await serveJson(['--max-worlds', '2'])

    const statuses = [await status(url, `/w/a${list.path}`), await status(url, `/w/b${list.path}`)]

    expect(statuses).toEqual([200, 429])
  })
})

describe('mockmaker --world-ttl', () => {
  it('deletes a world that is unused for that time', async () => {
    const { url } = await serveJson(['--world-ttl', '1ms'])
    const made = await status(url, '/w/a/matchmaker/lobbies/list')

    await expect.poll(async () => (await answer(url, '/__mock/health')).worlds).toBe(1)

    expect(made).toBe(200)
  })
})

describe('mockmaker --journal', () => {
  it('limits the number of requests in the journal', async () => {
    const { url } = await serveJson(['--journal', '2'])
    for (const path of ['/a', '/b', '/c']) await status(url, path)

    const { exchanges } = await answer(url, '/__mock/journal')

    expect(exchanges.map(({ path }: { path: string }) => path)).toEqual(['/b', '/c'])
  })
})

describe('mockmaker --no-control', () => {
  it('turns off the control API of all worlds', async () => {
    const [on, off] = await Promise.all([serveJson(), serveJson(['--no-control'])])

    for (const { url } of [on, off]) await status(url, `/w/a${list.path}`)
    const paths = ['/__mock/health', '/w/a/__mock/health', list.path]
    const statuses = await Promise.all([on, off].map(({ url }) => Promise.all(paths.map(path => status(url, path)))))

    expect(statuses).toEqual([
      [200, 200, 200],
      [404, 404, 200],
    ])
  })
})

describe('mockmaker --quiet', () => {
  it('prints only errors after the first lines', async () => {
    const command = await serve(['--quiet'])
    const from = command.lines().length

    await sendTo(command.url, list)
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line] = await linesAfter(command, { from, count: 1 })
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}404 {2}GET {5}\/nowhere /)
  })

  it('does the same with --json', async () => {
    const command = await serveJson(['--quiet'])

    await sendTo(command.url, list)
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })
    expect(JSON.parse(line)).toMatchObject({ status: 404 })
  })
})
