import { afterEach, describe, expect, it, vi } from 'vitest'
import { startWorker, untilControlled } from '../../src/msw/controlled-page.js'
import { slowWaits } from '../support/slow-waits.js'

/** Stands for `navigator.serviceWorker`. */
class PageWorkers extends EventTarget {
  controller: object | null = null
  constructor(readonly registration: object | undefined) {
    super()
    vi.stubGlobal('navigator', { serviceWorker: this })
  }
  getRegistration = async () => this.registration
  claim() {
    this.controller = {}
    this.dispatchEvent(new Event('controllerchange'))
  }
}

/** Tells whether a promise has resolved after all microtasks. */
async function hasResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => {
    resolved = true
  })
  await new Promise(done => setImmediate(done))
  return resolved
}

describe('a page with a service worker', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is controlled once the worker claims it', async () => {
    const workers = new PageWorkers({})
    const controlled = untilControlled()

    expect(await hasResolved(controlled)).toBe(false)
    workers.claim()

    expect(await hasResolved(controlled)).toBe(true)
  })

  it('is controlled at once if the worker has claimed it before', async () => {
    const workers = new PageWorkers({})
    workers.claim()

    expect(await hasResolved(untilControlled())).toBe(true)
  })

  it('says what it waits for if the worker never claims it', async () => {
    new PageWorkers({})
    const passTime = slowWaits()
    const started = startWorker({ start: async () => undefined }, {})

    expect(await hasResolved(started)).toBe(false)
    expect(passTime()).toEqual([expect.stringContaining('still waiting for the service worker of MSW')])
  })

  it('waits for none where the browser has none, as on a foreign host without HTTPS', async () => {
    vi.stubGlobal('navigator', {})

    expect(await hasResolved(untilControlled())).toBe(true)
  })

  it('waits for no worker outside of its scope', async () => {
    new PageWorkers(undefined)

    expect(await hasResolved(untilControlled())).toBe(true)
  })
})
