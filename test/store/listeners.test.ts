import { describe, expect, it, vi } from 'vitest'
import { Listeners } from '../../src/store/listeners.js'

describe('listeners', () => {
  it('are called once for a change that touches several of their tags', () => {
    const listeners = new Listeners()
    const listener = vi.fn()
    listeners.listen(new Set(['a', 'b']), listener)

    listeners.tell(new Set(['a', 'b', 'c']))

    expect(listener).toHaveBeenCalledOnce()
  })

  it('are not called for a change that touches none of their tags', () => {
    const listeners = new Listeners()
    const listener = vi.fn()
    listeners.listen(new Set(['a']), listener)

    listeners.tell(new Set(['b']))

    expect(listener).not.toHaveBeenCalled()
  })

  it('are not called any more when they have ended, however often', () => {
    const listeners = new Listeners()
    const [ended, stays] = [vi.fn(), vi.fn()]
    const end = listeners.listen(new Set(['a', 'b']), ended)
    listeners.listen(new Set(['a']), stays)

    end()
    end()
    listeners.tell(new Set(['a', 'b']))

    expect([ended.mock.calls.length, stays.mock.calls.length]).toEqual([0, 1])
  })

  it('are not called when the one told before has ended them', () => {
    const listeners = new Listeners()
    const ended = vi.fn()
    const ends: Array<() => void> = []
    listeners.listen(new Set(['a']), () => ends[0]?.())
    ends.push(listeners.listen(new Set(['a']), ended))

    listeners.tell(new Set(['a']))

    expect(ended).not.toHaveBeenCalled()
  })

  it('that listen anew while they are told are called once', () => {
    const listeners = new Listeners()
    const again = vi.fn(() => void listeners.listen(new Set(['a']), again))
    listeners.listen(new Set(['a']), again)

    listeners.tell(new Set(['a']))

    expect(again).toHaveBeenCalledOnce()
  })

  it('are all called though one throws, and its error comes out', () => {
    const listeners = new Listeners()
    const listener = vi.fn()
    listeners.listen(new Set(['a']), () => {
      throw new Error('a bug of a listener')
    })
    listeners.listen(new Set(['a']), listener)

    expect(() => listeners.tell(new Set(['a']))).toThrow('a bug of a listener')

    expect(listener).toHaveBeenCalledOnce()
  })
})
