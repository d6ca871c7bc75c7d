import { describe, expect, it } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import { createLatest } from '../../src/server/latest.js'
import { ask } from '../support/http.js'
import { completion, tanks, tokens } from '../support/tanks.js'
import { live } from '../support/worlds.js'

const other = 'device.mock.other'
const scenario = {
  ...tanks,
  device_links: [
    { token: tokens.pending, expires_after: '2h' },
    { token: other, expires_after: '2h' },
  ],
}

const textOf = (body: Uint8Array) => new TextDecoder().decode(body)
const watch = (mock: Mockmaker, token: string) =>
  mock.answer({
    method: 'GET',
    path: '/cloud/devices/links',
    query: `device_link_token=${token}&watch_index=${mock.world.revision}`,
    headers: {},
  })
const stay = (mock: Mockmaker) =>
  mock.world.write(async tables => {
    for (const link of tables.deviceLinks.all())
      await tables.deviceLinks.update(q => q.where({ device_link_token: link.device_link_token }), {
        data: draft => void Object.assign(draft, { expires_at: Number(link.expires_at) + 1 }),
      })
  })

describe('watches that wake together', () => {
  it('share their bytes where they ask for the same, and only there', async () => {
    const mock = createMockmaker({ scenario })
    const asked = [tokens.pending, tokens.pending, other].map(token => watch(mock, token))

    await stay(mock)

    const [one, same, another] = await Promise.all(asked)
    expect(same?.body).toBe(one?.body)
    expect(another?.body).not.toBe(one?.body)
  })

  it('hear what is new each time', async () => {
    const mock = createMockmaker({ scenario })
    const before = watch(mock, tokens.pending)
    await stay(mock)
    const first = textOf((await before).body)
    const again = watch(mock, tokens.pending)

    await ask(mock, completion)

    expect([first.includes('cloud_token'), textOf((await again).body).includes('cloud_token')]).toEqual([false, true])
  })
})

describe('a shared reading', () => {
  const reading = (until?: number, tags: readonly string[] = ['games']) => ({
    value: {},
    tags: new Set(tags),
    revision: 1,
    until,
  })

  it('is read once at a revision', async () => {
    const { world } = createMockmaker({ scenario: tanks })
    const latest = createLatest(live(world))
    const first = latest.reading('a', () => reading())

    const again = latest.reading('a', () => reading())
    await world.games.update(q => q.where({ name_id: 'tanks' }), {
      data: draft => void Object.assign(draft, { display_name: 'Other' }),
    })

    expect(again).toBe(first)
    expect(latest.reading('a', () => reading())).not.toBe(first)
  })

  it('is another under another key', () => {
    const latest = createLatest(live(createMockmaker({ scenario: tanks }).world))

    const first = latest.reading('a', () => reading())

    expect(latest.reading('b', () => reading())).not.toBe(first)
  })

  it('is over when the clock may change it', async () => {
    const { world } = createMockmaker({ scenario: tanks })
    const latest = createLatest(live(world))
    const first = latest.reading('a', () => reading(world.clock.now() + 10))

    await world.clock.advance(9)
    const before = latest.reading('a', () => reading())
    await world.clock.advance(1)

    expect(before).toBe(first)
    expect(latest.reading('a', () => reading())).not.toBe(first)
  })

  it('is none that the clock has changed: it may go back', () => {
    const latest = createLatest(live(createMockmaker({ scenario: tanks }).world))

    const first = latest.reading('a', () => reading(undefined, ['@clock']))

    expect(latest.reading('a', () => reading())).not.toBe(first)
  })

  it('is one of at most 500', () => {
    const latest = createLatest(live(createMockmaker({ scenario: tanks }).world))
    const keys = Array.from({ length: 501 }, (_, i) => `${i}`)

    const first = keys.map(key => latest.reading(key, () => reading()))

    const again = keys.map(key => latest.reading(key, () => reading()))
    expect(again.map((reading, i) => reading === first[i])).toEqual([...Array(500).fill(true), false])
  })
})
