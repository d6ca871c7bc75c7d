import { afterEach, vi } from 'vitest'

// Test files share a process (vitest.config.ts). So no fake may outlive its test.
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})
