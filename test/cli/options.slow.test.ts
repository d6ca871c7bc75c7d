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

    const statuses = [await status(url, '/w/a/__mock/world'), await status(url, '/w/b/__mock/world')]

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

/** Sends a request with a body of 10 KB for each entry. Returns how many of them the journal of each world keeps. */
async function keptRequests(url: string, worlds: readonly string[]): Promise<number[]> {
  for (const world of worlds) await sendTo(url, { method: 'POST', path: `${world}/nowhere`, body: 'x'.repeat(10_000) })
  const journals = await Promise.all([...new Set(worlds)].map(world => answer(url, `${world}/__mock/journal`)))
  return journals.map(({ exchanges }) => exchanges.length)
}

describe('mockmaker --journal-bytes', () => {
  const sameWorld = ['', '', '', '']

  it.for([
    ['35KiB', 3],
    ['35840', 3],
    ['1GiB', 4],
    ['0', 1],
  ] as const)('keeps the newest requests of a world that fit into %s', async ([size, count]) => {
    const { url } = await serveJson(['--journal-bytes', size])

    expect(await keptRequests(url, sameWorld)).toEqual([count])
  })

  it('keeps the newest requests of all worlds that fit into --total-journal-bytes', async () => {
    const { url } = await serveJson(['--total-journal-bytes', '35KiB'])

    const kept = await keptRequests(url, ['/w/a', '/w/b', '/w/c', '/w/d'])

    expect(kept).toEqual([0, 1, 1, 1])
  })
})

/** Opens the event stream, makes 16 changes of 1 MB each, and then reads. Returns the types of the events. */
async function eventsReadLate(url: string): Promise<Set<string>> {
  // Referenced until the end: the stream ends if the response is garbage collected.
  const response = await fetch(`${url}/__mock/changes`)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ state: 'x'.repeat(1_000_000) })
  for (let i = 0; i < 16; i += 1) await sendTo(url, { method: 'POST', path: '/__mock/lobbies', headers, body })
  await sendTo(url, { method: 'GET', path: '/last' })
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (text.endsWith('\n\n') && text.includes('"/last"', text.length - 2_000)) break
  }
  return new Set([...text.matchAll(/^event: (\w+)/gm)].map(([, type = '']) => type))
}

describe.each(['--event-bytes', '--total-event-bytes'])('mockmaker %s', flag => {
  it('drops the events that wait for a slow reader if they need more', async () => {
    const { url } = await serveJson([flag, '1MiB'])

    expect(await eventsReadLate(url)).toEqual(new Set(['begin', 'change', 'gone', 'exchange']))
  })

  it('keeps the events that wait for a slow reader if they need less', { tags: ['slow'] }, async () => {
    const { url } = await serveJson([flag, '20MiB'])

    expect(await eventsReadLate(url)).toEqual(new Set(['begin', 'change', 'exchange']))
  })
})

describe('mockmaker --no-control', () => {
  it('turns off the control API of all worlds', async () => {
    const [on, off] = await Promise.all([serveJson(), serveJson(['--no-control'])])

    const paths = ['/__mock/health', '/w/a/__mock/health', '/matchmaker/lobbies/list']
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
    expect(line).toMatch(/^GET {3}\/nowhere {2}404 /)
  })

  it('does the same with --json', async () => {
    const command = await serveJson(['--quiet'])

    await sendTo(command.url, list)
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })
    expect(JSON.parse(line)).toMatchObject({ status: 404 })
  })
})
