import { vi } from 'vitest'
import { real } from '../../src/core/lib/real-globals.js'
import { slowMs } from '../../src/core/lib/slow-wait.js'

/** Returns a function that makes all present waits slow, and returns what the console has said. */
export function slowWaits(): () => unknown[] {
  const waits = new Map<object, () => void>()
  const { setTimeout, clearTimeout } = real
  vi.spyOn(real, 'setTimeout').mockImplementation(((run: () => void, ms?: number, ...rest: unknown[]) => {
    if (ms !== slowMs) return setTimeout(run, ms, ...rest)
    const timer = {}
    waits.set(timer, run)
    return timer
  }) as typeof setTimeout)
  vi.spyOn(real, 'clearTimeout').mockImplementation(timer => {
    if (!waits.delete(Object(timer))) clearTimeout(timer)
  })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => {
    for (const [timer, say] of waits) {
      waits.delete(timer)
      say()
    }
    return warn.mock.calls.flat()
  }
}
