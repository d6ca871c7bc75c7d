import { describe, expect, it } from 'vitest'
import { linesAfter, serve, serveJson } from '../support/command.js'
import { sendTo } from '../support/http.js'
import { bearer } from '../support/tanks.js'

const list = '/matchmaker/lobbies/list'

describe('mockmaker --json', () => {
  it('says first where it listens, what it serves, and with which tokens', async () => {
    const { lines, url } = await serveJson()

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(lines()[0]).toBe(
      JSON.stringify({
        event: 'listening',
        url,
        scenario: 'A quiet evening',
        tokens: [
          { kind: 'development', namespace: 'tanks/prod', token: 'dev_prod.mock.one' },
          { kind: 'public', namespace: 'tanks/prod', token: 'pub_prod.mock.one' },
          { kind: 'cloud', game: 'tanks', token: 'cloud.mock.tanks' },
        ],
      }),
    )
  })

  it('then prints an object for each exchange', async () => {
    const command = await serveJson()
    const { headers } = await sendTo(command.url, { method: 'GET', path: list, headers: bearer('pub_prod.mock.one') })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })

    const { ms, ...exchange } = JSON.parse(line)
    expect(ms).toBeGreaterThanOrEqual(0)
    expect(exchange).toEqual({
      event: 'exchange',
      method: 'GET',
      path: list,
      operation: 'lobbies.list',
      caller: 'public',
      status: 200,
      rayId: headers['rvt-ray-id'],
      blocked: false,
      authorizationIgnored: false,
      outcome: '6 lobbies',
    })
  })

  it('says of a failure its code, and no operation where there is none', async () => {
    const command = await serveJson()
    await sendTo(command.url, { method: 'GET', path: '/nowhere' })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })

    const exchange = JSON.parse(line)
    expect(exchange).toMatchObject({
      path: '/nowhere',
      status: 404,
      code: 'API_NOT_FOUND',
      message: expect.stringContaining('/nowhere'),
    })
    expect(exchange).not.toHaveProperty('operation')
  })

  it('says of an origin whose pages may not read the answer which one that is', async () => {
    const command = await serveJson()
    await sendTo(command.url, { method: 'GET', path: list, headers: { origin: 'https://evil.example' } })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })

    expect(JSON.parse(line)).toMatchObject({ status: 200, refusedOrigin: 'https://evil.example' })
  })

  it('says which world it was with, where that is another one than `default`', async () => {
    const command = await serveJson()
    await sendTo(command.url, { method: 'GET', path: `/w/test-42${list}` })

    const [line = ''] = await linesAfter(command, { from: 1, count: 1 })

    expect(JSON.parse(line)).toMatchObject({ world: 'test-42', path: list })
  })

  it('prints no token after the first line', async () => {
    const command = await serveJson()
    const tokens = [...command.tokens.map(({ token }) => token), 'device.mock.sofa']
    const sent = tokens.flatMap(token => [
      { method: 'GET', path: list, headers: bearer(token) },
      { method: 'GET', path: '/cloud/devices/links', query: `device_link_token=${token}` },
      { method: 'GET', path: `/devices/link/${token}` },
      { method: 'GET', path: `/nowhere/${token}`, headers: { authorization: token } },
      { method: 'POST', path: '/cloud/devices/links/complete', body: JSON.stringify({ device_link_token: token }) },
    ])

    await Promise.all(sent.map(one => sendTo(command.url, one)))

    const printed = (await linesAfter(command, { from: 1, count: sent.length })).join('\n')
    expect(tokens.filter(token => printed.includes(token))).toEqual([])
  })
})

describe('mockmaker', () => {
  it('has the same tokens for people as with --json', async () => {
    const [forPeople, { tokens }] = await Promise.all([serve(['friday-night']), serveJson(['friday-night'])])

    const missing = tokens.filter(({ token }) => !forPeople.lines().some(line => line.endsWith(` ${token}`)))

    expect(missing).toEqual([])
  })
})
