import { afterEach, describe, expect, it, vi } from 'vitest'
import { pageIsControlled } from '../../src/msw/controlled-page.js'

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
    const controlled = pageIsControlled()

    expect(await hasResolved(controlled)).toBe(false)
    workers.claim()

    expect(await hasResolved(controlled)).toBe(true)
  })

  it('is controlled at once if the worker has claimed it before', async () => {
    const workers = new PageWorkers({})
    workers.claim()

    expect(await hasResolved(pageIsControlled())).toBe(true)
  })

  it('waits for no worker outside of its scope', async () => {
    new PageWorkers(undefined)

    expect(await hasResolved(pageIsControlled())).toBe(true)
  })
})
