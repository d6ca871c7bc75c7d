import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // By default one core stays idle, which of two is half of the time.
    maxWorkers: '100%',
    // No module of ours keeps anything, so that test files may share what a worker has loaded.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
