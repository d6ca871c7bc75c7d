import { afterEach, vi } from 'vitest'

// Test files share a process (vitest.config.ts), so no fake may outlive its test.
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
