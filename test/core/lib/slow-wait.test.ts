import { describe, expect, it } from 'vitest'
import { sayIfSlow } from '../../../src/core/lib/slow-wait.js'
import { slowWaits } from '../../support/slow-waits.js'
import { deferred } from '../../support/worlds.js'

describe('a wait that takes long', () => {
  it('says what it waits for, and resolves as before', async () => {
    const passTime = slowWaits()
    const { promise, resolve } = deferred<number>()
    const waiting = sayIfSlow(promise, () => 'still waiting for a number')

    const said = passTime()
    resolve(7)

    expect(said).toEqual(['mockmaker: still waiting for a number'])
    expect(await waiting).toBe(7)
  })

  it('says nothing if it ends before, also by an error', async () => {
    const passTime = slowWaits()

    await sayIfSlow(Promise.resolve(), () => 'a')
    await expect(sayIfSlow(Promise.reject(new Error('no')), () => 'b')).rejects.toThrow('no')

    expect(passTime()).toEqual([])
  })

  it('says a reason of many waits once, and again for a later one', async () => {
    const passTime = slowWaits()
    const { promise, resolve } = deferred<void>()
    const waits = [1, 2, 3].map(() => sayIfSlow(promise, () => 'a seat'))

    expect(passTime()).toEqual(['mockmaker: a seat'])
    resolve()
    await Promise.all(waits)
    void sayIfSlow(new Promise(() => {}), () => 'a seat')

    expect(passTime()).toEqual(['mockmaker: a seat', 'mockmaker: a seat'])
  })
})
