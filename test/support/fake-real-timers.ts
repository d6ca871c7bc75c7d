import { vi } from 'vitest'
import { real } from '../../src/core/lib/real-globals.js'

const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const

/** Lets the timers and times that the mock takes at load follow the fake ones of this test. `vi.restoreAllMocks` ends it. */
export function fakeRealTimers(): void {
  for (const name of names) {
    const follow = (...args: unknown[]) => (globalThis[name] as (...args: unknown[]) => unknown)(...args)
    vi.spyOn(real, name).mockImplementation(follow as never) // the types have overloads
  }
  vi.spyOn(real, 'now').mockImplementation(() => performance.now())
  vi.spyOn(real, 'date').mockImplementation(() => Date.now())
}
