import { describe, expect, vi } from 'vitest'
import { failure, json } from '../../support/http.js'
import { jsonHeaders as headers, it } from '../../support/served-mock.js'
import { live, stateOf } from '../../support/worlds.js'

const hours = (count: number) => count * 3_600_000
const begun = Date.parse('2026-11-20T20:00:00Z')

describe('the clock of a world', () => {
  it('advances by a duration or by ms, and returns its state', async ({ serve }) => {
    const { mock, steer } = await serve()

    const got = [
      json(await steer('POST', '/__mock/clock/advance', { by: '2h' })),
      json(await steer('POST', '/__mock/clock/advance', { by: 500 })),
      json(await steer('GET', '/__mock/clock')),
    ]

    const frozen = { mode: 'frozen', rate: 1 }
    expect(got).toEqual([
      { ...frozen, now: '2026-11-20T22:00:00.000Z' },
      { ...frozen, now: '2026-11-20T22:00:00.500Z' },
      { ...frozen, now: '2026-11-20T22:00:00.500Z' },
    ])
    expect(mock.world.clock.now()).toBe(begun + hours(2) + 500)
  })

  it('sets its mode, its rate and a later time', async ({ serve }) => {
    const { mock, client } = await serve()

    const set = await client.world.clock.set({ now: '2026-11-21T00:00:00+02:00', rate: 60 })

    expect(set).toEqual({ mode: 'frozen', rate: 60, now: '2026-11-20T22:00:00.000Z' })
    await client.world.clock.set({ mode: 'running' })
    expect([mock.world.clock.mode, mock.world.clock.rate]).toEqual(['running', 60])
  })

  it('is separate in each world', async ({ serve }) => {
    const { mock, client } = await serve()
    const other = await client.worlds.put('other')

    await other.world.clock.advance('1h')

    expect([mock.world.clock.now(), mock.worlds.get('other')?.world.clock.now()]).toEqual([begun, begun + hours(1)])
  })

  it('returns on a reset to its time, mode and rate', async ({ serve }) => {
    const { mock, client } = await serve()
    await client.world.clock.set({ mode: 'running', rate: 10, now: begun + hours(5) })
    // Simulates a slow machine: a millisecond passes between any two readings of the clock.
    let real = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => real++)

    await client.reset()

    const { mode, rate } = mock.world.clock
    expect([mode, rate, mock.world.clock.now()]).toEqual(['frozen', 1, begun])
  })

  it.for([
    ['POST', '/__mock/clock/advance', { by: '30d' }],
    ['PUT', '/__mock/clock', { now: begun + hours(720) }],
  ] as const)(
    'stops when the client of %s %s disconnects, and accepts the next call',
    async ([method, path, body], { serve }) => {
      const { mock, client, url } = await serve()
      await mock.simulate({ concurrent: 500 })
      const controller = new AbortController()
      live(mock.world).clock.after(1_000, () => controller.abort())

      const { signal } = controller
      await fetch(url + path, { method, headers, body: JSON.stringify(body), signal }).catch(() => {})
      const { now, rate } = await client.world.clock.set({ rate: 2 })

      expect(rate).toBe(2)
      expect(Date.parse(now)).toBeGreaterThanOrEqual(begun + 1_000)
      expect(Date.parse(now)).toBeLessThan(begun + hours(720))
    },
  )

  it.for([
    ['PUT', '/__mock/clock', { now: '2026-11-20T19:59:59Z' }, 'only goes forward'],
    ['PUT', '/__mock/clock', { now: 'tomorrow' }, 'with a zone'],
    ['PUT', '/__mock/clock', { now: 8.64e15 }, 'the latest time of a clock is'],
    ['POST', '/__mock/clock/advance', { by: 8.64e15 }, 'the latest time of a clock is'],
    ['PUT', '/__mock/clock', { now: '2026-11-21T20:00:00' }, 'with a zone'],
    ['PUT', '/__mock/clock', { mode: 'stopped' }, 'running'],
    ['PUT', '/__mock/clock', { mode: 'running', rate: 0 }, 'above 0'],
    ['PUT', '/__mock/clock', { mode: 'running', rate: 1e9 }, '1000000'],
    ['PUT', '/__mock/clock', { speed: 2 }, 'speed'],
    ['POST', '/__mock/clock/advance', { by: '-1s' }, 'expected a number of ms'],
    ['POST', '/__mock/clock/advance', { by: -1 }, 'expected a number of ms'],
    ['POST', '/__mock/clock/advance', { by: 'soon' }, 'as in 250ms'],
    ['POST', '/__mock/clock/advance', {}, 'by is missing'],
  ] as const)('refuses %s %s %j, and does not change', async ([method, path, body, message], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer(method, path, body)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect(json(got)).toMatchObject({ message: expect.stringContaining(message) })
    expect([stateOf(mock.world), mock.world.clock.mode]).toEqual([before, 'frozen'])
  })

  it('stops at the last time of a Date, and the mock still answers', async ({ serve }) => {
    const { mock, client, steer, send } = await serve()
    await client.world.clock.set({ now: 8.64e15 - 31_556_952_000_000, mode: 'running', rate: 1_000_000 })
    mock.faults.add({ operation: 'lobbies.*', effect: { reset: true }, after: '36525d', for: '36525d' })

    const link = await send({ method: 'POST', path: '/cloud/devices/links' })
    const answers = await Promise.all(
      ['worlds', 'world', 'clock', 'snapshot', 'journal', 'faults'].map(path => steer('GET', `/__mock/${path}`)),
    )

    expect([link, ...answers].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200])
  })

  it('expires 300 links in order in one advance, and wakes each watcher once', async ({ serve }) => {
    const { mock, client } = await serve({ watchTimeoutMs: hours(3) })
    const count = 300
    const links = Array.from({ length: count }, (_, i) => ({
      device_link_token: `device.mock.${i}`,
      expires_at: begun + 1 + ((i * 7919) % hours(1.9)),
    }))
    await mock.world.deviceLinks.createMany(count, i => links[i] ?? {})
    const woken: string[] = []
    const watches = links.map(async ({ device_link_token: token }) => {
      const query = `device_link_token=${token}&watch_index=${mock.world.revision}`
      const { body } = await mock.answer({ method: 'GET', path: '/cloud/devices/links', query, headers: {} })
      woken.push(`${token} ${JSON.parse(new TextDecoder().decode(body)).code}`)
    })
    expect(mock.world.waiters).toBe(count)

    await client.world.clock.advance('2h')

    await Promise.all(watches)
    const inOrder = links.toSorted((a, b) => a.expires_at - b.expires_at)
    expect(woken).toEqual(inOrder.map(link => `${link.device_link_token} TOKEN_EXPIRED`))
    expect(mock.world.waiters).toBe(0)
  })
})
