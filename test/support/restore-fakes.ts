import { configureGlobal } from 'fast-check'
import { afterEach, vi } from 'vitest'

// The number of random cases of a property, where its test names none.
configureGlobal({ numRuns: process.env.CI ? 40 : 100 })

// Test files share a process (vitest.config.ts), so no fake may outlive its test.
afterEach(() => {
  // Spies first: one on a fake `setTimeout` would bring that back.
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
