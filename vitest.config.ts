import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Files that fake the time, or look at what the process does: what another file has left running would be seen there. */
const alone = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts'))
  .map(file => `test/${file.replaceAll('\\', '/')}`)
  .filter(file => /\bvi\.(useFakeTimers|spyOn|stub)/.test(readFileSync(file, 'utf8')))

export default defineConfig({
  test: {
    // By default one core stays idle, which of two is half of the time.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      // No module of ours keeps anything that a test could see, so that files may share what a worker has loaded.
      { extends: true, test: { name: 'together', include: ['test/**/*.test.ts'], exclude: alone, isolate: false } },
    ],
  },
})
