import { afterEach, vi } from 'vitest'

// Test files share a process (vitest.config.ts), so no fake may outlive its test.
afterEach(() => {
  // Spies first: one on a fake `setTimeout` would bring that back.
  vi.restoreAllMocks()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
