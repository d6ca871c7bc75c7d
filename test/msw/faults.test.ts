import { describe, expect } from 'vitest'
import type { Mockmaker } from '../../src/index.js'
import { isBusy, live } from '../support/worlds.js'
import { it, listUrl, origin } from './node-mock.js'

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

  it('applies to unknown paths if the base URL names an origin', async ({ setup }) => {
    const mock = setup({ baseUrl: origin })
    mock.faults.add({ effect: { error: { status: 503 } } })

    expect((await fetch(`${origin}/nowhere`)).status).toBe(503)
  })
})
