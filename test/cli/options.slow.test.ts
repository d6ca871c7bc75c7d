import { describe, expect, it } from 'vitest'
import { linesAfter, serveJson } from '../support/command.js'
import { sendTo, type TestRequest } from '../support/http.js'

const list = { method: 'GET', path: '/matchmaker/lobbies/list' }
const worldList = (world: string) => ({ ...list, path: `/w/${world}${list.path}` })
const link = { method: 'GET', path: '/cloud/devices/links', query: 'device_link_token=device.mock.sofa' }

// Other tests hold what the options of a mock do. Here each flag reaches its option.
describe('the flags of mockmaker', () => {
  it('limit worlds and the journal, set the seed and the timeout of watches, and allow hosts and origins', async () => {
    const { url, tokens } = await serveJson([
      ...['--seed', '7', '--watch-timeout', '250ms', '--max-worlds', '2', '--journal', '2'],
      ...['--allowed-hosts', 'one.example, two.example', '--allowed-hosts', 'three.example'],
      ...['--cors-origin', 'https://one.example,https://two.example:8443', '--cors-origin', 'https://three.example'],
    ])
    const send = (sent: TestRequest) => sendTo(url, sent)

    const hosts = ['one.example', 'two.example:80', 'three.example', 'four.example', 'localhost', '192.168.0.9']
    const answers = await Promise.all(hosts.map(host => send({ ...list, headers: { host } })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 403, 200, 200])
    expect(answers[3]?.body).toContain('--allowed-hosts four.example')
    const origins = ['https://one.example', 'https://two.example:8443', 'https://three.example', 'https://four.example']
    const allowed = await Promise.all(origins.map(origin => send({ ...list, headers: { origin } })))
    expect(allowed.map(({ headers }) => headers['access-control-allow-origin'])).toEqual([
      ...origins.slice(0, 3),
      undefined,
    ])
    const { watch } = JSON.parse((await send(link)).body)
    const watched = await send({ ...link, query: `${link.query}&watch_index=${watch.index}` })
    expect(JSON.parse(watched.body)).toEqual({ watch })
    expect([(await send(worldList('a'))).status, (await send(worldList('b'))).status]).toEqual([200, 429])
    for (const path of ['/a', '/b', '/c']) await send({ method: 'GET', path })
    const { exchanges } = JSON.parse((await send({ method: 'GET', path: '/__mock/journal' })).body)
    expect(exchanges.map(({ path }: { path: string }) => path)).toEqual(['/b', '/c'])
    const { seed } = JSON.parse((await send({ method: 'GET', path: '/__mock/world' })).body)
    expect([seed, tokens.length]).toEqual([7, 3])
  })

  it('turn off the control API and the lines of requests that succeed', async () => {
    const command = await serveJson(['--no-control', '--quiet'])
    const statusOf = async (path: string) => (await sendTo(command.url, { method: 'GET', path })).status

    const statuses = [await statusOf(list.path), await statusOf(worldList('a').path)]
    statuses.push(await statusOf('/__mock/health'), await statusOf('/w/a/__mock/health'))

    expect(statuses).toEqual([200, 200, 404, 404])
    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })
    expect(JSON.parse(line)).toMatchObject({ status: 404 })
  })

  it('delete a world that is unused for --world-ttl', async () => {
    const { url } = await serveJson(['--world-ttl', '1ms'])
    const { status } = await sendTo(url, worldList('a'))

    const health = async () => JSON.parse((await sendTo(url, { method: 'GET', path: '/__mock/health' })).body)
    await expect.poll(async () => (await health()).worlds).toBe(1)

    expect(status).toBe(200)
  })
})
