import { vi } from 'vitest'
import { real } from '../../../../src/core/lib/real-globals.js'

/** The real time of the mock, which stands still until the test moves it. */
export function realClock() {
  let now = real.now()
  vi.spyOn(real, 'now').mockImplementation(() => now)
  const clock = {
    pass(ms: number) {
      now += ms
    },
    /** Runs a function that often, with a pause after each time. */
    async every(pauseMs: number, times: number, run: () => unknown) {
      for (let i = 0; i < times; i++) {
        await run()
        clock.pass(pauseMs)
      }
    },
  }
  return clock
}
