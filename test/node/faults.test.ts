import { describe, expect } from 'vitest'
import type { Mockmaker } from '../../src/index.js'
import { it, listUrl, origin, until, watchUrl } from '../support/node-mock.js'
import { tokens } from '../support/tanks.js'
import { isBusy, live } from '../support/worlds.js'

const prepareUrl = `${origin}/cloud/devices/links`
const held = (mock: Mockmaker) => expect.poll(() => isBusy(mock)).toBe(true)

describe('under MSW, a fault', () => {
  it.for([{ reset: true }, { empty: true }] as const)('%j is a network error of fetch', async (effect, { setup }) => {
    const mock = setup()
    mock.faults.add({ effect })

    await expect(fetch(listUrl)).rejects.toThrow(TypeError)
    await expect(fetch(prepareUrl, { method: 'POST' })).rejects.toThrow(TypeError)
  })

  it('truncate fails in the middle of the body, after the operation', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { truncate: true } })
    const before = mock.world.deviceLinks.count()

    const response = await fetch(prepareUrl, { method: 'POST' })

    expect(response.status).toBe(200)
    // MSW 3 closes a socket, so the message is that of fetch.
    await expect(response.text()).rejects.toThrow(/^(the connection closed in the middle of the body|terminated)$/)
    expect(mock.world.deviceLinks.count()).toBe(before + 1)
  })

  it('with an error answers with its headers', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { error: { code: 'API_RATE_LIMIT', message: 'slow down' } } })

    const response = await fetch(listUrl, { headers: { origin: 'http://localhost:1' } })

    expect([response.status, await response.json()]).toEqual([429, { code: 'API_RATE_LIMIT', message: 'slow down' }])
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:1')
    expect(response.headers.get('rvt-ray-id')).toBeTruthy()
  })

  it('with an error answers HEAD without a body', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { error: { status: 503 } } })

    const response = await fetch(listUrl, { method: 'HEAD' })

    expect([response.status, await response.text()]).toEqual([503, ''])
  })

  it('with a delay answers normally after the delay', async ({ setup }) => {
    const mock = setup()
    const before = await (await fetch(listUrl)).text()
    mock.faults.add({ effect: { delay: '300ms' } })
    const answer = fetch(listUrl)
    await held(mock)

    await mock.world.clock.advance(300)

    expect(await (await answer).text()).toBe(before)
  })

  it('with a hold answers when it is released', async ({ setup }) => {
    const mock = setup()
    const { id } = mock.faults.add({ effect: { hold: true } })
    const answer = fetch(listUrl)
    await held(mock)

    expect([mock.faults.release(id), (await answer).status]).toEqual([1, 200])
  })

  it('with a hold forgets a request that its client aborts', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { hold: true } })
    const client = new AbortController()
    const answer = fetch(listUrl, { signal: client.signal })
    await held(mock)

    client.abort()

    await expect(answer).rejects.toThrow('aborted')
    expect([isBusy(mock), live(mock.world).clock.pending]).toEqual([false, 0])
  })

  it('with wake answers a watch with unchanged data and index', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { spurious: '2s' } })
    const before = await (await fetch(`${prepareUrl}?device_link_token=${tokens.pending}`)).text()
    const answer = fetch(watchUrl(mock))
    await until(mock, 1)

    await mock.world.clock.advance(2_000)

    expect(await (await answer).text()).toBe(before)
  })

  it('applies to unknown paths if the base URL names an origin', async ({ setup }) => {
    const mock = setup({ baseUrl: origin })
    mock.faults.add({ effect: { error: { status: 503 } } })

    expect((await fetch(`${origin}/nowhere`)).status).toBe(503)
  })

  it('is removed by a reset', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { reset: true } })

    await mock.reset()

    expect((await fetch(listUrl)).status).toBe(200)
  })

  it('is kept by a reset with keep', async ({ setup }) => {
    const mock = setup()
    mock.faults.add({ effect: { error: { status: 503 } } })

    await mock.reset({ keep: ['faults', 'clock'] })

    expect((await fetch(listUrl)).status).toBe(503)
  })
})
