import express from 'express'
import { it as base, describe, expect, onTestFinished } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { createApp } from '../../../src/server/http/index.js'
import { listenTanks } from '../../support/entry-points.js'
import { json, responseTo, sendTo, serveListener } from '../../support/http.js'
import { stateOf } from '../../support/worlds.js'

type Server = Awaited<ReturnType<typeof listenTanks>>

const it = base.extend<{ server: Server }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  server: async ({}, use) => {
    const server = await listenTanks({ allowedHosts: ['mock.Example', '.Tunnel.example'] })
    await use(server)
    await server.close()
  },
})

const prepare = (host: string) => ({ method: 'POST', path: '/cloud/devices/links', headers: { host } })

describe('a server that listens', () => {
  it.for([
    'localhost',
    'LOCALHOST',
    'localhost:4100',
    'localhost:1',
    'localhost:',
    'game.localhost',
    'tanks--prod.Mock.Localhost:80',
    'host.docker.internal:4100',
    '127.0.0.1',
    '127.9.9.9:4100',
    '192.168.1.20',
    '10.0.2.2:4100',
    '[::1]',
    '[::1]:4100',
    '[FE80::1]:4100',
    '[::ffff:127.0.0.1]',
    'mock.example',
    'MOCK.example:4100',
    'tunnel.example',
    'a.TUNNEL.example:4100',
    'a.b.tunnel.example',
  ])('accepts the host %s', async (host, { server }) => {
    expect((await sendTo(server.url, prepare(host))).status).toBe(200)
  })

  it.for([
    'evil.example',
    'evil.example:4100',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    'evil.example/.localhost',
    'evil.example#.localhost',
    'evil.example?.localhost',
    'evil.example@game.localhost',
    'user@localhost',
    'user@127.0.0.1',
    'evillocalhost',
    '.localhost',
    'evil..localhost',
    'localhost.',
    'localhost:80:80',
    'localhost:x',
    'localhost localhost',
    'localhost,evil.example',
    'sub.mock.example',
    'eviltunnel.example',
    'tunnel.example.evil.example',
    'mock.example.evil.example',
    'host.docker.internal.evil.example',
    '::1',
    '[::1',
    '127.0.0.1/8',
    '1.2.3',
    '0x7f000001',
    '2130706433',
    '*',
    'null',
    '""',
  ])('refuses the host %s, and changes nothing', async (host, { server }) => {
    const before = stateOf(server.mock.world)

    const got = await sendTo(server.url, prepare(host))

    expect([got.status, json(got)]).toMatchObject([403, { code: 'API_FORBIDDEN' }])
    expect((json(got) as { message: string }).message).toContain(host)
    expect(stateOf(server.mock.world)).toBe(before)
  })

  it.for([
    ['no Host at all', 'POST /cloud/devices/links HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['no Host in HTTP/1.0', 'POST /cloud/devices/links HTTP/1.0\r\n\r\n'],
    ['an empty Host', 'POST /cloud/devices/links HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'],
    ['a Host that is a port', 'POST /cloud/devices/links HTTP/1.1\r\nhost: :4100\r\nconnection: close\r\n\r\n'],
  ] as const)('refuses %s', async ([, bytes], { server }) => {
    const before = stateOf(server.mock.world)

    const got = await responseTo(server.url, bytes)

    expect([got.status, json(got)]).toMatchObject([403, { code: 'API_FORBIDDEN' }])
    expect(stateOf(server.mock.world)).toBe(before)
  })

  it('takes the Host that middleware in front has set', async () => {
    const mock = createMockmaker()
    const sets: express.RequestHandler = (request, _, next) => {
      request.headers.host = 'localhost'
      next()
    }
    const { url, close } = await serveListener(express().use(sets, createApp(mock)))
    onTestFinished(async () => {
      await close()
      await mock.close()
    })

    expect((await sendTo(url, prepare('evil.example'))).status).toBe(200)
  })

  it.for(['/', '/openapi.json', '/devices/link/device.mock.pending', '/matchmaker/lobbies/list', '/nowhere'])(
    'refuses another host on %s, whatever the path is',
    async (path, { server }) => {
      const got = await sendTo(server.url, { method: 'GET', path, headers: { host: 'evil.example' } })

      expect([got.status, json(got)]).toMatchObject([403, { code: 'API_FORBIDDEN' }])
      expect(got.body).not.toContain('.mock.')
    },
  )

  it('refuses a preflight for another host', async ({ server }) => {
    const headers = { host: 'evil.example', origin: 'http://evil.example' }

    const got = await sendTo(server.url, { method: 'OPTIONS', path: '/cloud/devices/links', headers })

    expect(got.status).toBe(403)
  })

  it('names the host of a URL in the first line', async ({ server }) => {
    const { status, body } = await responseTo(
      server.url,
      'GET http://evil.example/matchmaker/lobbies/list HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    )

    expect([status, JSON.parse(body).message]).toEqual([
      403,
      expect.stringMatching(
        /^the request is for the host "evil\.example" \(its Host header, or the URL in its first line\)/,
      ),
    ])
  })

  it('says how to allow the host', async ({ server }) => {
    const got = await sendTo(server.url, prepare('Dev.Example:80'))

    expect(json(got)).toEqual({
      code: 'API_FORBIDDEN',
      message:
        'the request is for the host "Dev.Example:80" (its Host header, or the URL in its first line), which this server does not answer to: use localhost, or allow it (--allowed-hosts dev.example, allowedHosts of createApp, listen and the Vite plugin). More in the package: docs/something-is-wrong.md',
    })
  })
})

describe('a malformed host', () => {
  it.for(['[::1', 'a b', '*'])('is not what the advice allows: %j', async (host, { server }) => {
    const got = await sendTo(server.url, prepare(host))

    expect(json(got)).toMatchObject({ message: expect.stringContaining('--allowed-hosts NAME, allowedHosts') })
  })
})

describe('a mock without a server of its own', () => {
  it('does not check the host', async ({ server }) => {
    const answer = await server.mock.answer({ ...prepare('evil.example') })

    expect(answer.status).toBe(200)
  })
})
