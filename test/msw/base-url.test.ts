import { getResponse } from 'msw'
import { describe, expect } from 'vitest'
import { createMockmaker, UsageError } from '../../src/index.js'
import { bearer, ids, tanks, tokens } from '../support/tanks.js'
import { it, lobbiesAt } from './node-mock.js'

describe('the base URL', () => {
  it.for(['http://mock.test', 'http://mock.test/', 'http://mock.test/v1', 'http://mock.test/v1/'])(
    'may be %s',
    async (baseUrl, { setup }) => {
      setup({ baseUrl })
      const prefix = baseUrl.replace(/\/$/, '')
      const path = prefix.slice('http://mock.test'.length)

      expect(await lobbiesAt(`${prefix}/matchmaker/lobbies/list`)).toHaveLength(2)
      expect(await (await fetch(`${prefix}/lobbies/list`)).json()).toMatchObject({
        message: `nothing is at ${path}/lobbies/list: did you mean GET ${path}/matchmaker/lobbies/list?`,
      })
    },
  )

  it.for([
    [
      'https://x.example:443',
      'https://x.example',
      ['https://x.example:444', 'http://x.example:443', 'https://y.example'],
    ],
    ['http://X.example:80', 'http://x.example', ['http://x.example:81', 'http://xaexample']],
    ['http://[::1]:4100', 'http://[::1]:4100', ['http://[::1]:4101', 'http://[::2]:4100']],
    ['http://[0:0::1]', 'http://[::1]', ['http://[::2]']],
    ['http://[::1]/a.b', 'http://[::1]/a.b', ['http://[::1]/axb']],
    ['https://bücher.example', 'https://xn--bcher-kva.example', ['https://bucher.example']],
    ["http://mock.test/a.b,c;d=e@f!g$h&i'j~k", "http://mock.test/a.b,c;d=e@f!g$h&i'j~k", ['http://mock.test/axb']],
  ] as const)('%s matches only the requests to %s', async ([baseUrl, right, wrong]) => {
    const { handlers } = createMockmaker({ scenario: tanks, baseUrl })
    const statusOf = async (origin: string) =>
      (await getResponse(handlers, new Request(`${origin}/matchmaker/lobbies/list`)))?.status

    const statuses = await Promise.all([right, ...wrong].map(statusOf))

    expect(statuses).toEqual([200, ...wrong.map(() => undefined)])
  })

  it('can be an IPv6 address: paths with parameters and unknown paths are answered', async ({ setup }) => {
    setup({ baseUrl: 'http://[::1]:4100/api' })
    const headers = bearer(tokens.cloud)

    const game = await fetch(`http://[::1]:4100/api/cloud/games/${ids.tanks}`, { headers })
    const nowhere = await fetch('http://[::1]:4100/api/lobbies/list')

    expect([game.status, nowhere.status]).toEqual([200, 404])
  })

  it.for([
    '',
    'x',
    '**',
    '//x.example',
    '*x',
    'https://',
    'https:///x',
    'ftp://x.example',
    'https://x.example:99999',
    'https://*.example',
    'https://(a|b).example',
    'https://a:b@x.example',
    'https://x.example?a',
    'https://x.example#a',
    'https://x.example/*',
    'https://x.example/:id',
    'https://x.example/a(b)',
    'https://x.example/a+',
    'https://x.example/{a}',
    'https://x.example/a%20b',
    '/:id',
    '*/a*',
    '/a?',
    '/a b',
    5,
    null,
    {},
  ])('is refused if it is %j', baseUrl => {
    const make = () => createMockmaker({ baseUrl: baseUrl as never }) // no type lets all of them pass

    expect(make).toThrow(UsageError)
    expect(make).toThrow('baseUrl is')
  })

  it('does not separate two mocks on one server: MSW lets only the mock that listens last answer', async ({
    setup,
  }) => {
    const first = setup({ baseUrl: 'http://one.test' })
    const second = createMockmaker({ scenario: tanks, baseUrl: 'http://two.test' })
    first.use(...second.handlers)
    await second.world.lobbies.delete(q => q.where({ lobby_id: ids.lobby }))
    const counts = async () => [
      (await lobbiesAt('http://one.test/matchmaker/lobbies/list')).length,
      (await lobbiesAt('http://two.test/matchmaker/lobbies/list')).length,
    ]
    const before = await counts()

    await first.world.lobbies.create({})

    expect([before, await counts()]).toEqual([
      [2, 1],
      [3, 1],
    ])
  })
})
